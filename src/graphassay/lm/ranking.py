"""Keep the graphs that a model's number ranks best."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from graphassay.errors import InvalidInput

Int64 = npt.NDArray[np.int64]

RankBy = Literal["lu", "mean", "nll", "bound"]
"""``nll`` is that of one linearization, the others are over K: ``lu``, the ``mean`` NLL and the
``bound`` of log p(G). The bound is better the higher it is, the others the lower."""

COLUMNS: dict[RankBy, str] = {
    "lu": "lu",
    "mean": "nll_nats",
    "nll": "nll_nats",
    "bound": "bound_nats",
}
"""Where `graphassay.lm.output.score_tables` has the values."""


@dataclass(frozen=True)
class Halves:
    """Graphs in their order: the best, and all others. ``n_unranked`` of the others have no value
    (refused, or undefined), and so were never among the best."""

    kept: Int64
    rejected: Int64
    n_unranked: int
    threshold: float | None
    """The worst value kept; None where nothing is."""


def check_ranking(by: RankBy, keep: float, permutations: int | None) -> None:
    """Say at once what cannot be ranked.

    Raises:
        InvalidInput: a share outside 0..1; ``nll`` with permutations, or another without.
    """
    if not 0 < keep < 1:
        raise InvalidInput(f"keep: expected a share between 0 and 1, got {keep}")
    if by != "nll" and permutations is None:
        raise InvalidInput(f"to rank by {by}, give permutations: it is over several linearizations")
    if by == "nll" and permutations is not None:
        raise InvalidInput("nll is of one linearization: leave permutations out, or rank by mean")


def best_half(values: npt.ArrayLike, keep: float, *, highest: bool = False) -> Halves:
    """The share ``keep`` of the ranked graphs with the lowest values; ties in order of input.

    Args:
        values: one per graph; NaN means none.
        keep: share of the ranked graphs, rounded to a whole number of them.
        highest: those with the highest values instead.
    """
    x = np.asarray(values, dtype=np.float64)
    n_ranked = int(np.isfinite(x).sum())
    best = np.argsort(-x if highest else x, kind="stable")[
        : round(keep * n_ranked)
    ]  # NaN sorts last
    chosen = np.zeros(len(x), dtype=np.bool_)
    chosen[best] = True
    return Halves(
        kept=np.flatnonzero(chosen),
        rejected=np.flatnonzero(~chosen),
        n_unranked=len(x) - n_ranked,
        threshold=float(x[best[-1]]) if len(best) else None,
    )
