"""Whole outputs or none, and nothing replaced that is no file."""

import contextlib
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from graphassay import io
from graphassay.errors import UnwritableOutput
from graphassay.graph import Graph, GraphSet
from graphassay.mining import mine
from graphassay.output import check_writable, replacing
from graphassay.report.write import write_bytes

GRAPHS = GraphSet.from_graphs([Graph("CO", [(0, 1, "-")])] * 3)
WRITERS = {
    "io": lambda path: io.write(GRAPHS, path, format="jsonl"),
    "patterns": lambda path: mine(GRAPHS, 1).write(path, format="csv"),
    "report": lambda path: write_bytes(path, b"page"),
}


@pytest.mark.parametrize("writer", WRITERS)
def test_a_pipe_is_written_into_and_stays(tmp_path: Path, writer: str) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()), daemon=True)
    reader.start()
    WRITERS[writer](pipe)
    reader.join(10)
    assert got[0]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert list(tmp_path.iterdir()) == [pipe]


@pytest.mark.parametrize("writer", WRITERS)
def test_a_full_device_is_an_error_and_stays(tmp_path: Path, writer: str) -> None:
    link = tmp_path / "full"
    link.symlink_to("/dev/full")
    with pytest.raises(UnwritableOutput, match=r"full: cannot write .No space left"):
        WRITERS[writer](link)
    assert stat.S_ISCHR(link.stat().st_mode)
    assert list(tmp_path.iterdir()) == [link]


@pytest.mark.parametrize("writer", WRITERS)
def test_a_link_stays_a_link(tmp_path: Path, writer: str) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "real")
    WRITERS[writer](tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").stat().st_size > 0


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("place", ["file/x", "folder"])
def test_what_is_in_the_way_is_one_error(tmp_path: Path, writer: str, place: str) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "folder").mkdir()
    with pytest.raises(UnwritableOutput):
        WRITERS[writer](tmp_path / place)
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["file", "folder"]


def test_standard_output_can_be_named(tmp_path: Path) -> None:
    io.write(GRAPHS, tmp_path / "a.jsonl")
    command = [sys.executable, "-m", "graphassay", "convert", str(tmp_path / "a.jsonl")]
    with (tmp_path / "out").open("wb") as out:
        subprocess.run([*command, "/dev/stdout", "--to", "jsonl"], stdout=out, check=True)
    lines = (tmp_path / "out").read_text().splitlines()
    assert lines == (tmp_path / "a.jsonl").read_text().splitlines()


def test_an_interrupt_leaves_what_was_there(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old")
    with contextlib.suppress(KeyboardInterrupt), replacing(tmp_path / "a") as draft:
        draft.write_text("half")
        raise KeyboardInterrupt
    assert (tmp_path / "a").read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1


def test_what_cannot_be_written_is_said_before_and_nothing_is_left(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("kept")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    before = sorted(tmp_path.iterdir())
    for name in ("new", "file", "link", "folder/new"):
        check_writable(tmp_path / name)
    check_writable(Path("/dev/null"))
    for name, message in (
        ("none/new", r"none/new: cannot write \(No such file or directory\)"),
        ("file/new", r"file/new: cannot write \(Not a directory\)"),
        ("folder", "folder: a folder is in the way"),
    ):
        with pytest.raises(UnwritableOutput, match=message):
            check_writable(tmp_path / name)
    assert sorted(tmp_path.iterdir()) == before
    assert (tmp_path / "file").read_text() == "kept"
