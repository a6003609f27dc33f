import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from graphassay.metrics.alignment import SupportPair
from graphassay.metrics.strata import split_strata, stratum_scores, tail_coverage
from graphassay.results import Undefined


def _codes(rows) -> list[str]:
    return [f"{row:04d}" for row in rows.tolist()]


def test_hand_computed_split() -> None:
    train = np.array([3, 9, 5, 5, 5, 7, 4, 8, 6, 2, 1, 5])  # 12 patterns: 1, 10 and 1
    head, torso, tail = split_strata(train, _codes)
    assert head.tolist() == [1]
    assert torso.tolist() == [7, 5, 8, 2, 3, 4, 11, 6, 0, 9]
    assert tail.tolist() == [10]


def test_a_tie_across_a_cut_is_broken_by_code_not_by_order() -> None:
    train = np.full(20, 5)
    asked = []

    def codes(rows):
        asked.append(len(rows))
        return [f"{19 - row:04d}" for row in rows.tolist()]

    head, _, tail = split_strata(train, codes)
    assert head.tolist() == [19, 18]
    assert tail.tolist() == [1, 0]
    assert asked[0] == 20
    asked.clear()
    split_strata(np.arange(20), codes)
    assert asked == []  # no tie, no code


@given(st.lists(st.integers(1, 6), min_size=1, max_size=40), st.randoms(use_true_random=False))
def test_the_split_does_not_depend_on_the_order_of_patterns(supports, random) -> None:
    train = np.array(supports)
    names = [f"{i:03d}" for i in range(len(train))]
    parts = split_strata(train, lambda rows: [names[r] for r in rows])
    assert sorted(np.concatenate(parts).tolist()) == list(range(len(train)))
    size = max(1, len(train) // 10)
    assert len(parts[0]) == min(size, len(train))
    assert len(parts[2]) == min(size, len(train) - len(parts[0]))
    order = list(range(len(train)))
    random.shuffle(order)
    again = split_strata(train[order], lambda rows: [names[order[r]] for r in rows])
    for part, other in zip(parts, again, strict=True):
        assert {names[r] for r in part} == {names[order[r]] for r in other}


def test_hand_computed_scores() -> None:
    train, other = np.array([8, 6, 4, 2]), np.array([5, 6, 0, 0])
    scores = stratum_scores(train, other, other > 0)
    assert scores.coverage == 0.5
    assert scores.missing_mass == pytest.approx(6 / 20)
    assert scores.rho == -1
    assert scores.rho_train == pytest.approx(stats.spearmanr(train, other).statistic)
    assert 0 < scores.jsd < np.log(2)


def test_empty_and_lost_strata_are_undefined() -> None:
    nothing = np.zeros(0, dtype=np.int64)
    assert stratum_scores(nothing, nothing, nothing > 0).coverage == Undefined(
        "the stratum has no patterns"
    )
    lost = stratum_scores(np.array([3, 2]), np.array([0, 0]), np.array([False, False]))
    assert lost.coverage == 0
    assert lost.missing_mass == 1
    assert lost.jsd == Undefined("no pattern of the stratum is frequent in the generated set")
    empty = SupportPair(nothing, nothing, nothing > 0, nothing > 0)
    assert tail_coverage(empty) == Undefined("the stratum has no patterns")
