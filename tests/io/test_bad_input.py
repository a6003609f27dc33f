"""Every kind of bad file: one clear line, and exit 2 on the command line."""

import gzip
import io
import os
import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest

from graphassay.cli import main
from graphassay.errors import InvalidInput, NothingToCompare, UnreadableFile, UnwritableOutput
from graphassay.graph import Graph, GraphSet
from graphassay.io import read, write

GOOD = "t # 0\nv 0 A\nv 1 B\ne 0 1 x\n"
GOOD_TU = {
    "X_A.txt": "1, 2\n2, 1\n",
    "X_graph_indicator.txt": "1\n1\n2\n",
    "X_node_labels.txt": "0\n1\n0\n",
}


def tu_zip(**changes: str | None) -> bytes:
    files = {**GOOD_TU, **{f"X_{name}.txt": text for name, text in changes.items()}}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in files.items():
            if text is not None:
                archive.writestr(f"X/{name}", text)
    return buffer.getvalue()


def zip_of(name: str, data: bytes = b"x") -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def npz(**arrays: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def npy(header: str, data: bytes = b"") -> bytes:
    text = header.ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + data


GRAPHML = (
    '<graphml><key id="v" for="node" attr.name="label"/><key id="e" for="edge" attr.name="label"/>'
    '<graph edgedefault="undirected"><node id="a"><data key="v">A</data></node>'
    '<node id="b"><data key="v">B</data></node>{}</graph></graphml>'
)
EDGE = '<edge source="a" target="b"><data key="e">x</data></edge>'

WHOLE_FILE = [  # name, content, part of the message
    ("empty.smi", b"", "the file is empty"),
    ("blank.smi", b"\n \n", "only blanks"),
    ("empty.smi.gz", gzip.compress(b""), "unpacks to nothing"),
    ("cut.smi.gz", gzip.compress(b"CCO\n" * 1000)[:-12], "truncated"),
    ("broken.smi.gz", gzip.compress(b"CCO\n")[:10] + b"\xff" * 30, "not a sound gzip"),
    ("binary.smi", b"\x00\x01\x02\x80" * 9, "binary data"),
    ("binary", b"\x00\x01\x02\x80" * 9, "binary data"),
    ("latin1.smi", b"CCO\nCC\xe9\n", "line 2: expected UTF-8"),
    ("utf16.smi", "CCO\n".encode("utf-16"), "UTF-16"),
    ("unknown.xyz", b"hello\n", "name it with --from"),
    ("header.smi", b"SMILES\n", "no record"),
    ("nosmiles.csv", b"id,name\n1,x\n", "no SMILES column among: id, name"),
    ("several.csv", b"smiles,canonical_smiles\nC,C\n", "several SMILES columns"),
    ("broken.csv", b'SMILES\n"' + b"C" * 200_000 + b"\n", "not a table"),
    ("allbad.smi", b"None\nxyz(\n", "none of 2 records gives a graph; the first, line 1: no mol"),
    ("wrong.gspan", b"CCO\nCCC\n", "not gSpan text: line 1: expected a line"),
    ("comments.gspan", b"# nothing\n", "not gSpan text: expected lines 't # id'"),
    ("early.gspan", b"v 0 A\nt # 0\n", "line 1: expected a line 't # id' first"),
    ("wrong.graphml", b"<html></html>", "expected a <graphml> document"),
    ("wrong2.graphml", b"t # 0\n", "not sound XML"),
    ("cut.graphml", GRAPHML.format(EDGE).encode()[:150], "not sound XML, or truncated"),
    ("bomb.graphml", b'<!DOCTYPE x [<!ENTITY a "aa">]><graphml/>', "document type declaration"),
    ("wrong.jsonl", b"CCO\n", "line 1: not JSON ('CCO')"),
    ("wrong.zip", b"CCO\n", "not a sound zip file"),
    ("cut.zip", tu_zip()[:-30], "not a sound zip file, or truncated"),
    ("other.zip", zip_of("readme.txt"), "expected the files of one TU set (one X_A.txt), got none"),
    ("outside.zip", zip_of("../X_A.txt"), "lies outside the archive's folder"),
    ("absolute.zip", zip_of("/etc/X_A.txt"), "lies outside"),
    ("drive.zip", zip_of("C:/X_A.txt"), "lies outside"),
    ("bomb.zip", zip_of("X_A.txt", b"0" * (65 << 20)), "as a zip bomb does"),
    ("bomb.smi.gz", gzip.compress(b"C" * (65 << 20)), "as a zip bomb does"),
    ("noindicator.zip", tu_zip(graph_indicator=None), "expected X/X_graph_indicator.txt, found no"),
    ("word.zip", tu_zip(graph_indicator="1\n1\nx\n"), "line 3: expected 1 integer, got 'x'"),
    ("tabs.zip", tu_zip(A="1\t2 3\n"), "line 1: expected 2 integers"),
    ("hole.zip", tu_zip(A="1, 2\n\n2, 1\n"), "line 2: expected 2 integers, got ''"),
    ("order.zip", tu_zip(graph_indicator="2\n1\n1\n"), "line 1: expected graph 1 or 1, got 2"),
    ("gap.zip", tu_zip(graph_indicator="1\n1\n3\n"), "line 3: expected graph 1 or 2, got 3"),
    ("labels.zip", tu_zip(node_labels="0\n"), "expected 3 labels (one per vertex), got 1"),
    ("edges.zip", tu_zip(edge_labels="0\n"), "expected 2 labels (one per line of _A.txt), got 1"),
    ("lost.zip", tu_zip(A="9, 10\n10, 9\n"), "line 1: expected vertices in 1..3, got 9, 10"),
    ("latin1.zip", tu_zip(node_labels="0\n1\n\udce9\n".encode("utf8", "surrogateescape")), "UTF-8"),
    ("wrong.npz", b"CCO\n", "not a sound zip file"),
    ("noarray.npz", zip_of("readme.txt"), "expected .npy arrays"),
    ("pickle.npz", npz(a=np.array([{}], dtype=object)), "pickled objects"),
    ("cut.npz", zip_of("a.npy", b"\x93NUMPY"), "not a sound .npy file"),
    (
        "huge.npz",
        zip_of("a.npy", npy("{'descr': '<i8', 'fortran_order': False, 'shape': (99999, 99999)}")),
        "another size than its header says",
    ),
    ("mixed.npz", npz(a=np.zeros((1, 2, 2)), b=np.zeros((2, 2))), "one stack of matrices or"),
    ("sizes.npz", npz(a=np.zeros((1, 2, 2)), n_vertices=np.array([3])), "expected 0..2"),
    ("names.npz", npz(vertex_label_names=np.array([1])), "expected a list of strings"),
    ("wrong.arrow", b"CCO\n", "not a sound Arrow file"),
    ("cut.arrow", b"ARROW1\0\0" + b"\0" * 40, "not a sound Arrow file"),
    ("huge.s6", b":~~~~~~~~\n" * 2, "declares more than"),
    ("wrong.sdf", b"CCO\n", "record 1: not a mol block"),
]

RECORD = [  # name, content, place, reason: a single record, so that the file is refused with it
    ("gap.gspan", "t # 0\nv 0 A\nv 2 B\n", "line 3", "vertex ids are not 0, 1, 2, … in order"),
    ("twice.gspan", "t # 0\nv 0 A\nv 0 B\n", "line 3", "vertex declared twice"),
    ("stray.gspan", GOOD + "e 0 7 x\n", "line 5", "edge to an undeclared vertex"),
    ("negative.gspan", GOOD + "e 0 -1 x\n", "line 5", "edge to an undeclared vertex"),
    ("parallel.gspan", GOOD + "e 1 0 y\n", "line 5", "parallel edges"),
    ("loop.gspan", GOOD + "e 1 1 y\n", "line 5", "self-loop"),
    ("bare.gspan", "t # 0\nv 0 A\nv 1 B\ne 0 1\n", "line 4", "edge without a label"),
    ("barev.gspan", "t # 0\nv 0\n", "line 2", "vertex without a label"),
    ("directed.gspan", "t # 0\nv 0 A\nv 1 B\nd 0 1 x\n", "line 4", "directed edge"),
    ("word.gspan", "t # 0\nv zero A\n", "line 2", "unreadable line"),
    ("big.gspan", "t # 0\nv 99999999999999999999 A\n", "line 2", "unreadable line"),
    ("long.gspan", "t # 0\nv 0 A B\n", "line 2", "unreadable line"),
    ("none.gspan", "t # 0\n", "line 1", "graph without vertices"),
    ("directed.g6", "&C?@_\n", "line 1", "directed"),
    ("incremental.s6", ";_\n", "line 1", "incremental sparse6"),
    ("short.g6", "D\n", "line 1", "not a graph6 or sparse6 line"),
    ("odd.g6", "D\x1f?\n", "line 1", "not a graph6 or sparse6 line"),
    ("loop.s6", ":AN\n", "line 1", "self-loop"),
    ("directed.graphml", GRAPHML.replace("un", "").format(EDGE), "record 1", "directed"),
    ("loop.graphml", GRAPHML.format(EDGE.replace('"b"', '"a"')), "record 1", "self-loop"),
    ("parallel.graphml", GRAPHML.format(EDGE * 2), "record 1", "parallel edges"),
    ("stray.graphml", GRAPHML.format(EDGE.replace('"b"', '"z"')), "record 1", "undeclared vertex"),
    ("twice.graphml", GRAPHML.format('<node id="a"/>'), "record 1", "vertex declared twice"),
    ("vertex.graphml", GRAPHML.format('<node id="c"/>'), "record 1", "vertex without a label"),
    (
        "edge.graphml",
        GRAPHML.format(
            EDGE + '<node id="c"><data key="v">A</data></node><edge source="a" target="c"/>'
        ),
        "record 1",
        "edge without a label",
    ),
    ("hyper.graphml", GRAPHML.format("<hyperedge/>"), "record 1", "hyperedge"),
    ("noid.graphml", GRAPHML.format("<node/>"), "record 1", "without its ids"),
    ("nested.graphml", GRAPHML.format("<node id='c'><graph/></node>"), "record 1", "nested graph"),
    ("array.jsonl", "[1]\n", "line 1", "not an object"),
    ("loop.jsonl", '{"vertices": 2, "edges": [[1, 1]]}\n', "line 1", "self-loop"),
    ("parallel.jsonl", '{"vertices": 2, "edges": [[0, 1], [1, 0]]}\n', "line 1", "parallel"),
    ("stray.jsonl", '{"vertices": 2, "edges": [[0, 2]]}\n', "line 1", "undeclared vertex"),
    ("far.jsonl", f'{{"vertices": 2, "edges": [[0, {2**70}]]}}\n', "line 1", "undeclared vertex"),
    ("true.jsonl", '{"vertices": 2, "edges": [[false, true]]}\n', "line 1", "edge that is not"),
    ("some.jsonl", '{"vertices": 3, "edges": [[0, 1], [1, 2, "x"]]}\n', "line 1", "edge without"),
    ("label.jsonl", '{"vertices": [1.5], "edges": []}\n', "line 1", "label that is not text"),
    ("half.jsonl", '{"vertices": ["\\ud800"], "edges": []}\n', "line 1", "label that is not text"),
    ("deep.jsonl", "[" * 100_000 + "\n", "line 1", "not JSON"),
    ("none.jsonl", '{"vertices": 0, "edges": []}\n', "line 1", "graph without vertices"),
    ("loop.npz", npz(a=np.eye(2)), "record 1", "self-loop"),
    ("directed.npz", npz(a=np.array([[0, 1], [0, 0]])), "record 1", "directed"),
    ("unlike.npz", npz(a=np.array([[0, 1], [2, 0]])), "record 1", "directed"),
    ("half.npz", npz(a=np.array([[0, 0.5], [0.5, 0]])), "record 1", "not whole numbers"),
    ("nan.npz", npz(a=np.array([[0, np.nan], [np.nan, 0]])), "record 1", "not whole numbers"),
    ("flat.npz", npz(a=np.zeros((2, 3))), "record 1", "not a square matrix"),
    (
        "loop.zip",
        tu_zip(A="1, 2\n2, 1\n3, 3\n", graph_indicator="1\n1\n1\n"),
        "record 1",
        "self-loop",
    ),
    (
        "parallel.zip",
        tu_zip(A="1, 2\n2, 1\n1, 2\n", graph_indicator="1\n1\n1\n"),
        "record 1",
        "parallel",
    ),
    ("directed.zip", tu_zip(A="1, 2\n", graph_indicator="1\n1\n1\n"), "record 1", "directed edge"),
    (
        "stray.zip",
        tu_zip(A="1, 2\n2, 1\n3, 4\n", graph_indicator="1\n1\n1\n"),
        "record 1",
        "undeclared",
    ),
    ("zero.zip", tu_zip(A="0, 1\n", graph_indicator="1\n1\n1\n"), "record 1", "undeclared vertex"),
    ("between.zip", tu_zip(A="2, 3\n3, 2\n"), "record 1", "edge between two graphs"),
    (
        "unlike.zip",
        tu_zip(edge_labels="0\n1\n", graph_indicator="1\n1\n1\n"),
        "record 1",
        "edge with two labels",
    ),
]


def convert(monkeypatch, capsys, *arguments: str | Path) -> tuple[int, list[str]]:
    monkeypatch.setattr("sys.argv", ["graphassay", "convert", *map(str, arguments)])
    try:
        main()
    except SystemExit as stop:
        code = stop.code or 0
    else:
        code = 0
    return code, capsys.readouterr().err.splitlines()


@pytest.mark.parametrize(("name", "content", "message"), WHOLE_FILE, ids=[w[0] for w in WHOLE_FILE])
def test_whole_file(name, content, message, tmp_path, monkeypatch, capsys) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InvalidInput) as caught:
        read(path)
    assert message in str(caught.value)
    assert str(caught.value).startswith(str(path))
    code, lines = convert(monkeypatch, capsys, path, tmp_path / "out.arrow")
    assert (code, lines) == (2, [f"graphassay: {caught.value}"])
    assert not (tmp_path / "out.arrow").exists()


