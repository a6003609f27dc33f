from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphassay.baselines.rewiring import rewire
from graphassay.errors import InvalidInput
from graphassay.graph import Graph, GraphSet
from strategies import graph_sets


def _signature(graph: Graph) -> list[tuple[str, Counter[str]]]:
    """Label and number of edges of each label, vertex by vertex."""
    degrees: list[Counter[str]] = [Counter() for _ in graph.vertex_labels]
    for u, v, label in graph.edges:
        degrees[u][label] += 1
        degrees[v][label] += 1
    return list(zip(graph.vertex_labels, degrees, strict=True))


@given(graphs=graph_sets(), seed=st.integers(0, 2**64))
def test_labels_and_degrees_by_edge_label_survive(graphs: GraphSet, seed: int) -> None:
    rewired = rewire(graphs, seed=seed)  # GraphSet checks that the result is simple
    assert [_signature(g) for g in rewired] == [_signature(g) for g in graphs]


@given(graphs=graph_sets(), seed=st.integers(0, 1000))
def test_a_graph_depends_on_its_place_alone(graphs: GraphSet, seed: int) -> None:
    assert list(rewire(graphs, seed=seed)) == list(rewire(graphs, seed=seed))
    assert list(rewire(graphs, seed=seed))[:1] == list(rewire(graphs[:1], seed=seed))


def test_swaps_reach_every_graph_with_the_same_degrees_evenly() -> None:
    # Degrees (1, 1, 1, 1): the three perfect matchings of four vertices.
    matching = Graph("****", [(0, 1, "-"), (2, 3, "-")])
    found = Counter(
        g.edges for g in rewire(GraphSet.from_graphs([matching] * 3000), seed=5, swaps_per_edge=20)
    )
    assert len(found) == 3
    assert min(found.values()) > 900


def test_structure_is_lost() -> None:
    # 20 triangles: after rewiring hardly any triangle is left.
    triangles = Graph(
        "*" * 60,
        [(3 * i + a, 3 * i + b, "-") for i in range(20) for a, b in ((0, 1), (1, 2), (0, 2))],
    )
    rewired = rewire(GraphSet.from_graphs([triangles] * 5), seed=0)
    for graph in rewired:
        adjacency = np.zeros((60, 60), dtype=int)
        for u, v, _ in graph.edges:
            adjacency[u, v] = adjacency[v, u] = 1
        assert np.trace(np.linalg.matrix_power(adjacency, 3)) // 6 < 5


def test_nothing_to_swap_leaves_the_graph() -> None:
    star = Graph("ABCD", [(0, 1, "-"), (0, 2, "-"), (0, 3, "-")])
    alone = Graph("A", [])
    two_labels = Graph("AABB", [(0, 1, "-"), (2, 3, "=")])
    graphs = GraphSet.from_graphs([star, alone, two_labels])
    assert list(rewire(graphs, seed=3)) == list(graphs)


def test_a_negative_seed_is_refused() -> None:
    with pytest.raises(InvalidInput, match="seed >= 0"):
        rewire(GraphSet.from_graphs([Graph("A")]), seed=-1)
