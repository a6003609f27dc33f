"""What the commands show on stderr while files are read, and about what was read."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from graphassay.cli.common import say
from graphassay.intake import IntakeReport, intake_lines


@contextmanager
def reading(path: Path) -> Iterator[Callable[[int, int], None] | None]:
    """A progress callback for `graphassay.io.read` with a bar on stderr; None off a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    columns = ("{task.description}", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(f"reading {path.name}", total=None)

        def advance(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        yield advance


def intake_report(report: IntakeReport | None, *, verb: str = "kept") -> None:
    """Print an intake report on stderr."""
    for line in intake_lines(report, verb=verb) if report else ():
        say(line)


@contextmanager
def phases() -> Iterator[Callable[[str], None]]:
    """What to call with each phase of a long command: a spinner on a terminal, else a line each."""
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield say
        return
    with console.status("starting") as status:
        yield status.update
