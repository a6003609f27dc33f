"""Intervals over graphs for numbers that are functions of sums over graphs."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from graphassay.metrics.intervals import LEVEL
from graphassay.results import Estimate, Undefined, Value

Float64 = npt.NDArray[np.float64]

N_RESAMPLES = 500
_BLOCK_CELLS = 2**23


@dataclass(frozen=True)
class GraphBootstrap:
    """Resamples of the graphs with replacement: the same ones for every number.

    Args:
        n_graphs: how many graphs.
        seed: of the resamples.
        n_resamples: how many.
    """

    n_graphs: int
    seed: int
    n_resamples: int = N_RESAMPLES

    def sums(self, columns: npt.NDArray[Any]) -> Float64:
        """Sums of the columns, shape (graphs, c), in each resample: (resamples, c)."""
        rng = np.random.default_rng([self.seed, 0x6B007])
        share = np.full(self.n_graphs, 1 / self.n_graphs)
        step = max(1, _BLOCK_CELLS // self.n_graphs)
        blocks = [
            rng.multinomial(self.n_graphs, share, size=min(step, self.n_resamples - start)).astype(
                np.float64
            )
            @ columns
            for start in range(0, self.n_resamples, step)
        ]
        return np.concatenate(blocks)

    def estimate(
        self,
        value: Value,
        columns: npt.NDArray[Any],
        statistic: Callable[[Float64], Float64],
        *,
        n: int,
        recentred: bool = False,
        bounds: tuple[float, float] = (-np.inf, np.inf),
    ) -> Estimate:
        """The value with a percentile interval.

        Args:
            value: of the graphs themselves; `Undefined` makes the interval undefined too.
            columns: shape (graphs, c), what the number is made of.
            statistic: sums, shape (resamples, c) -> the number in each resample; NaN where it is
                undefined.
            n: the denominator to report.
            recentred: use the resamples' spread around their own mean only, moved to the value.
            bounds: range of the number.
        """
        method = "bootstrap over graphs"
        if isinstance(value, Undefined):
            return Estimate(value, value, value, n, method, LEVEL)
        if n < 2:
            why = Undefined(f"the interval needs at least 2 graphs, got {n}")
            return Estimate(value, why, why, n, method, LEVEL)
        draws = statistic(self.sums(columns))
        draws = draws[np.isfinite(draws)]
        if len(draws) < 0.95 * self.n_resamples:
            why = Undefined(f"only {len(draws)} of {self.n_resamples} resamples are defined")
            return Estimate(value, why, why, n, method, LEVEL)
        low, high = np.quantile(draws, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        if recentred:
            method = "bootstrap over graphs, recentred on the value"
            shift = value - draws.mean()
            low, high = min(value, low + shift), max(value, high + shift)
        low, high = max(float(low), bounds[0]), min(float(high), bounds[1])
        return Estimate(value, low, high, n, method, LEVEL)


def mean_over_graphs(
    bootstrap: GraphBootstrap,
    numerator: npt.NDArray[Any],
    denominator: npt.NDArray[Any] | None = None,
    *,
    undefined: str = "no graphs",
) -> Estimate:
    """Sum of the numerators by sum of the denominators (a mean, where there is none).

    Args:
        bootstrap: over the graphs.
        numerator: one per graph; NaN leaves a graph out.
        denominator: one per graph.
        undefined: why there is no number when no graph is left.

    Returns:
        With a percentile interval; `Undefined` when no graph is left.

    Source: Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapter 13.
    """
    top = np.asarray(numerator, dtype=np.float64)
    kept = np.isfinite(top)
    bottom = np.ones(len(top)) if denominator is None else np.asarray(denominator, np.float64)
    columns = np.stack([np.where(kept, top, 0.0), np.where(kept, bottom, 0.0)], axis=1)
    sums = columns.sum(axis=0)
    value: Value = float(sums[0] / sums[1]) if sums[1] > 0 else Undefined(undefined)

    def statistic(resampled: Float64) -> Float64:
        with np.errstate(invalid="ignore", divide="ignore"):
            quotient: Float64 = resampled[:, 0] / resampled[:, 1]
        return quotient

    return bootstrap.estimate(value, columns, statistic, n=int(kept.sum()))
