"""The README's snippet runs, its commands exist, and its links lead somewhere."""

import re
from pathlib import Path

import pytest

from graphassay import datasets, write
from graphassay.cli import app

README = Path(__file__).parents[2] / "README.md"
TEXT = README.read_text(encoding="utf-8")


def test_the_snippet_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    molecules = datasets.load("qm9-sample")
    write(molecules[:200], "train.smi")
    write(molecules[200:400], "generated.smi")
    (snippet,) = re.findall(r"^```python\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    exec(compile(snippet, str(README), "exec"), {})
    assert (tmp_path / "report" / "report.html").is_file()


def test_every_command_is_named() -> None:
    named = set(re.findall(r"`(?:graphassay )?([a-z]+)`", TEXT))
    assert {command.name for command in app.registered_commands} <= named


def test_the_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", TEXT):
        assert target.startswith("https://doi.org/") or (README.parent / target).exists(), target
