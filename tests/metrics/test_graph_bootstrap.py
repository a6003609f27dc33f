"""Intervals over graphs: coverage, degenerate cases, the same resamples for all numbers."""

import numpy as np
import pytest
from scipy import stats

from graphassay.metrics.graph_bootstrap import GraphBootstrap, mean_over_graphs
from graphassay.results import Undefined


def test_the_mean_has_the_interval_that_scipy_gives() -> None:
    values = np.random.default_rng(0).gamma(2.0, size=200)
    ours = mean_over_graphs(GraphBootstrap(200, 0, n_resamples=4000), values)
    peer = stats.bootstrap(
        (values,), np.mean, method="percentile", n_resamples=4000, rng=np.random.default_rng(1)
    ).confidence_interval
    assert ours.value == pytest.approx(values.mean())
    assert ours.low == pytest.approx(peer.low, abs=0.02)
    assert ours.high == pytest.approx(peer.high, abs=0.02)
    assert ours.n == 200


def test_a_ratio_of_sums_is_not_a_mean_of_ratios() -> None:
    found = mean_over_graphs(
        GraphBootstrap(3, 0), np.array([1.0, 1.0, 4.0]), np.array([1.0, 1.0, 2.0])
    )
    assert found.value == 1.5


def test_undefined_graphs_are_left_out_of_value_and_n() -> None:
    found = mean_over_graphs(GraphBootstrap(4, 0), np.array([1.0, np.nan, 3.0, np.nan]))
    assert (found.value, found.n) == (2.0, 2)
    nobody = mean_over_graphs(
        GraphBootstrap(2, 0), np.array([np.nan, np.nan]), undefined="no spread"
    )
    assert nobody.value == nobody.low == Undefined("no spread")


def test_one_graph_has_no_interval() -> None:
    found = mean_over_graphs(GraphBootstrap(1, 0), np.array([2.0]))
    assert found.value == 2.0
    assert isinstance(found.low, Undefined)


def test_blocks_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(0).random((50, 3))
    whole = GraphBootstrap(50, 7).sums(values)
    monkeypatch.setattr("graphassay.metrics.graph_bootstrap._BLOCK_CELLS", 1000)
    np.testing.assert_allclose(GraphBootstrap(50, 7).sums(values), whole)
