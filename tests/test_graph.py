import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphassay.errors import GraphAssayError, InvalidGraph, InvalidInput
from graphassay.graph import Graph, GraphSet, concat, share_labels
from strategies import graph_sets, graphs

ETHANOL = Graph("CCO", [(1, 0, "-"), (1, 2, "-")])


def test_graph_stores_edges_sorted_with_u_below_v() -> None:
    assert ETHANOL.edges == ((0, 1, "-"), (1, 2, "-"))


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ([(0, 0, "-")], "self-loop at vertex 0"),
        ([(0, 1, "-"), (1, 0, "=")], "two edges between 0 and 1"),
        ([(0, 3, "-")], r"vertices in 0\.\.2"),
        ([(-1, 1, "-")], r"vertices in 0\.\.2"),
    ],
)
def test_graph_refuses_what_is_not_simple(edges: list, message: str) -> None:
    with pytest.raises(InvalidGraph, match=message):
        Graph("CCO", edges)


@given(graph_sets())
def test_columns_give_back_the_graphs(graphs: GraphSet) -> None:
    assert list(GraphSet.from_graphs(list(graphs))) == list(graphs)


@given(graph_sets(min_size=2), st.data())
def test_take_and_concat_follow_lists(graphs: GraphSet, data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.integers(0, len(graphs) - 1)))
    listed = list(graphs)
    assert list(graphs.take(chosen)) == [listed[i] for i in chosen]
    assert list(concat([graphs[:1], graphs[1:]])) == listed
    assert graphs[-1] == listed[-1]


def test_share_labels_gives_equal_labels_equal_integers() -> None:
    a = GraphSet.from_graphs([Graph("CO", [(0, 1, "=")])])
    b = GraphSet.from_graphs([Graph("NO", [(0, 1, "-")])])
    first, second = share_labels([a, b])
    assert first.vertex_label_names == second.vertex_label_names == ("C", "N", "O")
    assert first.vertex_labels[1] == second.vertex_labels[1]
    assert list(first) == list(a)
    assert list(second) == list(b)


@given(graph_sets())
def test_digest_sees_labels_not_their_table(graphs: GraphSet) -> None:
    wider = graphs.with_label_names(
        (*reversed(graphs.vertex_label_names),), (*graphs.edge_label_names,)
    )
    assert wider.sha256() == graphs.sha256()


def test_digest_sees_a_changed_label() -> None:
    a = GraphSet.from_graphs([Graph("CO")])
    b = GraphSet.from_graphs([Graph("CN")])
    assert a.sha256() != b.sha256()


def test_constructor_refuses_wrong_columns() -> None:
    good = GraphSet.from_graphs([ETHANOL])
    columns = {
        name: getattr(good, name)
        for name in [
            "vertex_offsets",
            "edge_offsets",
            "vertex_labels",
            "edge_u",
            "edge_v",
            "edge_labels",
            "vertex_label_names",
            "edge_label_names",
        ]
    }
    for name, bad, message in [
        ("edge_u", good.edge_v, "u < v"),
        ("edge_u", good.edge_u.astype(np.int64), "expected int32"),
        ("vertex_labels", good.vertex_labels + np.int32(9), "indices below"),
        ("vertex_labels", good.vertex_labels - np.int32(9), "labels >= 0"),
        ("vertex_label_names", ("C", "C"), "distinct"),
        ("edge_offsets", np.array([0, 1], np.int64), "offsets"),
    ]:
        with pytest.raises(InvalidInput, match=message):
            GraphSet(**{**columns, name: bad})


def test_columns_are_read_only() -> None:
    graphs = GraphSet.from_graphs([ETHANOL])
    with pytest.raises(ValueError, match="read-only"):
        graphs.vertex_labels[0] = 1


def test_with_label_names_names_the_lost_label() -> None:
    with pytest.raises(InvalidInput, match="'O'"):
        GraphSet.from_graphs([ETHANOL]).with_label_names(["C"], ["-"])


@given(graphs(), st.randoms())
def test_relabelled_keeps_degrees_by_label(graph: Graph, random: object) -> None:
    order = list(range(graph.n_vertices))
    random.shuffle(order)
    other = graph.relabelled(order)
    assert sorted(other.vertex_labels) == sorted(graph.vertex_labels)
    back = [order.index(i) for i in range(graph.n_vertices)]
    assert other.relabelled(back) == graph


def test_every_error_is_ours_and_a_builtin() -> None:
    assert issubclass(InvalidGraph, GraphAssayError)
    assert issubclass(InvalidGraph, ValueError)
