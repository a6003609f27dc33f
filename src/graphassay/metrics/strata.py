"""Head, torso and tail of the training patterns (DEFINITIONS 7; M 4.4)."""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from graphassay.metrics.alignment import (
    Counts,
    Mask,
    SupportPair,
    jensen_shannon_divergence,
    missing_mass,
    rank_correlation,
    rank_correlation_over_train,
)
from graphassay.results import StratumScores, Undefined, Value

Rows = npt.NDArray[np.int64]


def split_strata(
    train: Counts, codes_of: Callable[[Rows], Sequence[str]]
) -> tuple[Rows, Rows, Rows]:
    """Rows of the head (top 10 %), torso and tail (bottom 10 %) by training support.

    Head and tail have floor(n / 10) patterns each, at least one where there are enough. Ties are
    broken by canonical code, so that the split does not depend on any order of the input; codes
    are asked for only where a tie straddles a cut.

    Args:
        train: training counts of the training patterns, shape (n_patterns,).
        codes_of: canonical codes of the patterns at the given rows.

    Returns:
        Three arrays of rows that partition ``0..n - 1``, each by descending support.
    """
    n = len(train)
    order = np.argsort(-train.astype(np.int64), kind="stable")
    size = max(1, n // 10)
    head_end = min(n, size)
    tail_start = max(head_end, n - size)
    for cut in (head_end, tail_start):
        if 0 < cut < n and train[order[cut - 1]] == train[order[cut]]:
            tied = np.flatnonzero(train[order] == train[order[cut]])
            rows = order[tied]
            codes = codes_of(rows)
            order[tied] = rows[sorted(range(len(rows)), key=codes.__getitem__)]
    return order[:head_end], order[head_end:tail_start], order[tail_start:]


def tail_coverage(pair: SupportPair) -> Value:
    """Share of a stratum's patterns that are frequent in the generated set too.

    Returns:
        In [0, 1]; `Undefined` for a stratum without patterns.

    Source: M appendix I.3; DEFINITIONS 7 (shared / |stratum|).
    """
    if not len(pair.train):
        return Undefined("the stratum has no patterns")
    return int(pair.shared.sum()) / len(pair.train)


def stratum_scores(train: Counts, generated: Counts, in_generated: Mask) -> StratumScores:
    """All scores inside one stratum; masses and probabilities are shares of the stratum.

    Args:
        train: training counts of the stratum's patterns (all frequent in train).
        generated: their counts in the second set (0 where infrequent, or exact).
        in_generated: whether they are frequent there.
    """
    if not len(train):
        empty = Undefined("the stratum has no patterns")
        return StratumScores(empty, empty, empty, empty, empty)
    pair = SupportPair(train, generated, np.ones(len(train), dtype=bool), in_generated)
    jsd = jensen_shannon_divergence(pair)
    if isinstance(jsd, Undefined):
        jsd = Undefined("no pattern of the stratum is frequent in the generated set")
    return StratumScores(
        coverage=tail_coverage(pair),
        missing_mass=missing_mass(pair),
        jsd=jsd,
        rho=rank_correlation(pair),
        rho_train=rank_correlation_over_train(pair),
    )
