"""Options and output that all commands share."""

import copy
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, TypeVar

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

Command = TypeVar("Command", bound=Callable[..., None])


def option_groups(groups: Mapping[str, Sequence[str]]) -> Callable[[Command], Command]:
    """Show options of a command in groups in its help; the others stay in the first, nameless one.

    Args:
        groups: title -> names of the command's parameters.
    """

    def grouped(command: Command) -> Command:
        for title, names in groups.items():
            for name in names:
                annotation = command.__annotations__[name]
                (option,) = annotation.__metadata__
                shown = copy.copy(option)
                shown.rich_help_panel = title
                command.__annotations__[name] = Annotated[annotation.__origin__, shown]
        return command

    return grouped


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
