import numpy as np
import pytest

from graphassay.baselines.resampling import bootstrap_weights, sample_weights, subset_weights
from graphassay.errors import InvalidInput


def test_bootstrap_draws_are_multiplicities_with_the_right_mean() -> None:
    weights = bootstrap_weights(50, 200, 400, rng=np.random.default_rng(0))
    assert weights.shape == (400, 50)
    assert weights.dtype == np.int64
    assert (weights.sum(axis=1) == 200).all()
    # Each graph is expected 4 times per draw; its mean over 400 draws has sd 0.1.
    assert np.abs(weights.mean(axis=0) - 4).max() < 0.5
    assert abs(weights.var() - 200 * (1 / 50) * (49 / 50)) < 0.3


def test_subsets_hold_each_graph_at_most_once() -> None:
    weights = subset_weights(10, 7, 300, rng=np.random.default_rng(0))
    assert set(np.unique(weights)) == {0, 1}
    assert (weights.sum(axis=1) == 7).all()
    assert np.abs(weights.mean(axis=0) - 0.7).max() < 0.12


def test_samples_repeat_graphs_only_when_they_must() -> None:
    rng = np.random.default_rng(0)
    assert sample_weights(10, 5, 3, rng=rng).max() == 1
    assert sample_weights(10, 6, 30, rng=rng).max() > 1


def test_a_seed_fixes_the_draws() -> None:
    first, second = (bootstrap_weights(9, 9, 5, rng=np.random.default_rng([3, 1])) for _ in "ab")
    assert (first == second).all()


def test_impossible_draws_are_refused() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(InvalidInput, match="at most 3"):
        subset_weights(3, 4, 1, rng=rng)
    with pytest.raises(InvalidInput, match="n_graphs >= 1"):
        bootstrap_weights(0, 4, 1, rng=rng)
