import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from graphassay.errors import InvalidInput
from graphassay.metrics.intervals import distinct_share, rate, resampled
from graphassay.results import Undefined


@given(st.integers(1, 300), st.data())
def test_wilson_is_scipys(n: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(0, n))
    ours = rate(k, n)
    theirs = stats.binomtest(k, n).proportion_ci(method="wilson")
    assert ours.value == k / n
    assert ours.low == pytest.approx(theirs.low, abs=1e-9)
    assert ours.high == pytest.approx(theirs.high, abs=1e-9)


def test_a_rate_needs_records() -> None:
    assert rate(0, 0).value == Undefined("no records")
    with pytest.raises(InvalidInput, match="0 <= n_hits <= n"):
        rate(3, 2)


def test_the_jackknife_closed_form_is_the_jackknife() -> None:
    drawn = np.array([0, 0, 1, 2, 3, 3, 3, 4, 5])
    n = len(drawn)
    left_out = [len(np.unique(np.delete(drawn, i))) for i in range(n)]
    variance = (n - 1) / n * np.sum((left_out - np.mean(left_out)) ** 2)
    estimate = distinct_share(6, 4, n, n)
    assert estimate.value == pytest.approx(6 / n)
    assert estimate.high - estimate.value == pytest.approx(
        1.959964 * np.sqrt(variance) / n, rel=1e-6
    )


def test_distinct_shares_without_data_are_undefined() -> None:
    assert distinct_share(0, 0, 0, 0).value == Undefined("no records")
    one = distinct_share(1, 1, 1, 5)
    assert one.value == 0.2
    assert isinstance(one.low, Undefined)


def test_the_interval_takes_the_resamples_spread_and_not_their_bias() -> None:
    # Resamples sit at 0.3 on average with a long right tail; the value is 0.2.
    resamples = [0.29] * 50 + [0.3] * 40 + [0.35] * 10
    estimate = resampled(0.2, resamples, n=100, bounds=(0, 1))
    mean = np.mean(resamples)
    assert estimate.low == pytest.approx(0.2 - (mean - 0.29))
    assert estimate.high == pytest.approx(0.2 + (0.35 - mean))


def test_the_interval_covers_the_expected_value_of_a_biased_statistic() -> None:
    # The statistic: squared mean of n normal draws, biased by 1/n, as a divergence is.
    rng = np.random.default_rng(0)
    n, mu, hits, trials = 50, 0.4, 0, 200
    for _ in range(trials):
        sample = rng.normal(mu, 1, n)
        value = float(sample.mean() ** 2)
        draws = [float(rng.choice(sample, n).mean() ** 2) for _ in range(200)]
        estimate = resampled(value, draws, n=n, bounds=(0, 10))
        hits += estimate.low <= mu**2 + 1 / n <= estimate.high
    assert 0.9 <= hits / trials <= 0.99


def test_another_source_of_error_widens_the_interval() -> None:
    draws = list(np.linspace(0.1, 0.3, 50))
    narrow = resampled(0.2, draws, n=1, bounds=(0, 1))
    wide = resampled(0.2, draws, n=1, bounds=(0, 1), extra_sd=0.05)
    assert wide.low < narrow.low
    assert wide.high > narrow.high


def test_intervals_keep_to_the_range_and_say_when_they_cannot_be() -> None:
    assert resampled(0.01, list(np.linspace(0, 1, 50)), n=1, bounds=(0, 1)).low == 0
    reason = Undefined("why")
    assert resampled(reason, [0.1] * 20, n=1, bounds=(0, 1)).low == reason
    few = resampled(0.5, [0.5] * 18 + [reason] * 2, n=1, bounds=(0, 1))
    assert few.low == Undefined("only 18 of 20 resamples are defined")
    assert few.value == 0.5
