"""What the system says of a file or of memory is one line, whatever command met it."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from graphassay import cli
from graphassay.cli.folder import report_folder
from graphassay.errors import UnwritableOutput
from graphassay.lm.run import Run

LONG = "x" * 300


def call(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    monkeypatch.setattr(sys, "argv", ["graphassay", *map(str, arguments)])
    try:
        cli.main()
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    import graphassay.lm  # noqa: F401 (first: asks OpenMP to sleep before torch loads it)
    from graphassay.lm.train import train
    from lm.tiny import TINY, small_graphs

    out = tmp_path_factory.mktemp("failures") / "run"
    return train(small_graphs(), out, TINY.replace(steps=1, checkpoints=1), device="cpu").run


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("sample", LONG, "--out", "g.smi"), f"{LONG}: File name too long"),
        (("score", LONG, "m.smi", "--out", "s.csv"), f"{LONG}: File name too long"),
        (("audit", "--run", LONG, "--out", "a"), "xxx: File name too long"),
        (("audit", "--train", LONG, "--generated", "m.smi", "--out", "a"), "xxx: "),
        (("audit", "--train", "m.smi", "--generated", LONG, "--out", "a"), "xxx: "),
        (("audit", "--train", "m.smi", "--generated", "m.smi", "--out", LONG), "File name too"),
        (("compare", LONG, LONG), "File name too long"),
        (("train", "--data", "m.smi", "--out", "m.smi"), "m.smi: expected a folder, got a file"),
        (("train", "--data", "m.smi", "--out", LONG), "cannot write (File name too long)"),
        (("train", "--data", LONG, "--out", "r"), "File name too long"),
    ],
)
def test_paths_that_the_system_refuses(
    arguments: tuple[str, ...],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("m.smi").write_text("CCO\nCC=O\nc1ccccc1\n" * 10)
    assert call(monkeypatch, *arguments) == 2
    said = [x for x in capsys.readouterr().err.splitlines() if x.startswith("graphassay: ")]
    assert len(said) == 1
    assert message in said[0]
    assert [path.name for path in tmp_path.iterdir()] == ["m.smi"]


def test_an_input_is_not_blamed_on_the_output(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="absent"), report_folder(tmp_path / "report"):
        (tmp_path / "absent").read_bytes()
    with (
        pytest.raises(UnwritableOutput, match=r"report: cannot write \(No such file"),
        report_folder(tmp_path / "report") as folder,
    ):
        (folder / "none" / "table.csv").write_bytes(b"")
    with (
        pytest.raises(UnwritableOutput, match=r"report: cannot write \(No space left"),
        report_folder(tmp_path / "report"),
    ):
        raise OSError(28, "No space left on device")  # a write names no file
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (PermissionError(13, "Permission denied", "run.json"), "run.json: Permission denied"),
        (OSError(5, "Input/output error"), "Input/output error"),
        (OSError("no such thing"), "no such thing"),
    ],
)
def test_the_system_s_errors_are_one_line(
    error: OSError,
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(**_: object) -> int:
        raise error

    monkeypatch.setattr(cli, "app", fail)
    assert call(monkeypatch, "audit") == 2
    assert capsys.readouterr().err == f"graphassay: {message}\n"


def test_memory_that_torch_is_refused(
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The real thing: a table of rotations for a context that no memory holds."""
    copy = Path(shutil.copytree(run.root, tmp_path / "copy"))
    config = json.loads((copy / "config.json").read_text()) | {"max_position_embeddings": 10**13}
    (copy / "config.json").write_text(json.dumps(config))
    assert call(monkeypatch, "sample", copy, "-n", 2, "--out", tmp_path / "g.jsonl") == 1
    said = [x for x in capsys.readouterr().err.splitlines() if x.startswith("graphassay: ")]
    assert len(said) == 1
    assert said[0].startswith("graphassay: out of memory (")
    assert "you tried to allocate" in said[0]


def test_memory_of_a_gpu(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import torch

    def fail(**_: object) -> int:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has")

    monkeypatch.setattr(cli, "app", fail)
    assert call(monkeypatch, "train") == 1
    said = capsys.readouterr().err
    assert said.startswith("graphassay: out of memory (CUDA out of memory. Tried to allocate 2.00")


def test_other_errors_of_the_program_are_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(**_: object) -> int:
        raise RuntimeError("expected a mistake")

    monkeypatch.setattr(cli, "app", fail)
    with pytest.raises(RuntimeError, match="expected a mistake"):
        call(monkeypatch, "train")
