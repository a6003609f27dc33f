"""Numbers of automorphisms: by trying every permutation, and against nauty."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings

from graphassay.automorphisms import log_automorphisms
from graphassay.canonical import class_ids
from graphassay.errors import BudgetExceeded
from graphassay.graph import Graph, GraphSet
from strategies import graph_sets


def _by_permutations(graph: Graph) -> int:
    edges = {(u, v): x for u, v, x in graph.edges} | {(v, u): x for u, v, x in graph.edges}
    return sum(
        all(graph.vertex_labels[p[v]] == graph.vertex_labels[v] for v in range(graph.n_vertices))
        and all(edges.get((p[u], p[v])) == x for (u, v), x in edges.items())
        for p in itertools.permutations(range(graph.n_vertices))
    )


@settings(max_examples=60, deadline=None)
@given(graph_sets(max_size=5, max_vertices=6, vertex_labels="AB", edge_labels="xy"))
def test_every_permutation_tried(graphs: GraphSet) -> None:
    found = np.exp(log_automorphisms(graphs, threads=1))
    np.testing.assert_allclose(found, [_by_permutations(graph) for graph in graphs])


def _complete(n: int) -> Graph:
    return Graph("A" * n, [(u, v, "x") for u in range(n) for v in range(u + 1, n)])


def _petersen() -> Graph:
    outer = [(i, (i + 1) % 5, "x") for i in range(5)]
    inner = [(5 + i, 5 + (i + 2) % 5, "x") for i in range(5)]
    return Graph("A" * 10, outer + inner + [(i, i + 5, "x") for i in range(5)])


@pytest.mark.parametrize(
    ("graph", "expected"),
    [
        (Graph("", []), 1),
        (Graph("AAAA", []), 24),
        (_complete(7), math.factorial(7)),
        (_petersen(), 120),
        # Colour refinement cannot tell two triangles from a hexagon; the orbits can.
        (Graph("A" * 6, [(i, 3 * (i // 3) + (i + 1) % 3, "x") for i in range(6)]), 72),
        (Graph("A" * 6, [(i, (i + 1) % 6, "x") for i in range(6)]), 12),
    ],
)  # fmt: skip
def test_known_groups(graph: Graph, expected: int) -> None:
    together = GraphSet.from_graphs([graph, _complete(3), graph])
    assert np.exp(log_automorphisms(together)) == pytest.approx([expected, 6, expected])


def test_a_graph_too_costly_to_count_leaves_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    graphs = GraphSet.from_graphs([_complete(3), _petersen(), Graph("AB", []), _complete(4)])

    def in_small_steps(found: GraphSet, *, threads: int | None) -> np.ndarray:
        return class_ids(found, threads=threads, max_work=60)

    monkeypatch.setattr("graphassay.automorphisms.class_ids", in_small_steps)
    with pytest.raises(BudgetExceeded):
        log_automorphisms(graphs)
    found = np.exp(log_automorphisms(graphs, on_budget="nan"))
    np.testing.assert_allclose(found, [6, np.nan, 1, 24])


def test_against_nauty() -> None:
    pynauty = pytest.importorskip("pynauty")
    rng = np.random.default_rng(0)
    graphs, expected = [], []
    for _ in range(60):
        n = int(rng.integers(5, 16))
        edges = [(u, v) for u in range(n) for v in range(u + 1, n) if rng.random() < 2 / n]
        labels = rng.choice(["A", "B"], n, p=[0.8, 0.2])
        graphs.append(Graph(map(str, labels), [(u, v, "x") for u, v in edges]))
        peer = pynauty.Graph(
            n,
            adjacency_dict={u: [v for w, v in edges if w == u] for u in range(n)},
            vertex_coloring=[
                c for k in "AB" if (c := {int(i) for i in np.flatnonzero(labels == k)})
            ],
        )
        _, mantissa, exponent, *_ = pynauty.autgrp(peer)
        expected.append(math.log(mantissa) + exponent * math.log(10))
    found = log_automorphisms(GraphSet.from_graphs(graphs))
    np.testing.assert_allclose(found, expected, atol=1e-9)
