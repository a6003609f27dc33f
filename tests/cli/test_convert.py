"""`graphassay convert` as a person uses it. Bad files: tests/io/test_bad_input.py."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from graphassay.graph import Graph
from graphassay.io import read


def graphassay(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "graphassay", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )


def test_convert_reports_every_record(tmp_path: Path) -> None:
    source = tmp_path / "a.csv"
    source.write_text("id,smiles\n1,CCO\n2,None\n3,c1ccccc1\n")
    done = graphassay("convert", source, tmp_path / "b.arrow")
    assert done.returncode == 0
    assert done.stdout == f"{tmp_path / 'b.arrow'}: 2 graphs (arrow)\n"
    assert done.stderr.splitlines() == [
        f"{source}: 2 of 3 records kept (csv)",
        "  refused 1 (33.3%): no molecule (None, NaN or empty)",
        "    at 3: None",
        "  note: column 'smiles' of 2",
    ]
    assert read(tmp_path / "b.arrow")[0] == Graph("CCO", [(0, 1, "-"), (1, 2, "-")])


def test_convert_as_json_and_with_options(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("CO\n[NH4+]\n")
    done = graphassay(
        *("convert", tmp_path / "a", tmp_path / "b", "--from", "smiles", "--to", "jsonl"),
        *("--hydrogens", "explicit-h", "--charges", "--json"),
    )
    assert done.returncode == 0
    assert json.loads(done.stdout)["read"]["n_kept"] == 2
    assert json.loads(done.stdout)["written"]["format"] == "jsonl"
    assert read(tmp_path / "b")[1].vertex_labels == ("N+", "H", "H", "H", "H")


def test_control_codes_of_a_file_do_not_reach_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "a.smi").write_text("C\n\x1b[31mred\n")
    done = graphassay("convert", tmp_path / "a.smi", tmp_path / "b.arrow")
    assert done.returncode == 0
    assert "\x1b" not in done.stderr
    assert "at 2: \\x1b[31mred" in done.stderr


def test_what_cannot_be_written_is_reported(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(
        '{"vertices": ["C"], "edges": []}\n{"vertices": ["Q"], "edges": []}\n'
    )
    done = graphassay("convert", tmp_path / "a.jsonl", tmp_path / "b.smi")
    assert done.returncode == 0
    assert f"{tmp_path / 'b.smi'}: 1 of 2 records written (smiles)" in done.stderr
    failed = graphassay("convert", "--strict", tmp_path / "a.jsonl", tmp_path / "c.smi")
    assert failed.returncode == 2
    assert len(failed.stderr.splitlines()) == 1


@pytest.mark.parametrize("option", [["--from", "foo"], ["--column", "foo"]])
def test_wrong_options(option: list[str], tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("smiles\nC\n")
    done = graphassay("convert", tmp_path / "a.csv", tmp_path / "b.arrow", *option)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "'foo'" in done.stderr
