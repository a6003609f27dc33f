"""Every format gives back what was written; other libraries read the same."""

import io
import shutil
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphassay.errors import InvalidInput
from graphassay.graph import NO_LABEL, Graph, GraphSet, MoleculeOptions
from graphassay.interop import to_networkx
from graphassay.io import read, write
from strategies import graph_sets

LABELLED = [
    "a.gspan",
    "a.gspan.gz",
    "a.zip",
    "a.graphml",
    "a.jsonl",
    "a.jsonl.gz",
    "a.npz",
    "a.arrow",
]
SPACED = ["a.graphml", "a.jsonl", "a.npz", "a.arrow"]
UNLABELLED = [*LABELLED, "a.g6", "a.s6", "a.g6.gz"]


def unlabelled(graphs: GraphSet) -> GraphSet:
    return GraphSet.from_graphs(
        Graph([NO_LABEL] * g.n_vertices, [(u, v, NO_LABEL) for u, v, _ in g.edges]) for g in graphs
    )


@pytest.mark.parametrize("name", LABELLED)
@given(graphs=graph_sets(max_size=5))
@settings(max_examples=25, deadline=None)
def test_labelled_graphs_come_back(graphs: GraphSet, name: str, tmp_path_factory) -> None:
    path = tmp_path_factory.mktemp("io") / name
    write(graphs, path)
    back = read(path)
    assert list(back) == list(graphs)
    assert back.sha256() == graphs.sha256()
    assert back.intake.n_kept == len(graphs)


@pytest.mark.parametrize("name", UNLABELLED)
@given(graphs=graph_sets(max_size=4, max_vertices=70))
@settings(max_examples=15, deadline=None)
def test_unlabelled_graphs_come_back(graphs: GraphSet, name: str, tmp_path_factory) -> None:
    plain = unlabelled(graphs)
    path = tmp_path_factory.mktemp("io") / name
    write(plain, path)
    assert list(read(path)) == list(plain)


@pytest.mark.parametrize("name", SPACED)
@given(labels=st.lists(st.text(min_size=1, max_size=6), min_size=3, max_size=3))
@settings(max_examples=40, deadline=None)
def test_any_text_is_a_label(labels: list[str], name: str, tmp_path_factory) -> None:
    path = tmp_path_factory.mktemp("io") / name
    graphs = GraphSet.from_graphs([Graph(labels[:2], [(0, 1, labels[2])])])
    try:
        write(graphs, path)
    except InvalidInput:  # XML has no control characters, numpy no final NUL
        assert name in ("a.graphml", "a.npz")
        assert list(path.parent.iterdir()) == []
    else:
        assert list(read(path)) == list(graphs)


def test_tu_folder_and_zip_are_the_same(tmp_path: Path) -> None:
    graphs = GraphSet.from_graphs([Graph("AB", [(0, 1, "x")]), Graph("A")])
    write(graphs, tmp_path / "set", format="tu")
    write(graphs, tmp_path / "set.zip")
    assert list(read(tmp_path / "set")) == list(read(tmp_path / "set.zip")) == list(graphs)
    shutil.move(tmp_path / "set", tmp_path / "MUTAG" / "raw")  # as PyG lays it out


@given(graphs=graph_sets(max_size=3, max_vertices=70, min_vertices=0))
@settings(max_examples=40, deadline=None)
def test_graph6_and_sparse6_are_networkx_own(graphs: GraphSet, tmp_path_factory) -> None:
    folder = tmp_path_factory.mktemp("io")
    plain = [g for g in unlabelled(graphs) if g.n_vertices]
    theirs6 = b"".join(nx.to_graph6_bytes(to_networkx(g), header=False) for g in plain)
    theirs_s6 = b"".join(nx.to_sparse6_bytes(to_networkx(g), header=False) for g in plain)
    if not plain:
        return
    write(GraphSet.from_graphs(plain), folder / "a.g6")
    write(GraphSet.from_graphs(plain), folder / "a.s6")
    assert (folder / "a.g6").read_bytes() == theirs6
    assert (folder / "a.s6").read_bytes() == theirs_s6
    (folder / "b.txt").write_bytes(b">>sparse6<<" + theirs_s6)
    assert list(read(folder / "b.txt")) == plain  # by content


