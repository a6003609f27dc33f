"""The script behind docs/results/models.md names real commands, and makes what the tables read."""

import importlib.util
import os
import subprocess
from pathlib import Path

import pytest
import typer

from graphassay.cli import app

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "benchmarks" / "model_runs.sh"
PARTS = ("mutag", "qm9", "corpus", "orders", "seeds", "planar")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What is there before the first run: the split is made, no model is."""
    (tmp_path / "qm9").mkdir()
    (tmp_path / "qm9" / "test.smi").touch()
    return tmp_path


def commands(folder: Path, *parts: str) -> list[list[str]]:
    """What the script would run, a list of arguments each."""
    said = subprocess.run(
        ["bash", SCRIPT, folder, *parts],
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "GRAPHASSAY": "echo"},
    )
    return [line.split() for line in said.stdout.splitlines()]


@pytest.mark.parametrize("part", PARTS)
def test_every_command_parses(folder: Path, part: str) -> None:
    group = typer.main.get_command(app)
    for name, *arguments in commands(folder, part):
        group.commands[name].make_context(name, arguments)  # type: ignore[attr-defined]


def test_all_parts_are_the_default(folder: Path) -> None:
    assert commands(folder) == [c for part in PARTS for c in commands(folder, part)]


def test_recipes_exist(folder: Path) -> None:
    given = [c[c.index("--config") + 1] for c in commands(folder) if "--config" in c]
    assert given
    assert [path for path in given if not (ROOT / path).is_file()] == []


def test_tables_read_what_is_made(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = importlib.util.spec_from_file_location(
        "model_tables", ROOT / "benchmarks" / "model_tables.py"
    )
    assert spec is not None
    assert spec.loader is not None
    tables = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tables)
    assert tuple(tables.PARTS) == PARTS
    made = {Path(c[c.index("--out") + 1]) for c in commands(folder)}
    for part in PARTS:
        for path in tables.reads(folder, part):
            assert path in made, path
