"""How well the frequent patterns of two sets agree (DEFINITIONS 4; M 4.2).

Supports enter as integer counts: every metric here depends on counts only up to a factor per set,
so nothing is lost, ranks are exact, and ranking is a counting sort.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from graphassay.errors import InvalidInput
from graphassay.results import Undefined, Value

Counts = npt.NDArray[np.integer]
Mask = npt.NDArray[np.bool_]
Support = Literal["frequent", "exact"]


@dataclass(frozen=True, eq=False)
class SupportPair:
    """Supports of the same patterns in train and in a second set ("generated").

    Args:
        train: counts, shape (n_patterns,), any integer type, non-negative.
        generated: counts in the second set, same shape.
        in_train: whether each pattern is frequent in train, bool, same shape.
        in_generated: whether it is frequent in the second set.

    Every pattern must be frequent in at least one of the two; `support_pair` sees to that.
    """

    train: Counts
    generated: Counts
    in_train: Mask
    in_generated: Mask

    def __post_init__(self) -> None:
        shapes = {a.shape for a in (self.train, self.generated, self.in_train, self.in_generated)}
        if len(shapes) != 1 or self.train.ndim != 1:
            raise InvalidInput(f"expected four arrays of one shape (n_patterns,), got {shapes}")
        if not bool(np.all(self.in_train | self.in_generated)):
            raise InvalidInput("expected patterns that are frequent in at least one of the sets")

    @property
    def shared(self) -> Mask:
        """Patterns frequent in both."""
        return self.in_train & self.in_generated


def support_pair(
    train: Counts,
    generated: Counts,
    *,
    min_count_train: int,
    min_count_generated: int,
    support: Support = "frequent",
) -> SupportPair:
    """The union of two frequent pattern sets, from counts of any common list of patterns.

    Args:
        train: counts in train, shape (n_patterns,).
        generated: counts in the second set.
        min_count_train: least count of a frequent pattern in train.
        min_count_generated: the same in the second set.
        support: ``frequent`` (M) takes an infrequent pattern's support as 0; ``exact`` keeps it.
    """
    in_train = train >= min_count_train
    in_generated = generated >= min_count_generated
    union = in_train | in_generated
    in_train, in_generated = in_train[union], in_generated[union]
    counts_train, counts_generated = train[union], generated[union]
    if support == "frequent":
        counts_train = np.where(in_train, counts_train, 0)
        counts_generated = np.where(in_generated, counts_generated, 0)
    return SupportPair(counts_train, counts_generated, in_train, in_generated)


def rank_correlation(pair: SupportPair) -> Value:
    """Spearman's rho of the supports over the patterns frequent in both.

    Returns:
        In [-1, 1], ties at their mean rank; `Undefined` with fewer than 2 shared patterns or when
        one side is constant over them.

    Source: M 4.2 (rho over C); DEFINITIONS 4, ``intersection``.

    Example:
        >>> import numpy as np
        >>> yes = np.ones(3, dtype=bool)
        >>> rank_correlation(SupportPair(np.array([3, 2, 1]), np.array([9, 5, 1]), yes, yes))
        1.0
    """
    shared = pair.shared
    return spearman(pair.train[shared], pair.generated[shared], what="shared patterns")


def rank_correlation_over_train(pair: SupportPair) -> Value:
    """Spearman's rho over the training patterns, where a missing pattern has support 0.

    With exact supports a missing pattern keeps its true support below the threshold.

    Returns:
        In [-1, 1]; `Undefined` with fewer than 2 training patterns or a constant side.

    Source: M appendix I ("trainkeys"); DEFINITIONS 4, ``train``.
    """
    chosen = pair.in_train
    return spearman(pair.train[chosen], pair.generated[chosen], what="training patterns")


def jensen_shannon_divergence(pair: SupportPair) -> Value:
    """Divergence of the two normalized supports over the union, natural logarithm.

    Returns:
        In [0, ln 2], 0 only for proportional supports, ln 2 for disjoint sets; `Undefined` when
        one side has no support at all.

    Source: M 4.2; DEFINITIONS 4.
    """
    total_train, total_generated = int(pair.train.sum()), int(pair.generated.sum())
    if total_train == 0:
        return Undefined("no pattern is frequent in train")
    if total_generated == 0:
        return Undefined("no pattern is frequent in the generated set")
    p, q = pair.train / total_train, pair.generated / total_generated
    both = (p > 0) & (q > 0)
    # A pattern with support on one side only contributes p/2 * ln(p / (p/2)).
    alone = float(p[~both].sum() + q[~both].sum()) / 2 * math.log(2)
    p, q = p[both], q[both]
    middle = (p + q) / 2
    shared = float(np.sum(p * np.log(p / middle) + q * np.log(q / middle))) / 2
    return min(max(alone + shared, 0.0), math.log(2))


def missing_mass(pair: SupportPair) -> Value:
    """Share of train's support mass on patterns that are not frequent in the generated set.

    Returns:
        In [0, 1]; `Undefined` when train has no frequent pattern.

    Source: M 4.2 (MM); DEFINITIONS 4.
    """
    total = int(pair.train.sum())
    if total == 0:
        return Undefined("no pattern is frequent in train")
    return int(pair.train[pair.in_train & ~pair.in_generated].sum()) / total


def novel_mass(pair: SupportPair) -> Value:
    """Share of the generated set's support mass on patterns that are not frequent in train.

    Returns:
        In [0, 1]; `Undefined` when the generated set has no frequent pattern.

    Source: M 4.2 (NM); DEFINITIONS 4.
    """
    total = int(pair.generated.sum())
    if total == 0:
        return Undefined("no pattern is frequent in the generated set")
    return int(pair.generated[pair.in_generated & ~pair.in_train].sum()) / total


ALIGNMENT_METRICS: Mapping[str, Callable[[SupportPair], Value]] = {
    "rho": rank_correlation,
    "rho_train": rank_correlation_over_train,
    "jsd": jensen_shannon_divergence,
    "missing_mass": missing_mass,
    "novel_mass": novel_mass,
}
"""Keyed as `graphassay.results.Alignment.metrics`."""


def alignment_scores(pair: SupportPair) -> dict[str, Value]:
    """All alignment metrics of one pair."""
    return {name: metric(pair) for name, metric in ALIGNMENT_METRICS.items()}


def spearman(x: Counts, y: Counts, *, what: str = "values") -> Value:
    """Spearman's rho of two arrays of non-negative integers, ties at their mean rank.

    Returns:
        In [-1, 1]; `Undefined` with fewer than 2 values or a constant side. O(n + max value).
    """
    if len(x) < 2:
        return Undefined(f"fewer than 2 {what} ({len(x)})")
    rank_x, spread_x = _centred_ranks(x)
    rank_y, spread_y = _centred_ranks(y)
    if spread_x == 0 or spread_y == 0:
        return Undefined(f"all {len(x)} {what} have the same support on one side")
    # Not a BLAS dot product: its rounding depends on the number of threads.
    product = float(np.sum(rank_x * rank_y))
    return min(max(product / math.sqrt(spread_x * spread_y), -1.0), 1.0)


def _centred_ranks(values: Counts) -> tuple[npt.NDArray[np.float64], float]:
    """Mean ranks minus their mean, and the sum of their squares."""
    sizes = np.bincount(values)
    rank_of_value = np.cumsum(sizes) - (sizes - 1) / 2 - (len(values) + 1) / 2
    ranks: npt.NDArray[np.float64] = rank_of_value[values]
    return ranks, float(np.sum(sizes * rank_of_value**2))
