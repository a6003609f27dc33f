"""Yes/no properties of samples from a table of the user's."""

import csv
from pathlib import Path

import numpy as np
import numpy.typing as npt

from graphassay.errors import InvalidInput, UnreadableFile

Bools = npt.NDArray[np.bool_]

_WORDS = {
    "true": True, "yes": True, "1": True, "1.0": True,
    "false": False, "no": False, "0": False, "0.0": False,
}  # fmt: skip


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
    name, _, column = text.rpartition(":")
    if not name or not column:
        raise InvalidInput(f"--target: expected FILE:COLUMN, got {text!r}")
    path = Path(name)
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
