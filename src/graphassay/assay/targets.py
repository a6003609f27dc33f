"""Yes/no properties of samples: those of molecules, and columns of the user's tables."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from graphassay.assay.molecule_sets import molecules_in
from graphassay.assay.self_assessment import Target
from graphassay.errors import InvalidInput, UnreadableFile
from graphassay.graph import GraphSet, MoleculeOptions
from graphassay.metrics.stability import stable_molecules

Bools = npt.NDArray[np.bool_]

_WORDS = {
    "true": True, "yes": True, "1": True, "1.0": True,
    "false": False, "no": False, "0": False, "0.0": False,
}  # fmt: skip


def own_targets(
    options: MoleculeOptions | None, *, threads: int | None = None
) -> dict[str, Target]:
    """What can be told of generated graphs without being told.

    Args:
        options: how molecules became the graphs; None: they never were any, nothing is known.
        threads: processes for RDKit; default all cores.

    Returns:
        ``stability`` of molecules with explicit hydrogens (every atom), ``validity`` of all.
    """
    if options is None:
        return {}
    found: dict[str, Target] = {}
    if options.hydrogens == "explicit-h":
        found["stability"] = stable_molecules

    def valid(graphs: GraphSet) -> Bools:
        good = np.zeros(len(graphs), dtype=np.bool_)
        good[molecules_in(graphs, options, threads=threads).rows] = True
        return good

    found["validity"] = valid
    return found


def beside_own(
    given: Mapping[str, Target],
    options: MoleculeOptions | None,
    *,
    threads: int | None = None,
) -> tuple[dict[str, Target], list[str]]:
    """The targets that were given, then our own under other names.

    Returns:
        The targets, and a note for each of our own that a given one stands in for.
    """
    own = own_targets(options, threads=threads)
    notes = [
        f"{name} is the column that was given; our own is left out" for name in own if name in given
    ]
    others = {name: target for name, target in own.items() if name not in given}
    return {**given, **others}, notes


def read_targets(texts: Sequence[str], *, n_samples: int) -> dict[str, Target]:
    """Several columns by name, as `read_target`.

    Raises:
        InvalidInput: two columns of one name, or as `read_target`.
        UnreadableFile: no such table.
    """
    by_column: dict[str, str] = {}
    for text in texts:
        column = _split(text)[1]
        if column in by_column:
            raise InvalidInput(
                f"--target: two columns are called {column!r} ({by_column[column]}, {text}); "
                "rename one, so that they can be told apart"
            )
        by_column[column] = text
    return dict(read_target(text, n_samples=n_samples) for text in texts)


def read_target(text: str, *, n_samples: int) -> tuple[str, Bools]:
    """A column of booleans, one per sample, in the order of the samples.

    Args:
        text: ``FILE:COLUMN``; the file is a .csv or .parquet table.
        n_samples: rows that it must have.

    Returns:
        The column's name and values. True, yes and 1 are good; false, no and 0 are bad.

    Raises:
        InvalidInput: not of that form, no such column, other values, or another number of rows.
        UnreadableFile: no such table.
    """
    path, column = _split(text)
    values = _parquet(path, column) if path.suffix == ".parquet" else _csv(path, column)
    if len(values) != n_samples:
        raise InvalidInput(
            f"{path}: column {column} has {len(values):,} rows; expected one per sample, "
            f"failures included: {n_samples:,}"
        )
    good = np.empty(len(values), dtype=np.bool_)
    for row, value in enumerate(values):
        word = str(value).strip().lower()
        if word not in _WORDS:
            raise InvalidInput(
                f"{path}: row {row + 1} of column {column}: expected true or false (yes, no, 1, "
                f"0), got {value!r}"
            )
        good[row] = _WORDS[word]
    return column, good


def _split(text: str) -> tuple[Path, str]:
    name, _, column = text.rpartition(":")
    if not name or not column:
        raise InvalidInput(f"--target: expected FILE:COLUMN, got {text!r}")
    return Path(name), column


def _csv(path: Path, column: str) -> list[str]:
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = csv.DictReader(file)
            names = list(rows.fieldnames or ())
            if column not in names:
                raise _no_column(path, column, names)
            return [row[column] or "" for row in rows]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or error
        raise UnreadableFile(f"{path}: cannot read this table ({reason})") from None


def _parquet(path: Path, column: str) -> list[object]:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        names = list(parquet.read_schema(path).names)
        if column not in names:
            raise _no_column(path, column, names)
        values: list[object] = parquet.read_table(path, columns=[column])[column].to_pylist()
    except (OSError, pa.ArrowException) as error:
        line = next(iter(str(error).splitlines()), "")
        raise UnreadableFile(f"{path}: cannot read this table ({line})") from None
    return values


def _no_column(path: Path, column: str, names: list[str]) -> InvalidInput:
    return InvalidInput(f"{path}: no column {column!r}; the columns are: {', '.join(names[:8])}")
