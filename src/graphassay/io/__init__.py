"""Graphs from files and back: one module per format behind `read` and `write`."""

import importlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from graphassay.errors import InvalidInput, NothingToCompare, UnreadableFile, UnwritableOutput
from graphassay.graph import GraphSet, MoleculeOptions
from graphassay.intake import IntakeReport
from graphassay.io.formats import FORMATS, Format, by_content, by_name, check_format
from graphassay.io.options import Progress, ReadOptions
from graphassay.io.source import check_exists, load

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
    chosen = check_format(format) if format else by_name(path)
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
        f"{path}: none of {intake.n_records:,} records gives a graph; the first, {where}"
    )


def place_name(format: str) -> str:
    """What a record's place counts in that format."""
    return (
        "line" if format in ("smiles", "csv", "gspan", "jsonl", "graph6", "sparse6") else "record"
    )


def write(
    graphs: GraphSet, path: str | os.PathLike[str], *, format: str | None = None
) -> IntakeReport:
    """Write graphs to a file, whole or not at all; text formats are gzipped when named ``.gz``.

    Returns:
        How many graphs were written, and which could not be, and why.

    Raises:
        InvalidInput: the format cannot hold these graphs.
        UnwritableOutput: no permission, or a full disk.
    """
    path = Path(path)
    chosen = check_format(format) if format else by_name(path)
    if chosen is None:
        raise InvalidInput(
            f"{path}: cannot tell the format from this name; name it ({', '.join(FORMATS)})"
        )
    with _replacing(path) as draft:
        if chosen == "arrow":
            from graphassay.io import arrow

            arrow.write(graphs, draft)
        elif chosen == "gspan":
            from graphassay.io import gspan

            draft.write_bytes(b"".join(gspan.write(graphs, path)))
        else:
            raise NotImplementedError(chosen)
    return IntakeReport(str(path), chosen, len(graphs), len(graphs))


@contextmanager
def _replacing(path: Path) -> Iterator[Path]:
    """A draft beside ``path`` that takes its place when all went well, and else vanishes."""
    draft: Path | None = None
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name[:80]}.", dir=path.parent)
        os.close(handle)
        draft = Path(name)
        yield draft
        umask = os.umask(0)
        os.umask(umask)
        draft.chmod(0o666 & ~umask)
        draft.replace(path)
        draft = None
    except InvalidInput:
        raise
    except OSError as error:
        raise UnwritableOutput(f"{path}: cannot write ({error.strerror or error})") from None
    finally:
        if draft is not None:
            draft.unlink(missing_ok=True)
