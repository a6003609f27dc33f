"""`graphassay audit` from the outside: outputs, exit codes, and what it leaves behind."""

import contextlib
import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from graphassay import cli, datasets, io, results
from graphassay.cli.folder import report_folder
from graphassay.errors import InvalidInput, UnwritableOutput

FAST = ["--bootstraps", "10", "--max-vertices", "4"]


@pytest.fixture(scope="module")
def folder(shared: Path, tmp_path_factory) -> Path:
    """A train and a generated set in gSpan text, and sets that cannot be audited."""
    place = tmp_path_factory.mktemp("audit")
    mutag = datasets.load("mutag", source=shared / "tu")
    io.write(mutag, place / "train.gspan")
    io.write(mutag.take(np.random.default_rng(0).integers(188, size=80)), place / "copies.gspan")
    (place / "one.gspan").write_text("t # 0\nv 0 0\nv 1 0\ne 0 1 0\n")
    (place / "bare.gspan").write_text("t # 0\nv 0 0\nt # 1\nv 0 1\n")
    (place / "other.gspan").write_text("t # 0\nv 0 X\nv 1 Y\ne 0 1 Z\n" * 3)
    (place / "broken.smi").write_text("None\nC1CC\n\nnot a molecule\n")
    (place / "train.smi").write_text("CCO\nCCN\nCCC\n" * 30)
    (place / "empty.gspan").write_text("")
    vertices = "".join(f"v {i} 0\n" for i in range(65_536))
    (place / "giant.gspan").write_text(f"t # 0\n{vertices}e 0 1 0\n")
    return place


def _arguments(folder: Path, *more: str, train="train.gspan", generated="copies.gspan") -> list:
    files = ["--train", str(folder / train), "--generated", str(folder / generated)]
    return ["audit", *files, *FAST, *more]


class Done(NamedTuple):
    """What one command left: exit status, and its two streams."""

    status: int
    out: str
    err: str


@pytest.fixture
def command(capfd: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Done]:
    """Runs a command in this process, as a shell would see it."""

    def run(*arguments: str) -> Done:
        monkeypatch.setattr("sys.argv", ["graphassay", *arguments])
        status = 0
        try:
            cli.main()
        except SystemExit as stopped:
            status = int(stopped.code or 0)
        return Done(status, *capfd.readouterr())

    return run


@pytest.fixture
def plain_report(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only results.json: figures take seconds and are the report's own matter."""

    def write(result: results.AuditResult, folder: Path) -> Path:
        (folder / "results.json").write_text(results.dumps(result))
        return folder

    monkeypatch.setattr("graphassay.report.write_report", write)


def _assert_one_line(done: Done, message: str) -> None:
    assert done.status == 2, done.err
    said = [line for line in done.err.splitlines() if line.startswith("graphassay: ")]
    assert len(said) == 1
    assert done.err.splitlines()[-1] == said[0]  # nothing after it, no traceback
    assert message in said[0]
    assert done.out == ""


def test_an_audit_leaves_a_report(command, folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "new" / "report"
    done = command(*_arguments(folder, "--out", str(out), "--sensitivity", "--name", "copier"))
    assert done.status == 0, done.err
    assert "Memorization-dominated" in done.out
    assert "188 of 188 records kept" in done.out
    assert "photocopier" in done.out
    assert "mining patterns" in done.err
    names = {p.name for p in out.iterdir()}
    assert {"report.html", "results.json", "tables.tex", "patterns.parquet"} <= names
    result = results.load(out)
    assert result.name == "copier"
    assert result.provenance.command.startswith("graphassay audit --train")
    assert len(result.sensitivity) == 3
    assert [p.name for p in out.parent.iterdir()] == ["report"]


@pytest.mark.usefixtures("plain_report")
def test_json_is_the_result(command, folder: Path, tmp_path: Path) -> None:
    out = str(tmp_path / "r")
    for _ in "ab":  # the second replaces the first
        done = command(*_arguments(folder, "--out", out, "--json"))
        assert done.status == 0, done.err
        assert results.loads(done.out) == results.load(out)


@pytest.mark.usefixtures("plain_report")
def test_named_sets_and_failed_generations(command, tmp_path: Path) -> None:
    generated, out = tmp_path / "generated.smi", tmp_path / "r"
    generated.write_text("CCO\nNone\nCCN\n" * 30)
    done = command(
        "audit", "--train", "qm9-sample", "--generated", str(generated), "--out", str(out),
        "--subsample", "300", "--repeats", "2", *FAST,
    )  # fmt: skip
    assert done.status == 0, done.err
    assert "60 of 90 records kept" in done.out
    assert "refused 30 (33.3%)" in done.out
    assert results.load(out).copying["generated"].n_failed == 30


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"generated": "missing.gspan"}, "missing.gspan"),
        ({"generated": "empty.gspan"}, "empty.gspan"),
        ({"train": "train.smi", "generated": "broken.smi"}, "3 records"),
        ({"generated": "bare.gspan"}, "none of the 2 graphs has an edge"),
        ({"train": "bare.gspan"}, "none of the 2 graphs has an edge"),
        ({"train": "giant.gspan"}, "graph 0: expected at most 65,535 vertices, got 65,536"),
        ({"generated": "giant.gspan"}, "graph 0: expected at most 65,535 vertices, got 65,536"),
        ({"generated": "other.gspan"}, "no vertex label in common"),
    ],
)
def test_sets_that_cannot_be_audited(command, folder, tmp_path, files, message: str) -> None:
    done = command(*_arguments(folder, "--out", str(tmp_path / "r"), **files))
    _assert_one_line(done, message)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("support", "message"),
    [
        ("1.5", "expected a share in (0, 1]"),
        ("0.0", "expected a share in (0, 1]"),
        ("0", "expected a count of at least 1"),
        ("-3", "expected a count of at least 1"),
        ("500", "500 graphs is more than the 80 graphs of the smaller set"),
        ("many", "expected a share such as 0.1 or a count such as 18"),
        ("nan", "expected a share in (0, 1]"),
    ],
)
def test_supports_out_of_range(command, folder, tmp_path, support: str, message: str) -> None:
    done = command(*_arguments(folder, f"--min-support={support}", "--out", str(tmp_path / "r")))
    _assert_one_line(done, message)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("plain_report")
