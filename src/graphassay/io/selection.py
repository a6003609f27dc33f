"""Some of a file's records, in the file's own format."""

import csv
import io
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from graphassay.graph import GraphSet
from graphassay.io import source as sources
from graphassay.output import replacing

LINE_FORMATS = frozenset({"smiles", "csv", "jsonl"})
"""Records of these are copied as they stand, with names and other columns."""


def write_selection(
    graphs: GraphSet, rows: npt.ArrayLike, original: str | os.PathLike[str], path: Path
) -> int:
    """Write the chosen graphs of a file that was read.

    Args:
        graphs: what `graphassay.io.read` made of ``original``.
        rows: which of them.
        original: the file; its records are copied where the format has one per line.
        path: where to, in the format of ``original``; gzipped when named ``.gz``.

    Returns:
        How many records were written; graphs that the format cannot hold are not.
    """
    from graphassay.io import write, write_chunks
    from graphassay.io.formats import by_name

    chosen = np.asarray(rows, dtype=np.int64)
    form = graphs.intake.format if graphs.intake is not None else None
    if by_name(path) == "arrow":  # it keeps the intake of the file that it was made from
        form = "arrow"
    if form in LINE_FORMATS and graphs.records is not None:
        places = set(graphs.records[chosen].tolist())
        with replacing(path) as draft:
            write_chunks(path, draft, _lines(Path(original), form, places))
        return len(places)
    return write(graphs.take(chosen), path, format=form).n_kept


def _lines(original: Path, form: str, places: set[int]) -> Iterator[bytes]:
    text = sources.load(original).text.decode()
    lines = text.split("\n")
    if form != "csv":
        for place, line in enumerate(lines, start=1):
            if place in places:
                yield line.rstrip("\r").encode() + b"\n"
        return
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(lines[0]))
    first, header = 1, True
    for row in rows:
        if row and (header or first in places):
            yield "\n".join(lines[first - 1 : rows.line_num]).rstrip("\r").encode() + b"\n"
            header = False
        first = rows.line_num + 1


def _delimiter(header: str) -> str:
    from graphassay.io.smiles import DELIMITERS

    return max(DELIMITERS, key=header.count)
