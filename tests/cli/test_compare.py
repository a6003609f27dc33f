"""``graphassay compare`` as a user runs it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from graphassay import results
from report.sample_result import sample_result


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "graphassay", "compare", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("audits")
    for name, options in (("a", {}), ("b", {"holdout": False, "em": 0.9})):
        (root / name).mkdir()
        text = results.dumps(sample_result(n_patterns=3, name=name, **options))
        (root / name / "results.json").write_text(text)
    return root


def test_files_and_folders_give_one_page(folder: Path, tmp_path: Path) -> None:
    page = tmp_path / "compare.html"
    done = run(str(folder / "a"), str(folder / "b" / "results.json"), "--out", str(page))
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(page)
    assert "warning: The holdout sets differ" in done.stderr
    assert "2 generators compared" in page.read_text()


def test_json_goes_to_stdout(folder: Path, tmp_path: Path) -> None:
    done = run(str(folder / "a"), str(folder / "b"), "--out", str(tmp_path / "c.html"), "--json")
    document = json.loads(done.stdout)
    assert [audit["name"] for audit in document["audits"]] == ["a", "b"]
    assert document["warnings"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["a"], "at least two audits"),
        (["a", "missing.json"], "missing.json: No such file"),
        (["a", "broken.json"], "not JSON"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(
    folder: Path, tmp_path: Path, arguments: list[str], words: str
) -> None:
    (folder / "broken.json").write_text('{"schema_version": 1')
    paths = [str(folder / argument) for argument in arguments]
    done = run(*paths, "--out", str(tmp_path / "c.html"))
    assert done.returncode == 2
    assert words in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "c.html").exists()
