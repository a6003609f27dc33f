import networkx as nx
import numpy as np
import pytest
from hypothesis import given

from graphassay.datasets.random_graphs import erdos_renyi, planar
from graphassay.graph import NO_LABEL, Graph, GraphSet, concat
from graphassay.interop import from_networkx, to_networkx
from graphassay.metrics.planarity import connected_planar, planar_validity
from graphassay.results import Undefined
from strategies import graph_sets


def test_delaunay_triangulations_are_planar_and_dense_graphs_are_not() -> None:
    rng = np.random.default_rng(0)
    good = planar(20, rng=rng)
    bad = erdos_renyi(12, n_vertices=(20, 30), probability=0.4, rng=rng)
    assert planar_validity(good).value == 1
    assert planar_validity(bad).value == 0
    estimate = planar_validity(concat([good, bad]), n_failed=8)
    assert estimate.value == 0.5
    assert estimate.n == 40
    assert 0.3 < estimate.low < 0.5 < estimate.high < 0.7


@pytest.mark.parametrize(
    ("graph", "valid"),
    [
        (nx.complete_graph(4), True),
        (nx.complete_graph(5), False),
        (nx.complete_bipartite_graph(3, 3), False),
        (nx.complete_bipartite_graph(2, 9), True),
        (nx.petersen_graph(), False),
        (nx.icosahedral_graph(), True),
        (nx.disjoint_union(nx.path_graph(3), nx.path_graph(2)), False),
        (nx.empty_graph(1), True),
        (nx.empty_graph(2), False),
        (nx.path_graph(2), True),
    ],
)
def test_known_graphs(graph: nx.Graph, valid: bool) -> None:
    # Subdivided, a graph keeps its planarity and loses its density.
    long = nx.Graph()
    long.add_nodes_from(graph)
    for u, v in graph.edges:
        nx.add_path(long, [u, (u, v, 0), (u, v, 1), v])
    assert connected_planar(from_networkx([graph, long])).tolist() == [valid, valid]


@given(graph_sets(min_vertices=1, max_vertices=9))
def test_shortcuts_agree_with_networkx(graphs: GraphSet) -> None:
    expected = [
        nx.is_connected(graph) and nx.check_planarity(graph)[0]
        for graph in map(to_networkx, graphs)
    ]
    assert connected_planar(graphs).tolist() == expected


def test_nothing_to_judge() -> None:
    assert planar_validity(GraphSet.from_graphs([])).value == Undefined("no records")
    assert planar_validity(GraphSet.from_graphs([]), n_failed=3).value == 0
    empty = GraphSet.from_graphs([Graph([]), Graph([NO_LABEL])])
    assert connected_planar(empty).tolist() == [False, True]