@pytest.mark.parametrize("n", [1, 2, 4, 8, 16, 32, 62, 63, 64, 300])
def test_sizes_where_graph6_changes(n: int, tmp_path: Path) -> None:
    graph = nx.gnm_random_graph(n, 2 * n, seed=n) if n > 5 else nx.path_graph(n)
    ours = GraphSet.from_graphs(
        [Graph([NO_LABEL] * n, [(min(e), max(e), NO_LABEL) for e in graph.edges])]
    )
    write(ours, tmp_path / "a.g6")
    write(ours, tmp_path / "a.s6")
    assert nx.utils.graphs_equal(nx.read_graph6(tmp_path / "a.g6"), graph)
    assert nx.utils.graphs_equal(nx.read_sparse6(tmp_path / "a.s6"), graph)
    assert list(read(tmp_path / "a.s6")) == list(read(tmp_path / "a.g6")) == list(ours)


@given(graphs=graph_sets(max_size=1))
@settings(max_examples=25, deadline=None)
def test_graphml_is_networkx_own(graphs: GraphSet, tmp_path_factory) -> None:
    folder = tmp_path_factory.mktemp("io")
    graph = to_networkx(graphs[0])
    write(graphs, folder / "a.graphml")
    theirs = nx.read_graphml(folder / "a.graphml")
    names = {f"n{i}": i for i in graph}
    renamed = nx.relabel_nodes(theirs, names)
    assert dict(renamed.nodes(data=True)) == dict(graph.nodes(data=True))
    assert renamed.adj == graph.adj
    nx.write_graphml(graph, folder / "b.graphml")
    assert list(read(folder / "b.graphml")) == list(graphs)


def test_arrow_keeps_everything_and_copies_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.smi").write_text("CCO\nNone\nc1ccccc1 benzene\n")
    graphs = read(tmp_path / "a.smi", molecules=MoleculeOptions(charges=True))
    write(graphs, tmp_path / "a.arrow")
    back = read(tmp_path / "a.arrow")
    assert back.intake == graphs.intake
    assert back.molecules == MoleculeOptions(charges=True)
    assert back.sources.to_pylist() == ["CCO", "c1ccccc1"]
    assert back.records.tolist() == [1, 3]
    assert list(back) == list(graphs)
    assert not back.edge_u.flags.owndata
    assert not back.vertex_offsets.flags.owndata


def test_arrow_of_a_slice_reads_alone(tmp_path: Path) -> None:
    graphs = GraphSet.from_graphs([Graph("AB", [(0, 1, "x")]), Graph("C")])
    write(graphs[1:], tmp_path / "a.arrow")
    back = read(tmp_path / "a.arrow")
    assert list(back) == [Graph("C")]
    assert back.intake.sha256
    assert back.intake.format == "arrow"


def test_arrow_is_plain_arrow(tmp_path: Path) -> None:
    import pyarrow as pa

    write(GraphSet.from_graphs([Graph("AB", [(0, 1, "x")])]), tmp_path / "a.arrow")
    with pa.ipc.open_file(str(tmp_path / "a.arrow")) as reader:
        assert reader.read_all().to_pylist() == [
            {"vertices": ["A", "B"], "edges": [{"u": 0, "v": 1, "label": "x"}]}
        ]


def test_npz_of_others(tmp_path: Path) -> None:
    path = np.array([[0, 1, 0], [1, 0, 2], [0, 2, 0]])
    np.savez(tmp_path / "each.npz", a=path, b=np.array([[0.0]]))
    assert list(read(tmp_path / "each.npz")) == [
        Graph("***", [(0, 1, "1"), (1, 2, "2")]),
        Graph("*"),
    ]
    stack = np.zeros((2, 3, 3), dtype=bool)
    stack[0, :2, :2] = [[0, 1], [1, 0]]
    np.savez(tmp_path / "stack.npz", adjacency=stack, n_vertices=np.array([2, 1]))
    assert list(read(tmp_path / "stack.npz")) == [Graph("**", [(0, 1, "*")]), Graph("*")]
    np.savez(tmp_path / "whole.npz", adjacency=stack)
    assert [g.n_vertices for g in read(tmp_path / "whole.npz")] == [3, 3]


