"""ROC-AUC against counting pairs and scipy, its interval against a bootstrap and coverage."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from graphassay.errors import InvalidInput
from graphassay.metrics.ranking import lower_is_better_auc, lower_is_better_spearman
from graphassay.results import Undefined

cases = st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=2, max_size=25).filter(
    lambda rows: len({good for _, good in rows}) == 2
)


@given(cases)
def test_equals_counting_pairs_and_mann_whitney(rows: list[tuple[int, bool]]) -> None:
    values = np.array([value for value, _ in rows], dtype=float)
    good = np.array([kind for _, kind in rows])
    pairs = [(g < b) + (g == b) / 2 for g in values[good] for b in values[~good]]
    auc = lower_is_better_auc(values, good)
    assert auc.value == pytest.approx(np.mean(pairs))
    u = stats.mannwhitneyu(values[~good], values[good]).statistic
    assert auc.value == pytest.approx(u / (good.sum() * (~good).sum()))
    assert auc.n == len(rows)


@given(cases)
def test_variance_is_delongs(rows: list[tuple[int, bool]]) -> None:
    """The structural components written out pair by pair (DeLong et al. 1988, section 3)."""
    values = np.array([value for value, _ in rows], dtype=float)
    good = np.array([kind for _, kind in rows])
    psi = np.array([[(g < b) + (g == b) / 2 for b in values[~good]] for g in values[good]])
    auc = lower_is_better_auc(values, good)
    m, n = psi.shape
    if min(m, n) < 2:
        assert isinstance(auc.low, Undefined)
        return
    variance = psi.mean(axis=1).var(ddof=1) / m + psi.mean(axis=0).var(ddof=1) / n
    if variance < 1e-12:
        assert isinstance(auc.low, Undefined)
        return
    half = 1.959963984540054 * np.sqrt(variance)
    assert auc.low == pytest.approx(max(0, auc.value - half))
    assert auc.high == pytest.approx(min(1, auc.value + half))


def test_interval_is_that_of_a_bootstrap() -> None:
    rng = np.random.default_rng(0)
    good = rng.random(400) < 0.6
    values = rng.normal(size=400) - good
    found = lower_is_better_auc(values, good)
    draws = []
    for _ in range(600):
        rows = rng.integers(0, 400, 400)
        draws.append(lower_is_better_auc(values[rows], good[rows]).value)
    low, high = np.quantile(draws, [0.025, 0.975])
    assert found.low == pytest.approx(low, abs=0.012)
    assert found.high == pytest.approx(high, abs=0.012)


def test_orientation_and_perfect_separation() -> None:
    good = np.array([True, True, False, False])
    best = lower_is_better_auc([1.0, 2.0, 3.0, 4.0], good)
    assert best.value == 1.0
    assert isinstance(best.low, Undefined)
    assert lower_is_better_auc([4.0, 3.0, 2.0, 1.0], good).value == 0.0
    assert lower_is_better_spearman([1.0, 2.0, 3.0, 4.0], good) > 0


def test_spearman_is_scipys() -> None:
    rng = np.random.default_rng(3)
    values, good = rng.integers(0, 9, 80).astype(float), rng.random(80) < 0.5
    expected = stats.spearmanr(-values, good).statistic
    assert lower_is_better_spearman(values, good) == pytest.approx(expected)


@pytest.mark.parametrize(("kind", "word"), [(True, "good"), (False, "bad")])
def test_all_of_one_kind_is_undefined(kind: bool, word: str) -> None:
    good = np.full(3, kind)
    for value in (
        lower_is_better_auc([1.0, 2.0, 3.0], good).value,
        lower_is_better_spearman([1.0, 2.0, 3.0], good),
    ):
        assert isinstance(value, Undefined)
        assert f"all 3 graphs are {word}" in value.reason


def test_undefined_values_leave_graphs_out() -> None:
    good = np.array([True, False, True, False, True])
    values = [1.0, 2.0, np.nan, 4.0, 3.0]
    assert lower_is_better_auc(values, good).n == 4
    assert lower_is_better_auc(values, good).value == 0.75
    assert isinstance(lower_is_better_auc([np.nan] * 5, good).value, Undefined)
    assert isinstance(lower_is_better_spearman([2.0] * 5, good), Undefined)


def test_bad_input() -> None:
    with pytest.raises(InvalidInput, match="booleans"):
        lower_is_better_auc([1.0, 2.0], [0, 1])
    with pytest.raises(InvalidInput, match="one value and one boolean"):
        lower_is_better_auc([1.0, 2.0, 3.0], [True, False])