@pytest.mark.parametrize(("name", "content", "place", "reason"), RECORD, ids=[r[0] for r in RECORD])
def test_record(name, content, place, reason, tmp_path, monkeypatch, capsys) -> None:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(NothingToCompare) as caught:
        read(path)
    assert f"{place}: " in str(caught.value)
    assert reason in str(caught.value)
    code, lines = convert(monkeypatch, capsys, path, tmp_path / "out.arrow")
    assert (code, lines) == (2, [f"graphassay: {caught.value}"])


def test_missing_file(tmp_path, monkeypatch, capsys) -> None:
    code, lines = convert(monkeypatch, capsys, tmp_path / "nope.smi", tmp_path / "out.arrow")
    assert code == 2
    assert lines == [f"graphassay: {tmp_path / 'nope.smi'}: no such file; check the path"]


def test_a_bad_record_does_not_cost_its_neighbours(tmp_path, monkeypatch, capsys) -> None:
    path = tmp_path / "a.gspan"
    path.write_text(GOOD + "t # 1\nv 0 A\nv 1 A\ne 0 0 x\n" + GOOD + "t # 3\nv 0 A\nv 5 A\n")
    graphs = read(path)
    assert len(graphs) == 2
    assert graphs.records.tolist() == [1, 9]
    assert [(r.reason, r.n, r.examples[0].place) for r in graphs.intake.refused] == [
        ("self-loop", 1, 8),
        ("vertex ids are not 0, 1, 2, … in order", 1, 15),
    ]
    code, lines = convert(monkeypatch, capsys, path, tmp_path / "out.arrow")
    assert code == 0
    assert lines[0] == f"{path}: 2 of 4 records kept (gspan)"
    assert "  refused 1 (25.0%): self-loop" in lines
    assert "    at 8: e 0 0 x" in lines
    with pytest.raises(InvalidInput, match=r"line 8: self-loop .*; 2 of 4 records refused"):
        read(path, strict=True)
    code, lines = convert(monkeypatch, capsys, "--strict", path, tmp_path / "out2.arrow")
    assert (code, len(lines)) == (2, 1)