@pytest.mark.parametrize("name", ["a.g6", "a.s6"])
def test_labels_are_not_lost_unasked(name: str, tmp_path: Path) -> None:
    graphs = GraphSet.from_graphs([Graph("AB", [(0, 1, "x")])])
    with pytest.raises(InvalidInput, match="would lose 'A'"):
        write(graphs, tmp_path / name)
    assert list(tmp_path.iterdir()) == []
    write(graphs, tmp_path / name, drop_labels=True)
    assert list(read(tmp_path / name)) == [Graph("**", [(0, 1, "*")])]


@pytest.mark.parametrize("name", ["a.gspan", "a.zip"])
@pytest.mark.parametrize("label", ["a b", "", " a", "a\n"])
def test_a_label_that_would_break_the_text_is_refused(name: str, label: str, tmp_path) -> None:
    if name == "a.zip" and label == "a b":
        pytest.skip("TU labels take a whole line")
    with pytest.raises(InvalidInput, match="cannot hold the vertex label"):
        write(GraphSet.from_graphs([Graph([label])]), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_gspan_of_the_pattern_kind(tmp_path: Path) -> None:
    text = (
        "# a miner's output\nt # 0 * 94\nv 0 C\nv 1 O\ne 0 1 =\nx: 0 1 2\n\nt # 1\nv 0 C\nt # -1\n"
    )
    (tmp_path / "a.txt").write_text(text)
    graphs = read(tmp_path / "a.txt")
    assert list(graphs) == [Graph("CO", [(0, 1, "=")]), Graph("C")]
    assert graphs.records.tolist() == [2, 8]
    assert graphs.intake.notes == ("2 comment and occurrence lines skipped",)


def test_same_bytes_whenever_written(tmp_path: Path) -> None:
    graphs = GraphSet.from_graphs([Graph("AB", [(0, 1, "x")])])
    for name in LABELLED:
        if not name.endswith((".npz",)):  # numpy's zip holds the time of day
            write(graphs, tmp_path / f"1{name}")
            write(graphs, tmp_path / f"2{name}")
            one = (tmp_path / f"1{name}").read_bytes()
            assert one.replace(b"1a", b"2a") == (tmp_path / f"2{name}").read_bytes()


def test_jsonl_integers_and_counts(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(
        '{"vertices": [0, "C"], "edges": [[0, 1, 7]], "source": "x", "y": 1}\n'
        '{"vertices": 2, "edges": [[1, 0]]}\n'
    )
    graphs = read(tmp_path / "a.jsonl")
    assert list(graphs) == [Graph("0C", [(0, 1, "7")]), Graph("**", [(0, 1, "*")])]
    assert graphs.sources.to_pylist() == ["x", ""]
    assert graphs.intake.notes == ("keys not used: y",)


def test_graphml_defaults_and_foreign_attributes(tmp_path: Path) -> None:
    graph = nx.Graph()
    graph.add_node("a", label="C", charge=1)
    graph.add_node("b", label="O")
    graph.add_edge("a", "b", weight=2.5)
    buffer = io.BytesIO()
    nx.write_graphml(graph, buffer)
    (tmp_path / "a.graphml").write_bytes(buffer.getvalue())
    graphs = read(tmp_path / "a.graphml")
    assert list(graphs) == [Graph("CO", [(0, 1, "*")])]
    assert graphs.intake.notes == ("attributes not used: charge, weight",)
    text = (
        buffer.getvalue()
        .decode()
        .replace(
            'for="node" attr.name="label" attr.type="string" />',
            'for="node" attr.name="label" attr.type="string"><default>N</default></key>',
        )
    )
    (tmp_path / "b.graphml").write_text(text.replace(">O<", "><"))
    assert next(iter(read(tmp_path / "b.graphml"))).vertex_labels == ("C", "")
