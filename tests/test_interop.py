from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest
import rustworkx as rx
from hypothesis import given

from graphassay.errors import InvalidGraph, MissingDependency
from graphassay.graph import Graph, GraphSet
from graphassay.interop import (
    from_networkx,
    from_pyg,
    from_rustworkx,
    to_networkx,
    to_pyg,
    to_pyg_arrays,
    to_rustworkx,
)
from strategies import graph_sets

PATH = Graph("CCO", [(0, 1, "-"), (1, 2, "=")])


@given(graph_sets())
def test_networkx_and_rustworkx_give_back_the_graphs(graphs: GraphSet) -> None:
    assert list(from_networkx(map(to_networkx, graphs))) == list(graphs)
    assert list(from_rustworkx(map(to_rustworkx, graphs))) == list(graphs)


@given(graph_sets())
def test_pyg_gives_back_the_graphs(graphs: GraphSet) -> None:
    names = {
        "vertex_names": graphs.vertex_label_names,
        "edge_names": graphs.edge_label_names,
    }
    data = [
        SimpleNamespace(num_nodes=graph.n_vertices, **to_pyg_arrays(graph, **names))
        for graph in graphs
    ]
    if len(graphs.vertex_label_names) > 1 and len(graphs.edge_label_names) > 1:
        assert list(from_pyg(data, **names)) == list(graphs)


def test_one_graph_or_several() -> None:
    assert list(from_networkx(to_networkx(PATH))) == [PATH]
    assert list(from_rustworkx(to_rustworkx(PATH))) == [PATH]
    assert len(from_networkx([])) == 0


def test_unlabelled_graphs_of_others() -> None:
    assert from_networkx(nx.path_graph(["b", "a"]))[0] == Graph("**", [(0, 1, "*")])
    graph = rx.PyGraph()
    graph.add_nodes_from([None, None, None])
    graph.remove_node(0)
    graph.add_edge(1, 2, None)
    assert from_rustworkx(graph)[0] == Graph("**", [(0, 1, "*")])


def test_other_attributes_and_payloads_as_labels() -> None:
    graph = nx.Graph()
    graph.add_node(0, element="C")
    graph.add_node(1, element="O")
    graph.add_edge(0, 1, order=2)
    assert from_networkx(graph, vertex_label="element", edge_label="order")[0] == Graph(
        "CO", [(0, 1, "2")]
    )
    other = rx.PyGraph()
    other.add_nodes_from([{"element": "C"}, {"element": "O"}])
    other.add_edge(0, 1, 2.0)
    labelled = from_rustworkx(
        other, vertex_label=lambda node: node["element"], edge_label=lambda order: "=" * int(order)
    )
    assert labelled[0] == Graph("CO", [(0, 1, "==")])


def loop() -> nx.Graph:
    graph = nx.path_graph(2)
    graph.add_edge(1, 1)
    return graph


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (nx.DiGraph([(0, 1)]), "graph 0: expected an undirected graph"),
        (nx.MultiGraph([(0, 1)]), "expected a simple graph, got a multigraph"),
        (loop(), "self-loop at vertex 1"),
    ],
)
def test_networkx_graphs_that_are_not_simple(graph: nx.Graph, message: str) -> None:
    with pytest.raises(InvalidGraph, match=message):
        from_networkx(graph)


def test_missing_labels_are_counted() -> None:
    graph = to_networkx(PATH)
    del graph.nodes[1]["label"]
    with pytest.raises(InvalidGraph, match="graph 1: 1 of 3 nodes have no label"):
        from_networkx([to_networkx(PATH), graph])


def test_rustworkx_graphs_that_are_not_simple() -> None:
    directed = rx.PyDiGraph()
    directed.add_nodes_from("ab")
    with pytest.raises(InvalidGraph, match="expected a PyGraph, got a directed graph"):
        from_rustworkx([directed])
    twice = rx.PyGraph()
    twice.add_nodes_from("ab")
    twice.add_edges_from([(0, 1, "x"), (0, 1, "x")])
    with pytest.raises(InvalidGraph, match="two edges between 0 and 1"):
        from_rustworkx(twice)


class Tensor:
    """As much of a torch tensor as we touch."""

    def __init__(self, values: list) -> None:
        self.values = values

    def detach(self) -> "Tensor":
        return self

    def cpu(self) -> "Tensor":
        return self

    def numpy(self) -> np.ndarray:
        return np.array(self.values)

    def __len__(self) -> int:
        return len(self.values)


def data(edge_index: list, **attributes: object) -> SimpleNamespace:
    return SimpleNamespace(
        edge_index=Tensor(edge_index),
        **{k: Tensor(v) if isinstance(v, list) else v for k, v in attributes.items()},
    )


def test_pyg_by_hand() -> None:
    assert from_pyg(data([[0, 1], [1, 0]], x=[[0, 1], [1, 0]], edge_attr=[[3], [3]]))[0] == Graph(
        "10", [(0, 1, "3")]
    )
    assert from_pyg(data([[0, 1], [1, 0]], num_nodes=3))[0] == Graph("***", [(0, 1, "*")])
    assert from_pyg(data([[], []], x=[1.0, 0.0]), vertex_names="CO")[0] == Graph("OC")


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (data([[0], [1]]), "edge 0-1 without its equal 1-0"),
        (data([[0, 1], [1, 0]], edge_attr=[[1], [2]]), "without its equal"),
        (data([[0, 0, 1, 1], [1, 1, 0, 0]]), "edge 0-1 twice"),
        (data([[0], [0]]), "self-loop"),
        (data([[0, 5], [5, 0]], num_nodes=2), r"vertices in 0\.\.1"),
        (data([[], []], x=[[1, 1]]), "x: expected one-hot rows"),
        (data([[], []], x=[[0.5]]), "x: expected one-hot rows"),
        (data([[], []], x=[[1]], num_nodes=2), "x: expected 2 rows"),
    ],
)
def test_pyg_data_that_is_not_ours(bad: SimpleNamespace, message: str) -> None:
    with pytest.raises(InvalidGraph, match=message):
        from_pyg(bad)


def test_pyg_codes_beyond_the_names() -> None:
    with pytest.raises(InvalidGraph, match="expected codes below 1, got 1"):
        from_pyg(data([[], []], x=[[1]]), vertex_names="C")
    with pytest.raises(InvalidGraph, match="'O' is not in the table"):
        to_pyg_arrays(PATH, vertex_names="C", edge_names="-=")


def test_to_pyg_without_pyg_says_so() -> None:
    try:
        import torch_geometric  # noqa: F401
    except ImportError:
        with pytest.raises(MissingDependency, match="pip install torch"):
            to_pyg(PATH, vertex_names="CO", edge_names="-=")
    else:
        assert list(
            from_pyg(
                to_pyg(PATH, vertex_names="CO", edge_names="-="), vertex_names="CO", edge_names="-="
            )
        ) == [PATH]