def test_a_bad_tu_graph_does_not_cost_its_neighbours(tmp_path) -> None:
    path = tmp_path / "X.zip"
    path.write_bytes(
        tu_zip(
            A="1, 2\n2, 1\n3, 4\n5, 6\n6, 5\n",
            graph_indicator="1\n1\n2\n2\n3\n3\n",
            node_labels="0\n1\n0\n1\n0\n1\n",
        )
    )
    graphs = read(path)
    assert list(graphs) == [Graph("01", [(0, 1, "*")])] * 2
    assert graphs.records.tolist() == [1, 3]
    (refusal,) = graphs.intake.refused
    assert refusal.examples[0].place == 2
    assert refusal.examples[0].text == "A.txt line 3: 3, 4"


@pytest.mark.parametrize("name", ["a.gspan", "a.zip", "a.smi", "a.csv", "a.jsonl", "a.g6"])
def test_windows_line_ends_blank_lines_and_marks_do_no_harm(name: str, tmp_path) -> None:
    text = {
        "a.gspan": GOOD.replace(" ", "\t") + "\n" + GOOD,
        "a.smi": "CCO\tethanol\n\nC methane\n",
        "a.csv": "id;SMILES\n1;CCO\n\n2;C\n",
        "a.jsonl": '{"vertices": 1, "edges": []}\n\n{"vertices": 2, "edges": []}\n',
        "a.g6": "@\n\nA_\n",
        "a.zip": "",
    }[name]
    path = tmp_path / name
    if name == "a.zip":
        windows = {k: t.replace("\n", "\r\n") + "\r\n" for k, t in GOOD_TU.items()}
        windows["X_A.txt"] = "\ufeff" + windows["X_A.txt"].replace(", ", ",\t")
        with zipfile.ZipFile(path, "w") as archive:
            for member, content in windows.items():
                archive.writestr(f"X/{member}", content)
    else:
        path.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    graphs = read(path)
    assert len(graphs) == 2
    assert not graphs.intake.refused
    assert all("\r" not in label for label in graphs.vertex_label_names + graphs.edge_label_names)


