"""``graphassay train``: what it says beside its result."""

import json
import sys
from pathlib import Path

import pytest

from graphassay.cli import main

SMALL = ("size=custom", "layers=1", "hidden=32", "heads=2", "ffn=32", "batch_size=4")


def train(monkeypatch: pytest.MonkeyPatch, data: Path, out: Path, *options: object) -> int:
    settings = [o for text in (*SMALL, "checkpoints=1") for o in ("--set", text)]
    command = ["train", "--data", data, "--out", out, "--steps", 1, "--device", "cpu", *settings]
    monkeypatch.setattr(sys, "argv", ["graphassay", *map(str, [*command, *options])])
    try:
        main()
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "molecules.smi"
    path.write_text("\n".join(["CO", "CN", "CCCCCCCO", "OC", "c1ccccc1CCO", "CF"] * 5))
    return path


def test_graphs_that_are_left_out_are_said(
    data: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    options = ("--set", "context=12", "--set", "long_graphs=skip")
    assert train(monkeypatch, data, tmp_path / "r", *options) == 0
    said = capsys.readouterr().err.splitlines()
    line = "10 of 30 graphs left out: longer than the context of 12 tokens"
    assert line in said
    assert said.index(line) < next(i for i, x in enumerate(said) if x.startswith("step 1 "))
    assert train(monkeypatch, data, tmp_path / "r", *options, "--json") == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["n_too_long"] == 10
    assert line in captured.err  # of a run that is there already, too


def test_nothing_is_said_where_nothing_is_left_out(
    data: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert train(monkeypatch, data, tmp_path / "r", "--json") == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["n_too_long"] == 0
    assert "left out" not in captured.err


def test_random_linearizations_that_were_skipped_are_said(
    data: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A draw can be longer than those seen when the context was decided."""
    data.write_text("\n".join(["c1ccc2cc3ccccc3cc2c1", "C1CC2CCC1C2", "C1CCC2(CC1)CCCC2"] * 10))
    options = ("--set", "long_graphs=skip", "--steps", 40)
    for context in range(20, 90):
        out = tmp_path / str(context)
        code = train(monkeypatch, data, out, *options, "--set", f"context={context}", "--json")
        captured = capsys.readouterr()
        if code == 0 and (n := json.loads(captured.out)["n_too_long_draws_skipped"]):
            break
    assert f"{n:,} random linearizations skipped: longer than {context} tokens\n" in captured.err
