"""Graphs from files and back: one module per format behind `read` and `write`."""

import gzip
import importlib
import os
from collections.abc import Iterable
from pathlib import Path

from graphassay.errors import InvalidInput, NothingToCompare, UnreadableFile
from graphassay.graph import NO_LABEL, GraphSet, MoleculeOptions
from graphassay.intake import IntakeReport, IntakeTally
from graphassay.io.formats import FORMATS, Format, by_content, by_name, check_format
from graphassay.io.options import Progress, ReadOptions
from graphassay.io.source import check_exists, load
from graphassay.output import replacing

__all__ = ["FORMATS", "read", "write"]


def read(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    column: str | None = None,
    molecules: MoleculeOptions = MoleculeOptions(),
    processes: int | None = None,
    progress: Progress | None = None,
    strict: bool = False,
) -> GraphSet:
    """Read graphs from a file (or the folder of a TU set); text formats may be gzipped.

    Every record is kept or refused; ``.intake`` of the result says how many were, why, and where.

    Args:
        path: the file.
        format: one of `FORMATS`; guessed from the name, then from the content.
        column: of a table, the column that holds the SMILES; guessed from the header.
        molecules: how molecules become graphs; of no effect on other formats.
        processes: parse molecules in so many processes (default: the cores at hand; small files
            are parsed in this one). The result does not depend on it.
        progress: called with (records done, records in all) while molecules parse.
        strict: raise on the first refused record instead of counting it.

    Raises:
        UnreadableFile: missing, empty, truncated, a bomb, or not of that format.
        InvalidInput: an unknown format or column, or, if ``strict``, a refused record.
        NothingToCompare: records there are, but none of them is a graph.

    Example:
        >>> read("qm9.smi.gz").intake.n_kept  # doctest: +SKIP
        130831
    """
    path = Path(path)
    check_exists(path)
    guessed: Format | None = "tu" if path.is_dir() else by_name(path)
    chosen = check_format(format) if format else guessed
    options = ReadOptions(column, molecules, processes, progress)
    graphs = _read(path, chosen, options)
    assert graphs.intake is not None  # every reader fills it
    _check_intake(path, graphs.intake, strict=strict)
    return graphs


_READERS: dict[Format, str] = {"csv": "smiles.read_table", "sparse6": "graph6.read"}
"""Where a format is read when that is not ``<format>.read``."""


def _read(path: Path, chosen: Format | None, options: ReadOptions) -> GraphSet:
    if chosen == "arrow":  # mapped, not loaded
        from graphassay.io import arrow

        return arrow.read(path)
    if path.is_dir():
        from graphassay.io import tu

        if chosen != "tu":
            raise UnreadableFile(
                f"{path}: expected a file, got a folder (only TU sets are folders)"
            )
        return tu.read_folder(path)
    source = load(path)
    if chosen is None:
        chosen = by_content(path, source.data)
        if chosen == "arrow":
            return _read(path, chosen, options)
    module, function = _READERS.get(chosen, f"{chosen}.read").split(".")
    # By name, so that only the format in hand is imported (RDKit and pyarrow are heavy).
    reader = getattr(importlib.import_module(f"graphassay.io.{module}"), function)
    graphs: GraphSet = reader(source, options)
    return graphs


def _check_intake(path: Path, intake: IntakeReport, *, strict: bool) -> None:
    if intake.n_records == 0:
        raise UnreadableFile(f"{path}: no record in this {intake.format} file")
    if intake.n_kept and not (strict and intake.refused):
        return
    examples = [(e.place, e.text, r.reason) for r in intake.refused for e in r.examples]
    place, text, reason = min(examples)
    where = f"{place_name(intake.format)} {place:,}: {reason}" + (f" ({text!r})" if text else "")
    if intake.n_kept:
        raise InvalidInput(
            f"{path}: {where}; {intake.n_refused:,} of {intake.n_records:,} records refused"
        )
    raise NothingToCompare(
        f"{path}: none of {intake.n_records:,} records gives a graph; the first, {where}; "
        f"it was read as {intake.format}, name another format with --from"
    )


