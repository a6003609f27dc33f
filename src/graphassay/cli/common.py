"""Options and output that all commands share."""

import copy
import inspect
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
        groups: title -> names of the command's keyword-only parameters, in the order of the help.
    """

    def grouped(command: Command) -> Command:
        signature = inspect.signature(command)
        left = dict(signature.parameters)
        given = [name for name, p in left.items() if p.kind is not p.KEYWORD_ONLY]
        ordered = [left.pop(name) for name in given]
        for title, names in groups.items():
            for name in names:
                parameter = left.pop(name)
                (option,) = parameter.annotation.__metadata__
                shown = copy.copy(option)
                shown.rich_help_panel = title
                kind = parameter.annotation.__origin__
                ordered.append(parameter.replace(annotation=Annotated[kind, shown]))
        of_help = signature.replace(parameters=[*ordered, *left.values()])
        command.__signature__ = of_help  # type: ignore[attr-defined]
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
