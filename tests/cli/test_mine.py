import json
from pathlib import Path

import pytest

from graphassay import cli

GSPAN = "t # 0\nv 0 C\nv 1 C\nv 2 O\ne 0 1 -\ne 1 2 -\nt # 1\nv 0 C\nv 1 O\ne 0 1 -\n"


@pytest.fixture
def graphs(tmp_path: Path) -> Path:
    path = tmp_path / "graphs.gspan"
    path.write_text(GSPAN)
    return path


def run(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    monkeypatch.setattr("sys.argv", ["graphassay", "mine", *map(str, arguments)])
    with pytest.raises(SystemExit) as end:
        cli.main()
    return int(end.value.code or 0)


def test_writes_patterns_and_prints_a_summary(
    graphs: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = tmp_path / "patterns.csv"
    assert run(monkeypatch, graphs, "--min-support", "0.5", "--out", out, "--json") == 0
    result = json.loads(capsys.readouterr().out)
    assert result["n_patterns"] == 3
    assert result["databases"] == [
        {"name": "graphs.gspan", "total": 2, "min_count": 1, "n_frequent": 3}
    ]
    assert len(out.read_text().splitlines()) == 4


def test_several_files_are_one_traversal(
    graphs: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    other = tmp_path / "other.gspan"
    other.write_text("t # 0\nv 0 C\nv 1 O\ne 0 1 -\n")
    assert run(monkeypatch, graphs, other, "--min-support", "1.0") == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "1 patterns"
    assert printed[2] == "other.gspan: 1 frequent (in at least 1 of 1 graphs)"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--min-support", "2.5"], "share in (0, 1]"),
        (["--min-support", "0"], "count of at least 1"),
        (["--min-support", "3"], "at most 2"),
        (["--min-support", "often"], "got 'often'"),
        (["--max-vertices", "99"], "max_vertices: expected 2 to 16"),
        (["--max-patterns", "0"], "max_patterns: expected at least 1"),
        (["--time-limit", "nan"], "time_limit_s: expected a number of seconds"),
        (["--time-limit=-1"], "time_limit_s: expected a number of seconds"),
        (["--out", "nowhere/at/all.csv"], "nowhere/at/all.csv: cannot write"),
        (["--out", "patterns.xlsx"], "expected a format among"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(
    graphs: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(monkeypatch, graphs, *arguments) == 2
    complaint = [x for x in capsys.readouterr().err.splitlines() if x.startswith("graphassay:")]
    assert len(complaint) == 1
    assert message in complaint[0]
    assert [path.name for path in tmp_path.iterdir()] == ["graphs.gspan"]


def test_a_limit_is_exit_1(
    graphs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, graphs, "--max-patterns", "1") == 1
    assert "max_patterns" in capsys.readouterr().err
