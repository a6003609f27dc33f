"""Spread and bounds over K likelihoods: by hand, and against sums over all linearizations."""

import math

import numpy as np
import pytest
from hypothesis import given, settings

from graphassay.automorphisms import log_automorphisms
from graphassay.errors import InvalidInput
from graphassay.graph import Graph, GraphSet
from graphassay.linearize import linearizer_from_data
from graphassay.metrics.uncertainty import (
    has_one_linearization,
    importance_bounds,
    linearization_uncertainty,
    log_mean_exp,
)
from oracles.linearizations import all_sent
from strategies import graphs as any_graph

STRATEGIES = {
    "random": ("any", "any"),
    "min-degree": ("min", "min"),
    "max-degree": ("max", "max"),
    "anchor": ("max", "min"),
}


def test_uncertainty_by_hand() -> None:
    assert linearization_uncertainty([[1.0, 2.0, 3.0, 2.0]])[0] == pytest.approx(math.sqrt(0.5) / 2)
    single = np.array([True, False])
    found = linearization_uncertainty([[3.0, 3.0], [3.0, 3.0]], single=single)
    assert np.isnan(found[0])
    assert found[1] == 0.0


@pytest.mark.parametrize("nll", [[[1.0], [2.0]], [1.0, 2.0]])
def test_fewer_than_two_permutations_are_refused(nll: list) -> None:
    with pytest.raises(InvalidInput, match="at least 2, for a spread, got 1"):
        linearization_uncertainty(nll)
    with pytest.raises(InvalidInput, match="at least 2, for a spread, got 1"):
        importance_bounds(nll, nll)


def test_log_mean_exp_does_not_overflow() -> None:
    assert log_mean_exp([-1000.0, -1000.0]) == pytest.approx(-1000)
    assert log_mean_exp([1000.0, 1000.0 + math.log(3)]) == pytest.approx(1000 + math.log(2))
    assert log_mean_exp([-math.inf, -math.inf]) == -math.inf


def _draws(graph: Graph, strategy: str, k: int):
    graphs = GraphSet.from_graphs([graph])
    linearizer = linearizer_from_data(f"sent:{strategy}", graphs)
    batches = [linearizer.batch(graphs, seed=0, epoch=e, threads=1) for e in range(k)]
    words = [linearizer.vocabulary.text(batch[0][1:-1]) for batch in batches]
    log_q = np.array([batch.log_q[0] for batch in batches]) + log_automorphisms(graphs)[0]
    return words, log_q


@pytest.mark.parametrize("strategy", STRATEGIES)
@settings(max_examples=25, deadline=None)
@given(any_graph(max_vertices=5, vertex_labels="AB", edge_labels="x"))
def test_q_is_the_probability_of_the_sequence(strategy: str, graph: Graph) -> None:
    exact = all_sent(graph, *STRATEGIES[strategy])
    words, log_q = _draws(graph, strategy, 6)
    np.testing.assert_allclose(np.exp(log_q), [exact[w] for w in words])
    assert bool(has_one_linearization(log_q[None])[0]) == (len(exact) == 1)


GRAPHS = {
    "star": Graph("CHHHO", [(0, 1, "-"), (0, 2, "-"), (0, 3, "-"), (0, 4, "-")]),
    "ring with a tail": Graph("CCCO", [(0, 1, "-"), (1, 2, "-"), (0, 2, "="), (2, 3, "-")]),
    "two parts": Graph("CCO", [(0, 1, "-")]),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_the_weights_average_to_the_exact_sum(name: str) -> None:
    """A model that gives each sequence its own probability; p(G) is their sum, term by term."""
    exact = all_sent(GRAPHS[name], "any", "any")
    model = {w: 0.01 + (hash_of(w) % 97) / 1000 for w in exact}
    log_p_graph = math.log(sum(model.values()))
    words, log_q = _draws(GRAPHS[name], "random", 4000)
    log_p = np.log([model[w] for w in words])
    k = 8
    bounds = importance_bounds(log_p.reshape(-1, k), log_q.reshape(-1, k))
    # Unbiased before the logarithm ...
    weights = np.exp(log_p - log_q)
    error = weights.std() / math.sqrt(len(weights))
    assert abs(weights.mean() - math.exp(log_p_graph)) < 4 * error
    # ... hence below log p(G) after it, closer with more draws, and above what leaves q out.
    noise = 3 * bounds.importance.std() / math.sqrt(len(bounds.importance))
    assert bounds.importance.mean() < log_p_graph + noise
    fewer = importance_bounds(log_p.reshape(-1, 2), log_q.reshape(-1, 2))
    more = importance_bounds(log_p.reshape(-1, 80), log_q.reshape(-1, 80))
    gaps = [log_p_graph - found.importance.mean() for found in (fewer, bounds, more)]
    assert gaps[0] > gaps[1] > gaps[2]
    assert gaps[2] == pytest.approx(0, abs=0.02)
    assert (bounds.plain <= bounds.importance + 1e-12).all()
    assert (bounds.mean_log_p <= bounds.plain + 1e-12).all()
    # The stated variance is that of the estimator over repetitions.
    assert bounds.variance.mean() == pytest.approx(bounds.importance.var(), rel=0.25)


def hash_of(text: str) -> int:
    return sum(ord(c) * (i + 1) for i, c in enumerate(text))


def test_a_model_that_is_the_linearizer_makes_the_bound_exact() -> None:
    _, log_q = _draws(GRAPHS["star"], "random", 16)
    found = importance_bounds(log_q[None], log_q[None])
    assert found.importance[0] == pytest.approx(0)  # p(G) = 1: every sequence is this graph
    assert found.variance[0] == pytest.approx(0, abs=1e-12)


def test_shapes_must_agree() -> None:
    with pytest.raises(InvalidInput, match="one shape"):
        importance_bounds([[1.0, 2.0]], [[1.0, 2.0, 3.0]])
