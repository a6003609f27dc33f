"""Parsing millions of molecules in several processes.

The processes are plain Python programs on pipes (see `graphassay.molecules.worker`), neither forks
nor multiprocessing children: they work under any start method, in notebooks and in scripts without
a main guard, and hold no copy of this process.
"""

import contextlib
import dataclasses
import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from graphassay.cores import n_cores
from graphassay.errors import GraphAssayError
from graphassay.graph import MoleculeOptions
from graphassay.intake import Refusal, RefusedRecord
from graphassay.molecules.parsing import Notation, ParsedTexts, parse_texts
from graphassay.molecules.worker import read_frame, unpack, write_frame

_Done = queue.SimpleQueue[tuple[int, bytes | None]]

CHUNK = 2000
"""Texts per message: large enough to hide the pipe, small enough for a lively progress bar."""
WORTHWHILE = 6000
"""Fewer texts than this are parsed here, before other processes would have started."""


def parse_in_parallel(
    texts: Sequence[str],
    places: Sequence[int],
    notation: Notation,
    options: MoleculeOptions,
    *,
    processes: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[ParsedTexts]:
    """Parse texts in chunks; results come in order, ``kept`` counting from the first text.

    Texts must not contain NUL.

    Raises:
        GraphAssayError: a process died (killed, or out of memory).
    """
    starts = range(0, len(texts), CHUNK)
    n_processes = min(processes or n_cores(), len(starts))
    results: Iterator[ParsedTexts]
    if n_processes > 1 and (processes or len(texts) >= WORTHWHILE):
        asked = {"notation": notation, "options": dataclasses.asdict(options)}
        frames = answers(texts, starts, "graphassay.molecules.worker", asked, n_processes)
        results = map(unpack, frames)
    else:
        results = (
            parse_texts(run, range(len(run)), notation, options)
            for run in (texts[start : start + CHUNK] for start in starts)
        )
    for start, parsed in zip(starts, results, strict=True):
        yield _placed(parsed, start, places)
        if progress is not None:
            progress(min(start + CHUNK, len(texts)), len(texts))


def _placed(parsed: ParsedTexts, start: int, places: Sequence[int]) -> ParsedTexts:
    """Positions inside a chunk become positions and places inside the whole."""
    refused = tuple(
        Refusal(
            refusal.reason,
            refusal.n,
            tuple(RefusedRecord(int(places[start + e.place]), e.text) for e in refusal.examples),
        )
        for refusal in parsed.refused
    )
    return ParsedTexts(parsed.columns, parsed.kept + start, refused)


class _Chunks:
    """The numbered chunks, each handed out once, to whichever thread asks first."""

    def __init__(self, texts: Sequence[str], starts: range) -> None:
        self._texts = texts
        self._size = starts.step
        self._starts = iter(enumerate(starts))
        self._lock = threading.Lock()

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        return self

    def __next__(self) -> tuple[int, bytes]:
        with self._lock:
            number, start = next(self._starts)
        return number, "\0".join(self._texts[start : start + self._size]).encode()


class _Feeder(threading.Thread):
    """Feeds one process: takes a chunk, sends it, hands on the answer; None when that failed."""

    def __init__(
        self, worker: subprocess.Popen[bytes], chunks: Iterator[tuple[int, bytes]], done: _Done
    ) -> None:
        super().__init__(daemon=True)
        self.worker = worker
        self.chunks = chunks
        self.done = done

    def run(self) -> None:
        assert self.worker.stdin is not None
        assert self.worker.stdout is not None
        for number, text in self.chunks:
            try:
                write_frame(self.worker.stdin, text)
                frame = read_frame(self.worker.stdout)
            except (OSError, ValueError):  # the pipe broke, or our own clean-up closed it
                frame = None
            self.done.put((number, frame))
            if frame is None:
                return


def answers(
    texts: Sequence[str],
    starts: range,
    module: str,
    asked: Mapping[str, Any],
    n_processes: int,
) -> Iterator[bytes]:
    """A frame per chunk of texts from processes that run ``module``, in order.

    Chunks begin at ``starts`` and go to whichever process is free. ``asked`` is the JSON that the
    processes get as their argument.

    Raises:
        GraphAssayError: a process died (killed, or out of memory).
    """
    done: _Done = queue.SimpleQueue()
    chunks = _Chunks(texts, starts)
    workers: list[subprocess.Popen[bytes]] = []
    feeders: list[_Feeder] = []
    waiting: dict[int, bytes] = {}
    try:
        for _ in range(n_processes):
            workers.append(_start(module, asked))
            feeders.append(_Feeder(workers[-1], chunks, done))
            feeders[-1].start()
        for number in range(len(starts)):
            while number not in waiting:
                arrived, frame = done.get()
                if frame is None:
                    raise GraphAssayError(
                        "a process that read molecules died (killed, or out of memory?); "
                        "try again with fewer processes"
                    )
                waiting[arrived] = frame
            yield waiting.pop(number)
    finally:
        for worker in workers:
            worker.kill()
        for feeder in feeders:
            feeder.join()
        for worker in workers:
            with contextlib.suppress(OSError):  # what was not sent cannot be flushed any more
                worker.__exit__(None, None, None)  # closes the pipes
            worker.wait()


def _start(module: str, asked: Mapping[str, Any]) -> subprocess.Popen[bytes]:
    path = os.pathsep.join(entry for entry in sys.path if entry)
    return subprocess.Popen(  # noqa: S603 - this very Python and package
        [sys.executable, "-P", "-m", module, json.dumps(asked)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": path},
        start_new_session=True,
    )