def test_a_single_graph_is_audited(command, folder: Path, tmp_path: Path) -> None:
    out = str(tmp_path / "r")
    one = {"train": "one.gspan", "generated": "one.gspan"}
    done = command(*_arguments(folder, "--out", out, **one))
    assert done.status == 0, done.err
    assert "Undecided" in done.out


@pytest.mark.usefixtures("plain_report")
def test_an_output_folder_that_cannot_be_written(command, folder: Path, tmp_path: Path) -> None:
    def audit_into(out: Path | str, *more: str) -> Done:
        return command(*_arguments(folder, "--out", str(out), *more))

    in_the_way = tmp_path / "file"
    in_the_way.write_text("mine")
    _assert_one_line(audit_into(in_the_way), "expected a folder, got a file")
    _assert_one_line(audit_into(in_the_way / "r"), "cannot write")
    _assert_one_line(audit_into("/proc/report"), "cannot write")
    foreign = tmp_path / "thesis"
    foreign.mkdir()
    (foreign / "chapter1.tex").write_text("mine")
    _assert_one_line(audit_into(foreign), "not a report of ours")
    assert [p.name for p in foreign.iterdir()] == ["chapter1.tex"]
    assert audit_into(foreign, "--force").status == 0
    assert (foreign / "chapter1.tex").read_text() == "mine"
    assert (foreign / "results.json").exists()


def test_a_full_disk_leaves_nothing(folder: Path, tmp_path: Path) -> None:
    def small_files_only() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # writes beyond the limit fail instead
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    done = subprocess.run(
        [sys.executable, "-m", "graphassay", *_arguments(folder, "--out", str(tmp_path / "r"))],
        capture_output=True, text=True, preexec_fn=small_files_only, check=False,
    )  # fmt: skip
    _assert_one_line(Done(done.returncode, done.stdout, done.stderr), "cannot write")
    assert ".part" not in done.stderr  # a name that nobody asked for
    assert list(tmp_path.iterdir()) == []


PHASES = ["reading", "rewiring", "finding", "mining patterns", "scoring", "choosing", "writing"]


@pytest.mark.parametrize("phase", PHASES)
def test_ctrl_c_in_every_phase_leaves_nothing(
    command, folder: Path, tmp_path: Path, monkeypatch, phase: str
) -> None:
    def say(text: str) -> None:
        if text.startswith(phase):
            os.kill(os.getpid(), signal.SIGINT)

    for module in ("progress", "inputs"):
        monkeypatch.setattr(sys.modules[f"graphassay.cli.{module}"], "say", say)
    done = command(*_arguments(folder, "--out", str(tmp_path / "r")))
    assert done.status == 130
    assert "Traceback" not in done.err
    assert list(tmp_path.iterdir()) == []