def test_unknown_format_and_column(tmp_path) -> None:
    (tmp_path / "a.csv").write_text("SMILES\nC\n")
    with pytest.raises(InvalidInput, match="unknown format 'foo'; known are: smiles, csv"):
        read(tmp_path / "a.csv", format="foo")
    with pytest.raises(InvalidInput, match="no column 'x'; the columns are: SMILES"):
        read(tmp_path / "a.csv", column="x")
    with pytest.raises(InvalidInput, match="cannot tell the format from this name"):
        write(read(tmp_path / "a.csv"), tmp_path / "a.xyz")


def test_folder_that_is_no_tu_set(tmp_path) -> None:
    with pytest.raises(UnreadableFile, match="expected the files of one TU set"):
        read(tmp_path)
    with pytest.raises(UnreadableFile, match="got a folder"):
        read(tmp_path, format="gspan")


def test_encrypted_zip(tmp_path) -> None:
    data = bytearray(tu_zip())
    place = data.index(b"PK\x01\x02")
    data[place + 8] |= 1
    (tmp_path / "a.zip").write_bytes(data)
    with pytest.raises(UnreadableFile, match="encrypted"):
        read(tmp_path / "a.zip")


def test_member_that_lies_about_its_size(tmp_path) -> None:
    data = bytearray(tu_zip())
    place = data.index(b"PK\x01\x02")
    data[place + 24 : place + 28] = struct.pack("<I", 5)
    (tmp_path / "a.zip").write_bytes(data)
    with pytest.raises(UnreadableFile, match=r"damaged|another size"):
        read(tmp_path / "a.zip")


