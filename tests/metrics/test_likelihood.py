"""Hits against misses: scipy and simulation decide."""

import numpy as np
import pytest
from scipy import stats

from graphassay.metrics.likelihood import MAX_SHOWN, hit_miss, mann_whitney, separation
from graphassay.results import Undefined


def groups(seed: int, n_hits: int = 30, n_misses: int = 20, ties: bool = False):
    rng = np.random.default_rng(seed)
    hits, misses = rng.normal(2.0, 0.5, n_hits), rng.normal(2.3, 0.7, n_misses)
    return (hits.round(1), misses.round(1)) if ties else (hits, misses)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_u_and_p_are_scipys(seed: int, ties: bool) -> None:
    for sizes in ((30, 20), (5, 6), (169, 19)):
        hits, misses = groups(seed, *sizes, ties=ties)
        expected = stats.mannwhitneyu(hits, misses, alternative="two-sided")
        assert mann_whitney(hits, misses) == (expected.statistic, expected.pvalue)


@pytest.mark.parametrize("ties", [False, True])
def test_u_and_auc_count_pairs(ties: bool) -> None:
    hits, misses = groups(7, ties=ties)
    difference = hits[:, None] - misses[None, :]
    u, _ = mann_whitney(hits, misses)
    assert u == (difference > 0).sum() + (difference == 0).sum() / 2
    expected = (difference < 0).mean() + (difference == 0).mean() / 2
    found = separation(hits, misses)
    assert found.value == pytest.approx(expected)
    assert found.n == 50
    assert found.low < found.value < found.high
    mirrored = separation(misses, hits)
    assert mirrored.value == pytest.approx(1 - expected)
    assert mirrored.low == pytest.approx(1 - found.high)


def test_a_perfect_separation_still_has_an_interval() -> None:
    low, high = np.arange(20.0), np.arange(30.0, 50.0)
    best, worst = separation(low, high), separation(high, low)
    assert (best.value, best.high) == (1.0, 1.0)
    assert 0.8 < best.low < 1
    assert (worst.value, worst.low) == (0.0, 0.0)
    assert worst.high == pytest.approx(1 - best.low)


@pytest.mark.parametrize("shift", [0.0, 0.8, 2.0])
def test_the_interval_covers(shift: float) -> None:
    rng = np.random.default_rng(1)
    truth = stats.norm.cdf(shift / np.sqrt(2))
    covered = [
        found.low <= truth <= found.high
        for found in (
            separation(rng.normal(0, 1, 40), rng.normal(shift, 1, 15)) for _ in range(400)
        )
    ]
    assert np.mean(covered) > 0.93


def test_the_report_of_both_groups() -> None:
    hits, misses = groups(3, 2500, 40)
    found = hit_miss(hits, misses)
    assert (found.n_hits, found.n_misses) == (2500, 40)
    assert found.hit_mean.value == pytest.approx(hits.mean())
    interval = stats.t.interval(0.95, 39, misses.mean(), stats.sem(misses))
    assert (found.miss_mean.low, found.miss_mean.high) == pytest.approx(interval)
    assert (found.u, found.p) == mann_whitney(hits, misses)
    assert len(found.hit_nll) == MAX_SHOWN
    assert (found.hit_nll[0], found.hit_nll[-1]) == (hits.min(), hits.max())
    assert np.median(found.hit_nll) == pytest.approx(np.median(hits), abs=0.01)
    assert found.miss_nll == tuple(sorted(misses))


def test_without_a_group_there_is_nothing_to_compare() -> None:
    some, none = np.ones(3), np.empty(0)
    assert hit_miss(none, some) == Undefined("no training graph was reproduced")
    assert hit_miss(some, none) == Undefined("every training graph was reproduced")
    assert isinstance(separation(none, some).value, Undefined)
    assert isinstance(mann_whitney(some, none)[1], Undefined)


def test_equal_likelihoods_have_no_p() -> None:
    u, p = mann_whitney(np.ones(4), np.ones(3))
    assert u == 6
    assert p == Undefined("all likelihoods are equal")
    assert separation(np.ones(4), np.ones(3)).value == 0.5