def place_name(format: str) -> str:
    """What a record's place counts in that format."""
    return (
        "line" if format in ("smiles", "csv", "gspan", "jsonl", "graph6", "sparse6") else "record"
    )


def write(
    graphs: GraphSet,
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    drop_labels: bool = False,
    strict: bool = False,
) -> IntakeReport:
    """Write graphs to a file, whole or not at all; text formats are gzipped when named ``.gz``.

    A TU set is written as a zip when the name ends in ``.zip``, else as a folder.

    Args:
        graphs: the graphs.
        path: the file.
        format: one of `FORMATS`; guessed from the name.
        drop_labels: let graph6 and sparse6, which hold none, lose the labels.
        strict: raise when a graph is no molecule (SMILES, SDF) instead of counting it.

    Returns:
        How many graphs were written, and which could not be, and why.

    Raises:
        InvalidInput: the format cannot hold these graphs.
        UnwritableOutput: no permission, no such folder, or a full disk.
    """
    path = Path(path)
    chosen = check_format(format) if format else by_name(path)
    if chosen is None:
        raise InvalidInput(
            f"{path}: cannot tell the format from this name; name it ({', '.join(FORMATS)})"
        )
    tally = IntakeTally(str(path), chosen)
    with replacing(path, folder=chosen == "tu" and path.suffix != ".zip") as draft:
        if chosen in ("smiles", "csv", "sdf"):
            _write_molecules(graphs, path, draft, chosen, tally, strict=strict)
        else:
            _write_graphs(graphs, path, draft, chosen, drop_labels=drop_labels)
            tally.keep(len(graphs))
    return tally.report()


def _write_molecules(
    graphs: GraphSet, path: Path, draft: Path, chosen: Format, tally: IntakeTally, *, strict: bool
) -> None:
    from graphassay.io import sdf, smiles

    writer = {"smiles": smiles.write, "csv": smiles.write_table, "sdf": sdf.write}[chosen]
    write_chunks(path, draft, writer(graphs, tally))
    report = tally.report()
    if report.refused and (strict or not report.n_kept):
        first = min((e.place, e.text, r.reason) for r in report.refused for e in r.examples)
        raise InvalidInput(
            f"{path}: {report.n_refused:,} of {len(graphs):,} graphs cannot be "
            f"written as {chosen}; graph {first[0]:,}: {first[2]} ({first[1]})"
        )


def _write_graphs(
    graphs: GraphSet, path: Path, draft: Path, chosen: Format, *, drop_labels: bool
) -> None:
    if chosen == "arrow":
        from graphassay.io import arrow

        arrow.write(graphs, draft)
    elif chosen == "npz":
        from graphassay.io import npz

        npz.write(graphs, path, draft)
    elif chosen == "tu":
        from graphassay.io import tu

        tu.write(graphs, path, draft)
    elif chosen in ("graph6", "sparse6"):
        from graphassay.io import graph6

        if not drop_labels:
            _refuse_labels(graphs, path, chosen)
        writer = graph6.write if chosen == "graph6" else graph6.write_sparse
        write_chunks(path, draft, writer(graphs))
    else:
        module = importlib.import_module(f"graphassay.io.{chosen}")
        write_chunks(path, draft, module.write(graphs, path))


def _refuse_labels(graphs: GraphSet, path: Path, chosen: Format) -> None:
    for label in (*graphs.vertex_label_names, *graphs.edge_label_names):
        if label != NO_LABEL:
            raise InvalidInput(
                f"{path}: {chosen} holds no labels and would lose {label!r}; "
                "write another format, or ask to drop labels"
            )


def write_chunks(path: Path, draft: Path, chunks: Iterable[bytes]) -> None:
    """Fill ``draft``, gzipped when ``path`` is named so."""
    if path.name.endswith(".gz"):
        with (
            draft.open("wb") as raw,
            gzip.GzipFile("", "wb", compresslevel=6, fileobj=raw, mtime=0) as file,
        ):
            file.writelines(chunks)
    else:
        with draft.open("wb") as file:
            file.writelines(chunks)
