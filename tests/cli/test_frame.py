"""What every command has in common: usage errors, interrupts, help."""

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from graphassay import cli

COMMANDS = ("audit", "compare", "convert", "datasets", "demo", "mine")


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr("sys.argv", ["graphassay", *arguments])
    with pytest.raises(SystemExit) as end:
        cli.main()
    return int(end.value.code or 0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("adit", "No such command 'adit'"),
        ("audit", "expected --train and --generated (or --run)"),
        ("audit --trian x", "No such option: --trian"),
        ("audit --train a --generated b --max-vertices abc", "Invalid value for '--max-vertices'"),
        ("audit --train a --generated b --max-vertices 1", "Invalid value for '--max-vertices'"),
        ("audit --train a --generated b --max-vertices 17", "max_vertices: expected at most 16"),
        ("audit --train a --generated b --bootstraps 9999999", "bootstraps: expected at most"),
        ("audit --train a --generated b --min-support 1.5", "min_support: expected a share"),
        ("audit --train a --generated b --seed=-1", "Invalid value for '--seed'"),
        ("mine", "Missing argument"),
        ("convert a", "Missing argument"),
        ("convert a b --hydrogens few", "Invalid value for '--hydrogens'"),
        ("compare", "Missing argument"),
        ("datasets --seed x", "Invalid value for '--seed'"),
        ("demo --threads 0", "Invalid value for '--threads'"),
    ],
)
def test_wrong_options_are_one_line_and_exit_2(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: str,
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)  # where no file is: options are checked before anything is read
    assert run(monkeypatch, *arguments.split()) == 2
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1
    assert said[0].startswith("graphassay: ")
    assert message in said[0]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    assert run(monkeypatch, command, "--help") == 0
    assert re.search(rf"Example: graphassay {command} ", capsys.readouterr().out)


def test_help_of_audit_shows_its_options_in_groups(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "audit", "--help") == 0
    panels: dict[str, list[str]] = {}
    plain = re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out)
    for line in plain.splitlines():
        if title := re.match(r"╭─ (.+?) ─", line):
            panels[title[1]] = []
        elif option := re.match(r"│\s+(-[a-z-]+)", line):
            panels[list(panels)[-1]].append(option[1])
    assert list(panels) == [
        "Options", "What to compare", "A trained run", "Orders", "Mining", "Input", "Output",
    ]  # fmt: skip
    assert panels["Options"] == ["--seed", "--threads", "--help"]
    firsts = {title: options[0] for title, options in panels.items() if title != "Options"}
    assert firsts == {
        "What to compare": "--train", "A trained run": "-n", "Orders": "--linearization",
        "Mining": "--min-support", "Input": "--from", "Output": "--out",
    }  # fmt: skip
    # Options that commands share are grouped in this one alone.
    assert run(monkeypatch, "mine", "--help") == 0
    assert "Input" not in capsys.readouterr().out


def test_out_of_memory_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(**_: object) -> int:
        raise MemoryError("7 PiB asked for")

    monkeypatch.setattr(cli, "app", fail)
    assert run(monkeypatch) == 1
    assert capsys.readouterr().err.startswith("graphassay: out of memory (7 PiB asked for)")


def test_ctrl_c_while_processes_parse(tmp_path: Path) -> None:
    """The real thing: a signal to a process with workers; it says so, and leaves nothing."""
    (tmp_path / "many.smi").write_text("CC(=O)Oc1ccccc1C(=O)O\n" * 400_000)
    command = ["convert", str(tmp_path / "many.smi"), str(tmp_path / "out.arrow")]
    process = subprocess.Popen(
        [sys.executable, "-m", "graphassay", *command, "--processes", "2"],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    workers = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    if not workers.exists():
        process.kill()
        pytest.skip("no list of child processes here")
    children: list[str] = []
    while len(children) < 2 and process.poll() is None:
        children = workers.read_text().split()
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=20)
    assert process.returncode == 130
    assert said == "graphassay: interrupted; nothing half-written was left\n"
    assert [p.name for p in tmp_path.iterdir()] == ["many.smi"]
    deadline = time.monotonic() + 5  # one that was just starting ends when its input closes
    while any(Path(f"/proc/{child}").exists() for child in children):
        assert time.monotonic() < deadline, "a worker outlived the command"
        time.sleep(0.05)
