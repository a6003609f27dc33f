import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from scipy import linalg

from graphassay.datasets.random_graphs import erdos_renyi, planar
from graphassay.graph import NO_LABEL, Graph, GraphSet
from graphassay.interop import from_networkx, to_networkx
from graphassay.metrics.graph_statistics import (
    SPECTRUM_RANGE,
    VertexCounts,
    clustering_histograms,
    degree_histograms,
    orbit_means,
    same_width,
    spectrum_histograms,
    vertex_orbits,
)
from oracles import orbits as oracle
from strategies import graph_sets

SPECIAL = [
    nx.empty_graph(3),
    nx.star_graph(40),
    nx.complete_graph(7),
    nx.complete_bipartite_graph(3, 4),
    nx.karate_club_graph(),
    nx.disjoint_union(nx.cycle_graph(4), nx.path_graph(5)),
]


@pytest.fixture(scope="module")
def assorted() -> GraphSet:
    rng = np.random.default_rng(0)
    drawn = [
        *planar(3, n_vertices=20, rng=rng),
        *(
            g
            for p in (0.1, 0.4, 0.8)
            for g in erdos_renyi(4, n_vertices=(4, 14), probability=p, rng=rng)
        ),
    ]
    plain = [nx.Graph(graph.edges()) if graph.size() else graph for graph in SPECIAL]
    return GraphSet.from_graphs([*drawn, *from_networkx(plain)])


@given(graph_sets(max_vertices=9))
def test_orbits_agree_with_every_set_of_four_vertices(graphs: GraphSet) -> None:
    expected = np.concatenate([oracle.vertex_orbits(to_networkx(graph)) for graph in graphs])
    np.testing.assert_array_equal(vertex_orbits(graphs), expected)


def test_orbits_agree_with_orca(assorted: GraphSet, shared) -> None:
    orbit_count = pytest.importorskip("orbit_count")
    from graphassay.io import read

    for graphs in (assorted, read(shared / "tu" / "ENZYMES.zip")[:60]):
        counts = VertexCounts.of(graphs, threads=3)
        for g, graph in enumerate(graphs):
            if graph.n_edges:
                rows = counts.orbits[graphs.vertex_offsets[g] : graphs.vertex_offsets[g + 1]]
                expected = orbit_count.node_orbit_counts(to_networkx(graph), graphlet_size=4)
                np.testing.assert_array_equal(rows, expected)
    np.testing.assert_allclose(orbit_means(counts)[-1], expected.mean(axis=0))


def test_degree_and_clustering_agree_with_networkx(assorted: GraphSet) -> None:
    counts = VertexCounts.of(assorted)
    degrees, clustering = degree_histograms(counts), clustering_histograms(counts)
    for g, graph in enumerate(map(to_networkx, assorted)):
        expected = np.array(nx.degree_histogram(graph))
        np.testing.assert_allclose(degrees[g, : len(expected)], expected / len(graph))
        assert not degrees[g, len(expected) :].any()
        coefficients = list(nx.clustering(graph).values())
        expected, _ = np.histogram(coefficients, bins=100, range=(0, 1))
        np.testing.assert_allclose(clustering[g], expected / len(graph))


def test_spectrum_agrees_with_networkx_and_scipy(assorted: GraphSet) -> None:
    found = spectrum_histograms(assorted)
    low, high = SPECTRUM_RANGE
    for g, graph in enumerate(map(to_networkx, assorted)):
        matrix = nx.normalized_laplacian_matrix(graph).toarray()
        # Within rounding of a bin's edge, either side is right.
        spectra = [np.clip(linalg.eigvalsh(matrix) + shift, low, high) for shift in (-1e-9, 1e-9)]
        below, above = (np.histogram(s, bins=200, range=(low, high))[0] for s in spectra)
        if (below == above).all():
            np.testing.assert_allclose(found[g], below / len(graph))
        else:
            np.testing.assert_allclose(
                np.cumsum(found[g]), np.cumsum(below) / len(graph), atol=2 / len(graph)
            )


def test_bipartite_graphs_keep_their_largest_eigenvalue() -> None:
    found = spectrum_histograms(from_networkx([nx.complete_bipartite_graph(3, 4)]))
    assert found[0, -1] == pytest.approx(1 / 7)
    assert found.sum() == pytest.approx(1)


@given(graph_sets(max_vertices=9))
def test_rows_are_shares_and_do_not_depend_on_vertex_order(graphs: GraphSet) -> None:
    turned = GraphSet.from_graphs([g.relabelled(range(g.n_vertices)[::-1]) for g in graphs])
    for one, other in zip(_all_rows(graphs), _all_rows(turned), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)
    for rows in _all_rows(graphs)[:3]:
        np.testing.assert_allclose(rows.sum(axis=1), 1)


def test_degrees_above_the_usual_widen_the_histogram() -> None:
    hub = from_networkx([nx.star_graph(500)])
    small = from_networkx([nx.path_graph(3)])
    rows = degree_histograms(VertexCounts.of(hub))
    assert rows.shape == (1, 501)
    assert rows[0, 500] == pytest.approx(1 / 501)
    wide, padded = same_width(rows, degree_histograms(VertexCounts.of(small)))
    assert wide.shape == padded.shape
    assert padded.sum() == 1


def test_graphs_without_edges_or_vertices() -> None:
    graphs = GraphSet.from_graphs([Graph([NO_LABEL] * 3), Graph([])])
    counts = VertexCounts.of(graphs)
    assert degree_histograms(counts).tolist() == [[1], [0]]
    assert clustering_histograms(counts)[:, 0].tolist() == [1, 0]
    assert not orbit_means(counts).any()
    assert spectrum_histograms(graphs).sum(axis=1).tolist() == [1, 0]
    nothing = VertexCounts.of(GraphSet.from_graphs([]))
    assert degree_histograms(nothing).shape == (0, 1)
    assert orbit_means(nothing).shape == (0, 15)
    assert spectrum_histograms(GraphSet.from_graphs([])).shape == (0, 200)


def _all_rows(graphs: GraphSet) -> list[np.ndarray]:
    counts = VertexCounts.of(graphs, threads=2)
    return [
        degree_histograms(counts),
        clustering_histograms(counts),
        spectrum_histograms(graphs),
        orbit_means(counts),
    ]