def test_a_failed_block_leaves_the_old_report(tmp_path: Path) -> None:
    out = tmp_path / "report"
    with report_folder(out) as folder:
        (folder / "results.json").write_text("old")
        (folder / "figures").mkdir()
        (folder / "figures" / "a.svg").write_text("old")
    with contextlib.suppress(KeyboardInterrupt), report_folder(out) as folder:
        (folder / "results.json").write_text("half")
        raise KeyboardInterrupt
    assert (out / "results.json").read_text() == "old"
    (out / "notes.txt").write_text("mine")
    with report_folder(out) as folder:
        (folder / "results.json").write_text("new")
        (folder / "figures").mkdir()
        (folder / "figures" / "a.svg").write_text("new")
    assert (out / "results.json").read_text() == "new"
    assert (out / "figures" / "a.svg").read_text() == "new"
    assert (out / "notes.txt").read_text() == "mine"
    assert [p.name for p in tmp_path.iterdir()] == ["report"]


HOLD = """
import pathlib, sys
from graphassay.cli.folder import report_folder
with report_folder(pathlib.Path(sys.argv[1])) as folder:
    (folder / "results.json").write_text("half")
    (folder / "figures").mkdir()
    print(folder.name, flush=True)
    sys.stdin.read()
"""


def test_leftovers_of_killed_processes_go_and_folders_in_use_stay(tmp_path: Path) -> None:
    def start(out: str) -> tuple[subprocess.Popen[str], str]:
        process = subprocess.Popen(
            [sys.executable, "-c", HOLD, str(tmp_path / out)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert process.stdout is not None
        return process, process.stdout.readline().strip()

    def here() -> set[str]:
        return {path.name for path in tmp_path.iterdir()}

    started = [start("report"), start("report"), start("report.b"), start("report-b")]
    (killed, gone), (alive, used), *others = started
    mine = {".report.mine.part", ".report-abcdefgh.part"}
    for name in mine:
        (tmp_path / name).mkdir()
    (tmp_path / ".report.abcdefgh.part").symlink_to(tmp_path / ".report.mine.part")
    kept = {used, *(name for _, name in others), *mine, ".report.abcdefgh.part"}
    try:
        for process in (killed, *(process for process, _ in others)):
            process.kill()
            process.wait()
        assert here() == kept | {gone}
        with report_folder(tmp_path / "report") as folder:
            (folder / "results.json").write_text("new")
            assert here() == kept | {folder.name}  # those of other reports are not its business
        assert here() == kept | {"report"}
        alive.communicate("")  # it was left alone: it finishes
        assert alive.returncode == 0
        assert (tmp_path / "report" / "results.json").read_text() == "half"
        assert here() == (kept | {"report"}) - {used}
    finally:
        for process, _ in started:
            process.kill()
            process.communicate()


def test_a_new_folder_that_is_taken_for_a_leftover_is_made_again(
    tmp_path: Path, monkeypatch
) -> None:
    from graphassay.cli import folder as module

    real, seen = module._lock, []

    def late(path: Path) -> int:
        seen.append(path)
        if len(seen) == 1:
            path.rmdir()  # by another process, before it could be locked
        found = real(path)
        if len(seen) == 2:
            path.rmdir()  # … and before the lock was ours
        return found

    monkeypatch.setattr(module, "_lock", late)
    with report_folder(tmp_path / "report") as folder:
        assert folder == seen[2]
        (folder / "results.json").write_text("new")
    assert [p.name for p in tmp_path.iterdir()] == ["report"]


def test_foreign_folders_and_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("x")
    with pytest.raises(InvalidInput, match="not a report of ours"), report_folder(tmp_path):
        pass
    with pytest.raises(UnwritableOutput, match="got a file"), report_folder(tmp_path / "mine.txt"):
        pass


@pytest.mark.usefixtures("plain_report")
def test_threads_change_nothing_but_the_provenance(command, folder: Path, tmp_path: Path) -> None:
    found = []
    for threads in ("1", "2"):
        out = tmp_path / threads
        done = command(*_arguments(folder, "--out", str(out), "--threads", threads))
        assert done.status == 0, done.err
        document = json.loads((out / "results.json").read_text())
        del document["provenance"]
        found.append(document)
    assert found[0] == found[1]