@pytest.mark.parametrize("name", ["a.gspan", "a.arrow", "a.npz", "a.zip", "a.smi"])
def test_unwritable_output_leaves_nothing(name: str, tmp_path, monkeypatch) -> None:
    graphs = GraphSet.from_graphs([Graph("CO", [(0, 1, "-")])])
    with pytest.raises(UnwritableOutput, match="cannot write"):
        write(graphs, tmp_path / "no" / "such" / name)
    (tmp_path / "file").write_text("")
    with pytest.raises(UnwritableOutput, match="cannot write"):
        write(graphs, tmp_path / "file" / name)
    (tmp_path / name).mkdir()
    with pytest.raises(UnwritableOutput, match="a folder is in the way"):
        write(graphs, tmp_path / name)
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(["file", name])


@pytest.mark.parametrize("name", ["a.gspan", "a.arrow", "a.npz"])
def test_full_disk(name: str, tmp_path, monkeypatch, capsys) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    from graphassay import output

    def full(**_: object) -> tuple[int, str]:
        link = tmp_path / "draft"
        link.symlink_to("/dev/full")
        return os.open(link, os.O_WRONLY), str(link)

    monkeypatch.setattr(output.tempfile, "mkstemp", full)
    with pytest.raises(UnwritableOutput, match="No space left on device"):
        write(GraphSet.from_graphs([Graph("CO", [(0, 1, "-")])] * 5000), tmp_path / name)
    assert not (tmp_path / name).exists()


def test_read_only_folder(tmp_path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write anywhere")
    tmp_path.chmod(0o500)
    with pytest.raises(UnwritableOutput, match="Permission denied"):
        write(GraphSet.from_graphs([Graph("C")]), tmp_path / "a.arrow")
