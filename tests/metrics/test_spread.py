"""Spread over seeds and the variance decomposition: by hand and by scipy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from graphassay.metrics.spread import seed_spread, student_mean, variance_share
from graphassay.results import Undefined

NONE = Undefined("no pattern")


def test_eta_squared_by_hand() -> None:
    # Means of the rows 2, 5, 11, so their variance is (16 + 1 + 25) / 3 = 14; inside the rows the
    # variances are 1, 4, 1, on average 2.
    share = variance_share([[1.0, 3.0], [3.0, 7.0], [10.0, 12.0]])
    assert share.checkpoint_variance == pytest.approx(14)
    assert share.decoding_variance == pytest.approx(2)
    assert share.eta_squared == pytest.approx(14 / 16)
    assert (share.n_checkpoints, share.n_decodings) == (3, 2)


@pytest.mark.parametrize("seed", range(5))
def test_it_is_the_one_way_analysis_of_variance(seed: int) -> None:
    grid = np.random.default_rng(seed).normal(size=(7, 6)) + np.arange(7)[:, None] / 3
    share = variance_share(grid.tolist())
    f = stats.f_oneway(*grid).statistic
    between, within = 6, 7 * 5  # degrees of freedom
    assert share.eta_squared == pytest.approx(f * between / (f * between + within))
    assert share.checkpoint_variance + share.decoding_variance == pytest.approx(grid.var())


@given(
    st.lists(st.lists(st.floats(-5, 5), min_size=3, max_size=3), min_size=2, max_size=6),
    st.floats(0.5, 3),
)
def test_a_share_is_one_of_scale_and_order(grid: list[list[float]], scale: float) -> None:
    share = variance_share(grid)
    if isinstance(share.eta_squared, Undefined):
        return
    assert 0 <= share.eta_squared <= 1
    turned = [[scale * value for value in reversed(row)] for row in reversed(grid)]
    assert variance_share(turned).eta_squared == pytest.approx(share.eta_squared, abs=1e-6)


def test_one_factor_alone() -> None:
    assert variance_share([[1.0, 1.0], [2.0, 2.0]]).eta_squared == 1
    assert variance_share([[1.0, 2.0], [1.0, 2.0]]).eta_squared == 0


def test_what_cannot_be_told() -> None:
    one = variance_share([[1.0, 2.0, 3.0]])
    assert "at least 2 checkpoints, got 1 of 1" in one.checkpoint_variance.reason
    assert one.decoding_variance == pytest.approx(2 / 3)
    assert one.eta_squared == one.checkpoint_variance
    single = variance_share([[1.0], [2.0]])
    assert single.eta_squared == Undefined("needs at least 2 decodings, got 1")
    constant = variance_share([[0.1, 0.1, 0.1]] * 3)
    assert "the same at every checkpoint" in constant.eta_squared.reason
    assert isinstance(variance_share([[NONE, NONE], [NONE, NONE]]).decoding_variance, Undefined)
    assert isinstance(variance_share([]).eta_squared, Undefined)


def test_a_checkpoint_with_an_undefined_value_is_left_out() -> None:
    share = variance_share([[NONE, 1.0], [1.0, 3.0], [5.0, 7.0]])
    assert share.n_checkpoints == 2
    assert share.eta_squared == 0.8
    share = variance_share([[NONE, 1.0], [1.0, 3.0]])
    assert share.eta_squared.reason == (
        "needs at least 2 checkpoints, got 1 of 2 (1 with an undefined value)"
    )


@pytest.mark.parametrize("n", [2, 3, 5])
def test_the_interval_is_students(n: int) -> None:
    values = np.random.default_rng(n).normal(0.9, 0.05, n).tolist()
    spread = seed_spread(values)
    expected = stats.t.interval(0.95, n - 1, loc=np.mean(values), scale=stats.sem(values))
    assert (spread.mean.low, spread.mean.high) == pytest.approx(expected)
    assert spread.mean.value == pytest.approx(np.mean(values))
    assert spread.sd == pytest.approx(np.std(values, ddof=1))
    assert spread.mean == student_mean(values)
    assert spread.values == tuple(values)


def test_two_seeds_have_the_studys_factor() -> None:
    # M, appendix O: t(1) = 12.7
    estimate = student_mean([0.0, 2.0])
    assert estimate.high - estimate.value == pytest.approx(12.706, abs=1e-3)


def test_the_interval_of_a_share_is_one_of_shares() -> None:
    estimate = seed_spread([0.99, 1.0], bounds=(0, 1)).mean
    assert estimate.high == 1
    assert estimate.low == student_mean([0.99, 1.0]).low > 0.9


def test_one_seed_has_no_spread() -> None:
    spread = seed_spread([0.5])
    assert spread.mean.value == 0.5
    assert isinstance(spread.mean.low, Undefined)
    assert "at least 2" in spread.sd.reason
    mixed = seed_spread([0.5, NONE, 0.7])
    assert mixed.mean.value == pytest.approx(0.6)
    assert mixed.mean.n == 2
    assert seed_spread([NONE]).mean.value == NONE
