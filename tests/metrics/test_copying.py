import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from graphassay.errors import InvalidInput
from graphassay.metrics.copying import TrainClasses, copy_rates, expected_repeats
from graphassay.results import Undefined

classes = hnp.arrays(np.int64, st.integers(0, 30), elements=st.integers(0, 12))


def test_hand_computed_case() -> None:
    train = TrainClasses.of(np.array([0, 0, 1, 2, 3]))
    rates = copy_rates(train, np.array([0, 0, 2, 9, 9, 7, 5]), n_failed=3)
    assert (rates.n_records, rates.n_memorized, rates.n_classes) == (10, 3, 5)
    assert (rates.n_train, rates.n_train_classes, rates.n_train_reproduced) == (5, 4, 2)
    assert rates.exact_match.value == 0.3  # failures stay in the denominator
    assert rates.novelty.value == 0.7
    assert rates.unique.value == 0.5
    assert rates.failed.value == 0.3
    assert rates.recall.value == 0.5
    assert expected_repeats(train).value == 0.4


@given(classes, classes)
def test_sets_agree_with_python(train, generated) -> None:
    rates = copy_rates(TrainClasses.of(train), generated, n_failed=2)
    known, made = set(train.tolist()), generated.tolist()
    assert rates.n_memorized == sum(c in known for c in made)
    assert rates.n_classes == len(set(made))
    assert rates.n_train_reproduced == len(set(made) & known)
    assert rates.exact_match.value + rates.novelty.value == pytest.approx(1)


@given(classes.filter(len), classes.filter(len), st.integers(2, 4))
def test_repeating_a_set_changes_no_exact_match_rate(train, generated, times: int) -> None:
    known = TrainClasses.of(train)
    once, often = copy_rates(known, generated), copy_rates(known, np.tile(generated, times))
    assert often.exact_match.value == pytest.approx(once.exact_match.value)
    assert often.recall.value == once.recall.value
    assert often.unique.value == pytest.approx(once.unique.value / times)


def test_good_turing_predicts_how_often_fresh_draws_repeat_train() -> None:
    rng = np.random.default_rng(0)
    p = 1 / np.arange(1, 401)
    p /= p.sum()
    train = TrainClasses.of(rng.choice(400, 500, p=p))
    fresh = rng.choice(400, 20_000, p=p)
    estimate = expected_repeats(train)
    assert estimate.low - 0.02 < train.contains(fresh).mean() < estimate.high + 0.02


def test_nothing_generated_is_undefined() -> None:
    rates = copy_rates(TrainClasses.of(np.array([0])), np.zeros(0, dtype=np.int64))
    assert rates.exact_match.value == Undefined("no records")
    assert rates.recall.value == 0
    only_failures = copy_rates(
        TrainClasses.of(np.array([0])), np.zeros(0, dtype=np.int64), n_failed=4
    )
    assert only_failures.exact_match.value == 0
    assert only_failures.failed.value == 1
    empty = TrainClasses.of(np.zeros(0, dtype=np.int64))
    assert expected_repeats(empty).value == Undefined("no records")
    with pytest.raises(InvalidInput, match="n_failed >= 0"):
        copy_rates(empty, np.zeros(0, dtype=np.int64), n_failed=-1)
