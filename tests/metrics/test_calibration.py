import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from graphassay.metrics.calibration import (
    delta,
    mean_value,
    percentile_rank,
    summarize,
    z_score,
)
from graphassay.results import Undefined

NO = Undefined("why")
draws = st.lists(st.integers(-20, 20).map(float), min_size=2, max_size=30)


@given(st.integers(-20, 20).map(float), draws)
def test_scipy_and_numpy_agree(value: float, values: list[float]) -> None:
    assert percentile_rank(value, values) == pytest.approx(
        stats.percentileofscore(values, value, kind="mean")
    )
    assert delta(value, values) == pytest.approx(value - np.median(values))
    z = z_score(value, values)
    if len(set(values)) == 1:
        assert z == Undefined("the draws of the reference do not vary")
    else:
        assert z == pytest.approx((value - np.mean(values)) / np.std(values, ddof=1))


def test_hand_computed_case() -> None:
    summary = summarize([1.0, 2.0, 3.0, NO, 6.0])
    assert (summary.median, summary.mean) == (2.5, 3.0)
    assert summary.sd == pytest.approx(np.sqrt(14 / 3))
    assert summary.low == pytest.approx(1.075)
    assert summary.high == pytest.approx(5.775)
    assert summary.values[3] == NO
    assert percentile_rank(3.0, [1.0, 2.0, 3.0, NO, 6.0]) == 62.5
    assert delta(3.0, [1.0, 2.0, 3.0, NO, 6.0]) == 0.5


def test_nothing_defined_stays_undefined() -> None:
    assert summarize([NO, NO]).median == NO
    assert summarize([]).mean == Undefined("no draws")
    assert summarize([1.0]).sd == Undefined("only one draw")
    for function in (percentile_rank, z_score, delta):
        assert function(NO, [1.0, 2.0]) == NO
        assert isinstance(function(1.0, [NO]), Undefined)
    assert z_score(1.0, [2.0]) == Undefined("needs at least 2 defined draws, got 1")
    assert z_score(1.0, [0.1 + 0.2, 0.3]) == Undefined("the draws of the reference do not vary")
    assert mean_value([1.0, NO, 3.0]) == 2.0
    assert mean_value([NO]) == NO
