import networkx as nx
import numpy as np
import pytest

from graphassay import datasets
from graphassay.datasets.random_graphs import erdos_renyi, planar, stochastic_blocks
from graphassay.errors import InvalidInput
from graphassay.graph import Graph


def _networkx(graph: Graph) -> nx.Graph:
    made = nx.Graph([(u, v) for u, v, _ in graph.edges])
    made.add_nodes_from(range(graph.n_vertices))
    return made


def test_planar_graphs_are_connected_triangulations() -> None:
    graphs = planar(10, rng=np.random.default_rng(0))
    for graph in graphs:
        made = _networkx(graph)
        assert graph.n_vertices == 64
        assert nx.check_planarity(made)[0]
        assert nx.is_connected(made)
        # Euler: 3n - 3 - h edges for h points on the hull.
        assert 3 * 64 - 3 - 30 < graph.n_edges <= 3 * 64 - 6
    with pytest.raises(InvalidInput, match="at least 4 points"):
        planar(1, n_vertices=3, rng=np.random.default_rng(0))


def test_blocks_are_dense_inside_and_sparse_across() -> None:
    graphs = stochastic_blocks(30, rng=np.random.default_rng(0))
    assert graphs.vertex_counts.min() >= 40
    assert graphs.vertex_counts.max() <= 200
    inside = across = 0
    for graph in graphs:  # blocks are of 20 or more consecutive vertices
        last = graph.n_vertices - 20
        inside += sum(v < 20 for _, v, _ in graph.edges)
        across += sum(u < 20 and v >= last for u, v, _ in graph.edges)
    assert abs(inside / (30 * 190) - 0.3) < 0.03
    assert across / (30 * 400) < 0.01


def test_random_graphs_have_the_asked_density() -> None:
    graphs = erdos_renyi(200, rng=np.random.default_rng(0))
    n = graphs.vertex_counts
    assert (n.min(), n.max()) == (20, 40)
    assert abs(graphs.edge_counts.sum() / (n * (n - 1) / 2).sum() - 0.1) < 0.005


@pytest.mark.parametrize("name", ["planar", "sbm", "random"])
def test_a_seed_makes_the_set(name: str) -> None:
    assert datasets.load(name, seed=3).sha256() == datasets.load(name, seed=3).sha256()
    assert datasets.load(name, seed=3).sha256() != datasets.load(name, seed=4).sha256()


def test_the_published_split_of_planar() -> None:
    sizes = {s: len(datasets.load("planar", split=s)) for s in ("train", "valid", "test")}
    assert sizes == {"train": 128, "valid": 32, "test": 40}
