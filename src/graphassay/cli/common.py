"""Options and output that all commands share."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from graphassay.errors import UnwritableOutput

Seed = Annotated[int, typer.Option("--seed", min=0, help="Same seed, same result.")]
Threads = Annotated[
    int | None,
    typer.Option(
        "--threads", min=1, help="Threads (default: all cores). Results do not depend on it."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print machine-readable JSON on stdout.")]


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn what the system says about an output (permissions, full disk) into one clear line."""
    try:
        yield
    except OSError as error:
        if isinstance(error, UnwritableOutput):
            raise
        raise UnwritableOutput(f"{path}: cannot write ({error.strerror or error})") from None


def say(message: str) -> None:
    """Progress and remarks go to stderr; stdout is for results."""
    print(message, file=sys.stderr, flush=True)
