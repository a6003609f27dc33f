"""Chosen records come out as they stood, whatever the format."""

import gzip
from pathlib import Path

import pytest

from graphassay.io import read, write
from graphassay.io.selection import write_selection


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.smi", "CCO ethanol\n\nbad((\nCN\tamine\nC=O\n", "CCO ethanol\nC=O\n"),
        ("a.smi", "smiles\r\nCCO one\r\nCN two\r\nCO three", "CCO one\nCO three\n"),
        (
            "a.csv",
            'name,smiles,note\nx,CCO,"two\nlines"\ny,CN,plain\nz,CO,"a, b"\n',
            'name,smiles,note\nx,CCO,"two\nlines"\nz,CO,"a, b"\n',
        ),
        ("a.csv", "smiles;n\nCCO;1\n\nCN;2\nCO;3\n", "smiles;n\nCCO;1\nCO;3\n"),
        (
            "a.jsonl",
            '{"vertices": ["C"], "edges": []}\n{"vertices": 2, "edges": []}\n'
            '{"vertices": ["N"], "edges": [], "extra": 1}\n',
            '{"vertices": ["C"], "edges": []}\n{"vertices": ["N"], "edges": [], "extra": 1}\n',
        ),
    ],
)
def test_records_are_copied(tmp_path: Path, name: str, text: str, expected: str) -> None:
    path, out = tmp_path / name, tmp_path / f"out-{name}"
    path.write_text(text, newline="")
    graphs = read(path)
    assert write_selection(graphs, [0, 2], path, out) == 2
    assert out.read_bytes().decode() == expected
    packed = tmp_path / f"{name}.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    assert write_selection(read(packed), [0, 2], packed, tmp_path / f"out-{name}.gz") == 2
    assert gzip.decompress((tmp_path / f"out-{name}.gz").read_bytes()).decode() == expected


@pytest.mark.parametrize("form", ["smi", "csv", "sdf", "jsonl", "gspan", "graphml", "npz", "arrow"])
def test_nothing_chosen_is_an_empty_file(tmp_path: Path, form: str) -> None:
    path, out = tmp_path / f"a.{form}", tmp_path / f"b.{form}"
    (tmp_path / "a.txt").write_text("CCO\nCN\n")
    write(read(tmp_path / "a.txt"), path)
    out.write_text("of an earlier run")
    assert write_selection(read(path), [], path, out) == 0
    assert "earlier" not in out.read_bytes().decode(errors="replace")
    assert write_selection(read(path), [1], path, out) == 1
    assert [graph.vertex_labels for graph in read(out)] == [("C", "N")]


def test_other_formats_are_written_anew(tmp_path: Path) -> None:
    path, out = tmp_path / "a.gspan", tmp_path / "b.gspan"
    path.write_text("t # 0\nv 0 C\nv 1 O\ne 0 1 -\nt # 1\nv 0 N\nt # 2\nv 0 F\n")
    assert write_selection(read(path), [0, 2], path, out) == 2
    kept = read(out)
    assert [graph.vertex_labels for graph in kept] == [("C", "O"), ("F",)]
