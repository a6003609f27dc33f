"""Arrow IPC file: graphassay's own cache, memory-mapped, columns used where they lie.

One row per graph: ``vertices`` (list of labels), ``edges`` (list of u, v, label), ``source`` and
``record`` where known. Labels are dictionary-encoded, so any Arrow library can read the file. What
the graphs came from (molecule options, intake report) is JSON in the schema's metadata.
"""

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np

from graphassay.errors import InvalidInput, UnreadableFile
from graphassay.graph import GraphSet, MoleculeOptions
from graphassay.intake import IntakeReport, Refusal, RefusedRecord
from graphassay.io.source import file_sha256

VERSION = 1
MAGIC = b"ARROW1"
_KEY = b"graphassay"


def write(graphs: GraphSet, path: Path) -> None:
    """Write one record batch, so that reading needs no copy."""
    import pyarrow as pa

    vertices = pa.LargeListArray.from_arrays(
        _plain(graphs.vertex_offsets), _labels(graphs.vertex_labels, graphs.vertex_label_names)
    )
    edges = pa.LargeListArray.from_arrays(
        _plain(graphs.edge_offsets),
        pa.StructArray.from_arrays(
            [
                _plain(graphs.edge_u),
                _plain(graphs.edge_v),
                _labels(graphs.edge_labels, graphs.edge_label_names),
            ],
            names=["u", "v", "label"],
        ),
    )
    columns = {"vertices": vertices, "edges": edges}
    if graphs.sources is not None:
        columns["source"] = _one_array(graphs.sources)
    if graphs.records is not None:
        columns["record"] = _plain(graphs.records)
    meta = {
        "version": VERSION,
        "molecules": graphs.molecules and dataclasses.asdict(graphs.molecules),
        "intake": graphs.intake and dataclasses.asdict(graphs.intake),
    }
    batch = pa.record_batch(columns)
    batch = batch.replace_schema_metadata({_KEY: json.dumps(meta)})
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, batch.schema) as writer:
        writer.write_batch(batch)


def read(path: Path) -> GraphSet:
    """Map a file that `write` made.

    The intake report is that of the file the graphs were first read from. A set that never came
    from a file gets a fresh one.
    """
    import pyarrow as pa

    try:
        with pa.memory_map(str(path)) as file, pa.ipc.open_file(file) as reader:
            meta = _metadata(path, reader.schema)
            if reader.num_record_batches != 1:
                raise _foreign(path, f"{reader.num_record_batches} record batches")
            batch = reader.get_batch(0)
        batch.validate(full=True)
    except (pa.ArrowException, OSError, ValueError, OverflowError, MemoryError) as error:
        if isinstance(error, InvalidInput):
            raise
        reason = " ".join(str(error).split())[:120]
        raise UnreadableFile(
            f"{path}: not a sound Arrow file, or truncated ({reason}); write it again"
        ) from None
    try:
        graphs = _unpack(batch, meta)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise _foreign(path, " ".join(str(error).split())[:120]) from None
    if graphs.intake is not None:
        return graphs
    intake = IntakeReport(str(path), "arrow", len(graphs), len(graphs), sha256=file_sha256(path))
    return dataclasses.replace(graphs, intake=intake)


def _unpack(batch: Any, meta: dict[str, Any]) -> GraphSet:
    import pyarrow as pa

    vertices, edges = batch.column("vertices"), batch.column("edges")
    if vertices.null_count or edges.null_count or edges.values.null_count:
        raise ValueError("null values")
    parts = edges.values
    vertex_labels, vertex_names = _indices(vertices.values)
    edge_labels, edge_names = _indices(parts.field("label"))
    sources = batch.column("source") if "source" in batch.schema.names else None
    if sources is not None and sources.type not in (pa.string(), pa.large_string()):
        raise ValueError(f"source is {sources.type}")
    records = batch.column("record") if "record" in batch.schema.names else None
    molecules = meta.get("molecules")
    return GraphSet(
        vertex_offsets=_zero_copy(vertices.offsets),
        edge_offsets=_zero_copy(edges.offsets),
        vertex_labels=vertex_labels,
        edge_u=_zero_copy(parts.field("u")),
        edge_v=_zero_copy(parts.field("v")),
        edge_labels=edge_labels,
        vertex_label_names=vertex_names,
        edge_label_names=edge_names,
        sources=sources,
        records=None if records is None else _zero_copy(records),
        molecules=None if molecules is None else MoleculeOptions(**molecules),
        intake=_intake(meta.get("intake")),
    )


def _intake(stored: dict[str, Any] | None) -> IntakeReport | None:
    if stored is None:
        return None
    refused = tuple(
        Refusal(r["reason"], r["n"], tuple(RefusedRecord(**example) for example in r["examples"]))
        for r in stored.pop("refused")
    )
    notes = tuple(stored.pop("notes"))
    return IntakeReport(**stored, refused=refused, notes=notes)


def _metadata(path: Path, schema: Any) -> dict[str, Any]:
    found = (schema.metadata or {}).get(_KEY)
    if found is None:
        raise _foreign(path, "no graphassay metadata")
    meta = json.loads(found)
    if not isinstance(meta, dict) or meta.get("version") != VERSION:
        raise _foreign(path, "another version of the cache")
    return meta


def _foreign(path: Path, reason: str) -> UnreadableFile:
    return UnreadableFile(
        f"{path}: expected an Arrow file that graphassay wrote, got another ({reason}); "
        "convert the original again"
    )


def _plain(column: Any) -> Any:
    import pyarrow as pa

    return pa.array(column)


def _labels(indices: Any, names: tuple[str, ...]) -> Any:
    import pyarrow as pa

    return pa.DictionaryArray.from_arrays(pa.array(indices), pa.array(names, type=pa.string()))


def _one_array(sources: Any) -> Any:
    import pyarrow as pa

    return sources.combine_chunks() if isinstance(sources, pa.ChunkedArray) else sources


def _zero_copy(array: Any) -> Any:
    if array.null_count:
        raise ValueError("null values")
    return array.to_numpy(zero_copy_only=True)


def _indices(array: Any) -> tuple[Any, tuple[str, ...]]:
    names = tuple(array.dictionary.to_pylist())
    if not all(isinstance(name, str) for name in names):
        raise ValueError("labels are not strings")
    return _zero_copy(array.indices).astype(np.int32, copy=False), names
