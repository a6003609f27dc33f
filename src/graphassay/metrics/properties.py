"""How a property of molecules is distributed in two sets."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import stats

from graphassay.errors import InvalidInput
from graphassay.metrics.intervals import resampled
from graphassay.results import Estimate, Undefined, Value

Floats = npt.NDArray[np.float64]

N_BINS = 40
UNITS = {"qed": "", "logp": "", "sa": "", "weight": "Da"}


@dataclass(frozen=True)
class Histogram:
    """Shares of two sets over common bins; ``edges`` has one entry more than the shares."""

    edges: tuple[float, ...]
    generated: tuple[float, ...]
    reference: tuple[float, ...]


def property_distance(
    generated: Floats, reference: Floats, *, seed: int, n_resamples: int = 200
) -> Estimate:
    """Wasserstein-1 distance of two samples of a number, in its unit.

    Two samples of one distribution are not at 0: compare with real molecules of the same number.

    Args:
        generated: values, shape (n,); finite.
        reference: values, shape (n_reference,); finite.
        seed: of the resamples of ``generated``.
        n_resamples: for the interval.

    Returns:
        At least 0; `Undefined` when one side is empty.

    Source: scipy's ``wasserstein_distance`` computes it.

    Example:
        >>> property_distance(np.array([1.0, 2.0]), np.array([2.0, 3.0]), seed=0).value
        1.0
    """
    _check_finite(generated)
    _check_finite(reference)
    rng = np.random.default_rng(seed)
    n = len(generated)
    return resampled(
        _distance(generated, reference),
        [
            _distance(generated[rng.integers(0, n, n)], reference)
            for _ in range(n_resamples if n else 0)
        ],
        n=n,
        bounds=(0.0, np.inf),
    )


def common_histogram(generated: Floats, reference: Floats, *, n_bins: int = N_BINS) -> Histogram:
    """Shares over equal bins that span both samples; empty when neither has a value."""
    both = np.concatenate([generated, reference])
    if not len(both):
        return Histogram((), (), ())
    edges = np.histogram_bin_edges(both, bins=n_bins)
    shares = [
        tuple((np.histogram(values, edges)[0] / max(len(values), 1)).tolist())
        for values in (generated, reference)
    ]
    return Histogram(tuple(edges.tolist()), shares[0], shares[1])


def _distance(generated: Floats, reference: Floats) -> Value:
    for side, values in (("generated", generated), ("reference", reference)):
        if not len(values):
            return Undefined(f"no {side} molecule has a value")
    return float(stats.wasserstein_distance(generated, reference))


def _check_finite(values: Sequence[float] | Floats) -> None:
    if not np.isfinite(values).all():
        raise InvalidInput("expected finite values; leave out the molecules that have none")
