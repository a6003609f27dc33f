import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats
from scipy.spatial.distance import jensenshannon

from graphassay.errors import InvalidInput
from graphassay.metrics.alignment import (
    ALIGNMENT_METRICS,
    SupportPair,
    alignment_scores,
    jensen_shannon_divergence,
    missing_mass,
    novel_mass,
    rank_correlation,
    rank_correlation_over_train,
    spearman,
    support_pair,
)
from graphassay.results import Undefined

# Ten patterns, train of 10 graphs, generated of 20, both with min_support 0.5.
#             shared --------------  train only  generated only
TRAIN = np.array([10, 9, 9, 7, 5, 8, 6, 4, 2, 0])
OTHER = np.array([20, 12, 15, 15, 10, 9, 0, 10, 12, 14])


def _pair(support: str = "frequent") -> SupportPair:
    return support_pair(TRAIN, OTHER, min_count_train=5, min_count_generated=10, support=support)  # type: ignore[arg-type]


def test_hand_computed_case() -> None:
    pair = _pair()
    # rho: ranks of train 5, 3.5, 3.5, 2, 1; of generated 5, 2, 3.5, 3.5, 1.
    # Pearson of the ranks: sum of products 52.25 - 45 = 7.25 over sqrt(9.5 * 9.5).
    assert rank_correlation(pair) == pytest.approx(7.25 / 9.5)
    # Train mass 10+9+9+7+5+8+6 = 54, of which 8+6 missing.
    assert missing_mass(pair) == pytest.approx(14 / 54)
    # Generated mass 20+12+15+15+10+10+12+14 = 108, of which 10+12+14 novel.
    assert novel_mass(pair) == pytest.approx(36 / 108)
    p = [x / 54 for x in (10, 9, 9, 7, 5, 8, 6, 0, 0, 0)]
    q = [x / 108 for x in (20, 12, 15, 15, 10, 0, 0, 10, 12, 14)]
    by_hand = 0.0
    for a, b in zip(p, q, strict=True):
        by_hand += (a * math.log(2 * a / (a + b)) if a else 0) / 2
        by_hand += (b * math.log(2 * b / (a + b)) if b else 0) / 2
    assert jensen_shannon_divergence(pair) == pytest.approx(by_hand)
    # rho over train: 8 and 6 stand beside 0 and 0.
    expected = stats.spearmanr([10, 9, 9, 7, 5, 8, 6], [20, 12, 15, 15, 10, 0, 0]).statistic
    assert rank_correlation_over_train(pair) == pytest.approx(expected)


def test_exact_support_keeps_what_lies_below_the_threshold() -> None:
    pair = _pair("exact")
    # Train mass gains 4 + 2 of the generated-only patterns, generated mass 9 of the missing one.
    assert missing_mass(pair) == pytest.approx(14 / 60)
    assert novel_mass(pair) == pytest.approx(36 / 117)
    assert rank_correlation(pair) == rank_correlation(_pair())  # shared patterns are unaffected
    expected = stats.spearmanr([10, 9, 9, 7, 5, 8, 6], [20, 12, 15, 15, 10, 9, 0]).statistic
    assert rank_correlation_over_train(pair) == pytest.approx(expected)
    assert jensen_shannon_divergence(pair) == pytest.approx(
        jensenshannon(TRAIN / 60, OTHER / 117) ** 2
    )


counts = hnp.arrays(np.int64, st.integers(1, 40), elements=st.integers(0, 30))


SUPPORTS = st.sampled_from(["frequent", "exact"])


@st.composite
def pairs(draw: st.DrawFn) -> SupportPair:
    train = draw(counts)
    other = draw(hnp.arrays(np.int64, len(train), elements=st.integers(0, 30)))
    return support_pair(
        train, other, min_count_train=draw(st.integers(1, 9)),
        min_count_generated=draw(st.integers(1, 9)), support=draw(SUPPORTS),
    )  # fmt: skip


@given(pairs())
def test_scipy_agrees(pair: SupportPair) -> None:
    for ours, mask in (
        (rank_correlation(pair), pair.shared),
        (rank_correlation_over_train(pair), pair.in_train),
    ):
        x, y = pair.train[mask], pair.generated[mask]
        if len(x) < 2 or len(set(x)) == 1 or len(set(y)) == 1:
            assert isinstance(ours, Undefined)
        else:
            assert ours == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)
    jsd = jensen_shannon_divergence(pair)
    if pair.train.sum() == 0 or pair.generated.sum() == 0:
        assert isinstance(jsd, Undefined)
    else:
        oracle = jensenshannon(pair.train / pair.train.sum(), pair.generated / pair.generated.sum())
        # scipy's root of a rounding error is nan.
        assert jsd == pytest.approx(0 if math.isnan(oracle) else oracle**2, abs=1e-9)


