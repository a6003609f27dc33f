"""SMILES: one per line (``.smi``, ``.txt``), or a column of a table (``.csv``, ``.tsv``).

In a plain file the first word of a line is the SMILES and the rest a name; a first line that reads
``smiles`` is a header; blank lines are no records. In a table the whole field must be the SMILES,
and an empty field is a failed record. ``None``, ``NaN`` and what RDKit cannot read are failed
records too: a generator's failures stay in the denominator.
"""

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from graphassay.errors import InvalidInput, UnreadableFile
from graphassay.graph import GraphSet
from graphassay.intake import IntakeTally
from graphassay.io.options import ReadOptions
from graphassay.io.records import molecules_of, parse_records
from graphassay.io.source import Source
from graphassay.molecules.columns import graph_set

HEADERS = frozenset({"smiles", "canonical_smiles", "isomeric_smiles", "smi"})
DELIMITERS = ",\t;|"


def read(source: Source, options: ReadOptions) -> GraphSet:
    """Read one SMILES per line; ``sources`` are the SMILES, ``records`` their lines."""
    tally = IntakeTally(str(source.path), "smiles")
    texts: list[str] = []
    places: list[int] = []
    n_blank = 0
    for line, text in enumerate(source.text.decode().split("\n"), start=1):
        words = text.split(None, 1)
        if words:
            texts.append(words[0])
            places.append(line)
        else:
            n_blank += 1
    n_blank -= source.text.endswith(b"\n")
    if texts and texts[0].lower() in HEADERS:
        tally.notes.append(f"line {places[0]} is a header")
        del texts[0], places[0]
    if n_blank:
        tally.notes.append(f"{n_blank:,} blank lines skipped (not records)")
    return _molecules(source, options, tally, texts, places)


def read_table(source: Source, options: ReadOptions) -> GraphSet:
    """Read the SMILES of a table with a header line."""
    tally = IntakeTally(str(source.path), "csv")
    text = source.text.decode()
    header = text.split("\n", 1)[0]
    counts = {delimiter: header.count(delimiter) for delimiter in DELIMITERS}
    delimiter = max(counts, key=lambda d: counts[d])
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    texts: list[str] = []
    places: list[int] = []
    try:
        names = [name.strip() for name in next(row for row in rows if row)]
        index = _column(source.path, names, options.column)
        line = rows.line_num + 1
        for row in rows:
            if row:
                texts.append(row[index] if index < len(row) else "")
                places.append(line)
            line = rows.line_num + 1
    except csv.Error as error:
        raise UnreadableFile(f"{source.path}: line {rows.line_num}: not a table: {error}") from None
    tally.notes.append(f"column {names[index]!r} of {len(names)}")
    return _molecules(source, options, tally, texts, places)


def _column(path: Path, names: Sequence[str], wanted: str | None) -> int:
    shown = ", ".join(names[:8])
    if wanted is not None:
        if wanted not in names:
            raise InvalidInput(f"{path}: no column {wanted!r}; the columns are: {shown}")
        return names.index(wanted)
    lower = [name.lower() for name in names]
    exact = [i for i, name in enumerate(lower) if name in HEADERS]
    near = [i for i, name in enumerate(lower) if "smiles" in name]
    for found in (exact, near):
        if len(found) == 1:
            return found[0]
        if len(found) > 1:
            several = ", ".join(names[i] for i in found)
            raise InvalidInput(f"{path}: several SMILES columns ({several}); choose with --column")
    raise InvalidInput(
        f"{path}: no SMILES column among: {shown}; name it with --column, "
        "or read a file without header with --format smiles"
    )


def _molecules(
    source: Source, options: ReadOptions, tally: IntakeTally, texts: list[str], places: list[int]
) -> GraphSet:
    import pyarrow as pa

    columns, kept = parse_records(texts, places, "smiles", options, tally)
    return graph_set(
        columns,
        options.molecules,
        sources=pa.array(texts, type=pa.string()).take(pa.array(kept)),
        records=np.array(places, dtype=np.int64)[kept],
        intake=tally.report(sha256=source.sha256),
    )


def write(graphs: GraphSet, tally: IntakeTally) -> Iterator[bytes]:
    """One SMILES per line; graphs that are no molecule are refused in ``tally``."""
    from rdkit import Chem

    for text, mol in molecules_of(graphs, tally):
        yield (Chem.MolToSmiles(mol) if text is None else text).encode() + b"\n"


def write_table(graphs: GraphSet, tally: IntakeTally) -> Iterator[bytes]:
    """A table of one column, ``SMILES`` (which never needs quotes)."""
    yield b"SMILES\n"
    yield from write(graphs, tally)
