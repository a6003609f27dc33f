"""Graphs named on the command line: a file, a folder, or one of our data sets."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from graphassay.cli.common import say

if TYPE_CHECKING:
    from graphassay.graph import GraphSet, MoleculeOptions

FromFormat = Annotated[
    str | None, typer.Option("--from", help="Format of all these files (default: guessed of each).")
]
Column = Annotated[
    str | None, typer.Option("--column", help="CSV column with the SMILES (default: guessed).")
]
Hydrogens = Annotated[
    Literal["heavy", "explicit-h"],
    typer.Option("--hydrogens", help="Leave hydrogens implicit, or make them vertices."),
]
Kekulize = Annotated[
    bool, typer.Option("--kekulize", help="Single and double instead of aromatic bonds.")
]
Charges = Annotated[bool, typer.Option("--charges", help="Put formal charges in the labels.")]


def molecule_options(
    hydrogens: Literal["heavy", "explicit-h"], *, kekulize: bool, charges: bool
) -> "MoleculeOptions":
    """The options of the command line as one record."""
    from graphassay.graph import MoleculeOptions

    return MoleculeOptions(hydrogens=hydrogens, kekulize=kekulize, charges=charges)


def read_graphs(
    source: str,
    *,
    format: str | None = None,
    column: str | None,
    molecules: "MoleculeOptions",
    seed: int = 0,
) -> "GraphSet":
    """Read a path, else a data set by its name (``moses:test`` for a split).

    Raises:
        UnreadableFile: neither a readable file nor a known name.
    """
    from graphassay import datasets, io
    from graphassay.cli.progress import reading
    from graphassay.errors import InvalidInput

    if not Path(source).exists():
        name, _, split = source.partition(":")
        try:
            known = datasets.find(name)
        except InvalidInput:
            known = None
        if known is not None:
            say(f"loading {source}")
            return datasets.load(known.name, split=split or None, molecules=molecules, seed=seed)
    say(f"reading {source}")
    with reading(Path(source)) as advance:
        return io.read(
            Path(source), format=format, column=column, molecules=molecules, progress=advance
        )


def parse_support(text: str) -> float | int:
    """``18`` is a count, ``0.1`` a share.

    Raises:
        InvalidInput: not a number.
    """
    from graphassay.errors import InvalidInput

    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        raise InvalidInput(
            f"--min-support: expected a share such as 0.1 or a count such as 18, got {text!r}"
        ) from None