@given(pairs(), st.randoms(use_true_random=False))
def test_the_order_of_patterns_does_not_matter(pair: SupportPair, random) -> None:
    order = list(range(len(pair.train)))
    random.shuffle(order)
    shuffled = SupportPair(
        pair.train[order], pair.generated[order], pair.in_train[order], pair.in_generated[order]
    )
    _assert_same(alignment_scores(pair), alignment_scores(shuffled))


@given(pairs(), st.integers(2, 5))
def test_a_set_repeated_is_the_same_set(pair: SupportPair, times: int) -> None:
    repeated = SupportPair(pair.train, pair.generated * times, pair.in_train, pair.in_generated)
    _assert_same(alignment_scores(pair), alignment_scores(repeated))


@given(pairs())
def test_sides_change_places(pair: SupportPair) -> None:
    turned = SupportPair(pair.generated, pair.train, pair.in_generated, pair.in_train)
    _assert_same(
        {"rho": rank_correlation(pair), "jsd": jensen_shannon_divergence(pair)},
        {"rho": rank_correlation(turned), "jsd": jensen_shannon_divergence(turned)},
    )
    for ours, theirs in ((missing_mass(pair), novel_mass(turned)),):
        assert isinstance(ours, Undefined) == isinstance(theirs, Undefined)
        if not isinstance(ours, Undefined):
            assert ours == theirs


@given(counts)
def test_a_set_equals_itself(train) -> None:
    scores = alignment_scores(support_pair(train, train, min_count_train=1, min_count_generated=1))
    for name, best in {
        "rho": 1.0,
        "rho_train": 1.0,
        "jsd": 0.0,
        "missing_mass": 0.0,
        "novel_mass": 0.0,
    }.items():
        if not isinstance(scores[name], Undefined):
            assert scores[name] == pytest.approx(best, abs=1e-12)


def test_disjoint_sets_are_ln_2_apart() -> None:
    pair = support_pair(
        np.array([5, 4, 0, 0]), np.array([0, 0, 3, 2]), min_count_train=1, min_count_generated=1
    )
    scores = alignment_scores(pair)
    assert scores["jsd"] == pytest.approx(math.log(2))
    assert scores["missing_mass"] == 1
    assert scores["novel_mass"] == 1
    assert scores["rho"] == Undefined("fewer than 2 shared patterns (0)")


def test_undefined_numbers_say_why() -> None:
    none = support_pair(
        np.array([5, 4]), np.array([0, 1]), min_count_train=1, min_count_generated=2
    )
    scores = alignment_scores(none)
    assert scores["jsd"] == Undefined("no pattern is frequent in the generated set")
    assert scores["novel_mass"] == Undefined("no pattern is frequent in the generated set")
    assert scores["missing_mass"] == 1
    flat = support_pair(
        np.array([5, 5, 5]), np.array([3, 2, 1]), min_count_train=1, min_count_generated=1
    )
    assert rank_correlation(flat) == Undefined(
        "all 3 shared patterns have the same support on one side"
    )
    nothing = support_pair(np.array([1]), np.array([1]), min_count_train=2, min_count_generated=2)
    assert missing_mass(nothing) == Undefined("no pattern is frequent in train")
    assert jensen_shannon_divergence(nothing) == Undefined("no pattern is frequent in train")
    assert spearman(np.array([1]), np.array([1])) == Undefined("fewer than 2 values (1)")


def test_patterns_that_are_frequent_nowhere_are_refused() -> None:
    no, yes = np.array([False]), np.array([True])
    with pytest.raises(InvalidInput, match="frequent in at least one"):
        SupportPair(np.array([1]), np.array([1]), no, no)
    with pytest.raises(InvalidInput, match="one shape"):
        SupportPair(np.array([1, 2]), np.array([1]), yes, yes)


def _assert_same(one, other) -> None:
    assert one.keys() == other.keys() <= ALIGNMENT_METRICS.keys()
    for name, value in one.items():
        if isinstance(value, Undefined):
            assert isinstance(other[name], Undefined)
        else:
            assert other[name] == pytest.approx(value, abs=1e-12)
