"""Whether the training graphs that a model reproduces are those it finds likely (M, E)."""

import numpy as np
import numpy.typing as npt
from scipy import optimize, stats

from graphassay.metrics.intervals import LEVEL
from graphassay.metrics.spread import student_mean
from graphassay.results import Estimate, Undefined, Value
from graphassay.results.model import HitMiss

Float64 = npt.NDArray[np.float64]

MAX_SHOWN = 1000
"""Values of each group kept for the figure."""


def hit_miss(hits: Float64, misses: Float64) -> HitMiss | Undefined:
    """Everything the study asks of the two groups.

    Args:
        hits: mean NLL per token of each distinct training graph that was reproduced, nats.
        misses: of those that were not.

    Returns:
        `Undefined` when a group is empty. At most 1,000 values of each group are listed, evenly
        spaced by rank.

    Source: M, appendix E; DEFINITIONS 8.
    """
    if not len(hits):
        return Undefined("no training graph was reproduced")
    if not len(misses):
        return Undefined("every training graph was reproduced")
    u, p = mann_whitney(hits, misses)
    return HitMiss(
        n_hits=len(hits),
        n_misses=len(misses),
        hit_mean=student_mean(hits.tolist()),
        miss_mean=student_mean(misses.tolist()),
        u=u,
        p=p,
        auc=separation(hits, misses),
        hit_nll=_shown(hits),
        miss_nll=_shown(misses),
    )


def mann_whitney(hits: Float64, misses: Float64) -> tuple[Value, Value]:
    """The U statistic of the hits, and the two-sided p of the Mann-Whitney test.

    U counts the pairs (hit, miss) in which the hit has the higher NLL, ties half. p is exact where
    a group has at most 8 values and none is tied, otherwise normal with corrections for ties and
    continuity (scipy's choice).

    Returns:
        U in [0, n_hits * n_misses] and p in [0, 1]; `Undefined` when a group is empty, p also when
        all values are equal.

    Source: Mann and Whitney, Ann. Math. Statist. 18 (1947) 50; M, appendix E.

    Example:
        >>> mann_whitney(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
        (0.0, 0.3333333333333333)
    """
    if not len(hits) or not len(misses):
        nothing = Undefined(f"{len(hits)} hits and {len(misses)} misses")
        return nothing, nothing
    both = np.concatenate([hits, misses])
    if (both == both[0]).all():
        return len(hits) * len(misses) / 2, Undefined("all likelihoods are equal")
    test = stats.mannwhitneyu(hits, misses, alternative="two-sided")
    return float(test.statistic), float(test.pvalue)


def separation(hits: Float64, misses: Float64, *, level: float = LEVEL) -> Estimate:
    """Probability that a random hit has a lower NLL than a random miss, ties half (AUC).

    The interval inverts a score test, so that it stays inside [0, 1] and has width even where the
    groups do not overlap.

    Returns:
        1 - U / (n_hits * n_misses) in [0, 1]; 0.5 means no difference. `Undefined` when a group is
        empty. ``n`` is the number of graphs.

    Source: Newcombe, Statist. Med. 25 (2006) 559, method 5.

    Example:
        >>> separation(np.array([1.0, 2.0]), np.array([1.5, 4.0])).value
        0.75
    """
    n_hits, n_misses = len(hits), len(misses)
    method = "Newcombe 5"
    if not n_hits or not n_misses:
        nothing = Undefined(f"{n_hits} hits and {n_misses} misses")
        return Estimate(nothing, nothing, nothing, n_hits + n_misses, method, level)
    u = mann_whitney(hits, misses)[0]
    assert not isinstance(u, Undefined)
    value = 1 - u / (n_hits * n_misses)
    z = float(stats.norm.ppf((1 + level) / 2))

    def spread(theta: float) -> float:
        """Variance of the AUC where it is ``theta``, without its factor theta (1 - theta)."""
        extra = (n_hits + n_misses) / 2 - 1
        parts = 1 + extra * (1 - theta) / (2 - theta) + extra * theta / (1 + theta)
        return z * z * parts / (n_hits * n_misses)

    def excess(theta: float) -> float:
        """Squared distance to ``theta`` less what chance allows there; 0 at a bound."""
        if value in (0, 1):  # the distance is one of the factors: divided out
            return abs(value - theta) - (1 - abs(value - theta)) * spread(theta)
        return (value - theta) ** 2 - theta * (1 - theta) * spread(theta)

    low = 0.0 if value == 0 else float(optimize.brentq(excess, 0.0, value))
    high = 1.0 if value == 1 else float(optimize.brentq(excess, value, 1.0))
    return Estimate(value, low, high, n_hits + n_misses, method, level)


def _shown(values: Float64) -> tuple[float, ...]:
    ordered = np.sort(values)
    if len(ordered) > MAX_SHOWN:
        ordered = ordered[np.linspace(0, len(ordered) - 1, MAX_SHOWN).round().astype(np.int64)]
    return tuple(ordered.tolist())
