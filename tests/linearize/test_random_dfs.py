"""Random DFS codes: every one that there is, with its probability, and what tuples cannot say."""

import dataclasses
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings

from graphassay.automorphisms import log_automorphisms
from graphassay.canonical import class_ids, dfs_code
from graphassay.errors import InvalidInput
from graphassay.graph import Graph, GraphSet
from graphassay.linearize import Linearizer, TokenType, linearizer_from_data
from graphassay.lm.score import with_strategy
from oracles.linearizations import all_dfs, read_dfs_factored
from strategies import graph_sets
from strategies import graphs as any_graph


def _factored(graphs: GraphSet) -> Linearizer:
    return dataclasses.replace(
        linearizer_from_data("dfs:factored", graphs), name="dfs:factored-random"
    )


def _as_tuples(linearizer: Linearizer, tokens: np.ndarray) -> str:
    """A factored body as tuples: five words each, or two for a single vertex."""
    parts = []
    for component in linearizer.vocabulary.text(tokens[1:-1]).split(" NEXT "):
        words = [word.removeprefix("v:").removeprefix("e:") for word in component.split()]
        step = 5 if len(words) >= 5 else 2
        parts.append(
            " ".join(f"({','.join(words[i : i + step])})" for i in range(0, len(words), step))
        )
    return " NEXT ".join(parts)


@settings(max_examples=40, deadline=None)
@given(graph_sets(max_size=3))
def test_lossless(graphs: GraphSet) -> None:
    linearizer = _factored(graphs)
    batch = linearizer.batch(graphs, seed=3, threads=1)
    decoded = linearizer.decode_batch(batch)
    assert not decoded.failed
    np.testing.assert_array_equal(class_ids(decoded.graphs), class_ids(graphs))
    for row in range(len(batch)):
        words = linearizer.vocabulary.text(batch[row][1:-1]).split()
        assert read_dfs_factored(words) == decoded.graphs[row]


@settings(max_examples=30, deadline=None)
@given(any_graph(max_vertices=5, vertex_labels="AB", edge_labels="xy"))
def test_q_is_the_probability_of_the_code(graph: Graph) -> None:
    graphs = GraphSet.from_graphs([graph])
    linearizer = _factored(graphs)
    exact = all_dfs(graph)
    assert sum(exact.values()) == pytest.approx(1)
    log_aut = log_automorphisms(graphs)[0]
    for epoch in range(8):
        batch = linearizer.batch(graphs, seed=1, epoch=epoch, threads=1)
        text = _as_tuples(linearizer, batch[0])
        assert math.exp(batch.log_q[0] + log_aut) == pytest.approx(exact[text])


def test_all_codes_come_with_their_frequency() -> None:
    graph = Graph("ABAB", [(0, 1, "x"), (1, 2, "x"), (2, 3, "y"), (0, 2, "x")])
    graphs = GraphSet.from_graphs([graph] * 4000)
    linearizer = _factored(graphs)
    batch = linearizer.batch(graphs, seed=0)
    seen = Counter(_as_tuples(linearizer, batch[row]) for row in range(len(batch)))
    exact = all_dfs(graph)
    assert set(seen) == set(exact)
    for code, p in exact.items():
        assert abs(seen[code] - 4000 * p) < 5 * math.sqrt(4000 * p * (1 - p))


def test_the_minimum_code_is_one_of_them() -> None:
    graph = Graph("CCCO", [(0, 1, "-"), (1, 2, "-"), (0, 2, "="), (2, 3, "-")])
    least = " ".join(f"({i},{j},{a},{b},{x})" for i, j, a, b, x in dfs_code(graph))
    assert least in all_dfs(graph)


def test_rows_do_not_depend_on_each_other_or_on_threads() -> None:
    rng = np.random.default_rng(0)
    graphs = GraphSet.from_graphs(
        [Graph("A" * 6, [(i, int(rng.integers(i)), "x") for i in range(1, 6)]) for _ in range(1500)]
    )
    linearizer = _factored(graphs)
    one = linearizer.batch(graphs, seed=5, threads=1)
    several = linearizer.batch(graphs, seed=5, threads=3)
    np.testing.assert_array_equal(one.tokens, several.tokens)
    np.testing.assert_array_equal(one.log_q, several.log_q)
    few = linearizer.batch(graphs, [700, 3], seed=5)
    np.testing.assert_array_equal(few[0], one[700])
    np.testing.assert_array_equal(few[1], one[3])
    other = linearizer.batch(graphs, seed=5, epoch=1)
    assert any(list(other[i]) != list(one[i]) for i in range(20))


def test_tuples_that_the_vocabulary_lacks_are_refusals() -> None:
    graphs = GraphSet.from_graphs([Graph("AB", [(0, 1, "x")]), Graph("AA", [(0, 1, "x")])])
    tuples = with_strategy(linearizer_from_data("dfs", graphs), "random")
    assert tuples.name == "dfs:random"
    assert tuples.is_random
    skipped, kept = 0, 0
    for epoch in range(40):
        batch = tuples.batch(graphs, seed=0, epoch=epoch, on_refusal="skip")
        assert 1 not in batch.skipped  # (0,1,A,A,x) either way round
        if 0 in batch.skipped:
            assert "DFS tuple (0,1,B,A,x) is not in the vocabulary" in batch.skipped[0]
            skipped += 1
        else:
            kept += 1
    assert skipped > 8
    assert kept > 8


def test_token_types_of_random_codes() -> None:
    graphs = GraphSet.from_graphs([Graph("AAA", [(0, 1, "x"), (1, 2, "x"), (0, 2, "x")])])
    linearizer = _factored(graphs)
    types = linearizer.token_types(linearizer.batch(graphs, seed=0)[0])
    assert Counter(types.tolist())[TokenType.NEW_NODE] == 3


def test_they_are_for_evaluation_only() -> None:
    graphs = GraphSet.from_graphs([Graph("AB", [(0, 1, "x")])])
    with pytest.raises(InvalidInput, match="unknown linearization 'dfs:random'"):
        linearizer_from_data("dfs:random", graphs)
    with pytest.raises(InvalidInput, match="expected a seed"):
        _factored(graphs).batch(graphs)
