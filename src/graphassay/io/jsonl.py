"""JSON lines: ``{"vertices": ["C", "O"], "edges": [[0, 1, "="]]}``, one graph per line.

``"vertices": 5`` and edges ``[0, 1]`` make unlabelled graphs; whole numbers serve as labels by
their decimal text. An optional ``"source"`` (text) is kept. Other keys are skipped and noted.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from graphassay.graph import NO_LABEL, GraphSet
from graphassay.intake import IntakeTally
from graphassay.io.builder import (
    BAD_LABEL,
    NO_EDGE_LABEL,
    UNDECLARED,
    Refused,
    SetBuilder,
)
from graphassay.io.options import ReadOptions
from graphassay.io.source import Source

NOT_JSON = "not JSON"
NOT_A_GRAPH = 'not an object with "vertices" and "edges"'
BAD_EDGE = "edge that is not [u, v] or [u, v, label]"
_KEYS = {"vertices", "edges", "source"}


def read(source: Source, _options: ReadOptions) -> GraphSet:
    """Read one graph per line; ``records`` are lines."""
    tally = IntakeTally(str(source.path), "jsonl")
    builder = SetBuilder(tally)
    names: list[str | None] = []
    skipped: set[str] = set()
    for number, line in enumerate(source.text.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            found = _parse(line)
            vertices, edges = _vertices(found["vertices"], builder), found["edges"]
            labels = _edge_labels(edges)
            builder.add(number, vertices, [e[0] for e in edges], [e[1] for e in edges], labels)
            name = found.get("source")
            names.append(name if isinstance(name, str) and name.isprintable() else None)
            skipped |= found.keys() - _KEYS
        except Refused as refusal:
            tally.refuse(str(refusal), number, line[:120].decode(errors="replace"))
    if skipped:
        tally.notes.append(f"keys not used: {', '.join(sorted(skipped)[:8])}")
    graphs = builder.finish(sha256=source.sha256)
    return _with_sources(graphs, names) if any(name is not None for name in names) else graphs


def _with_sources(graphs: GraphSet, names: list[str | None]) -> GraphSet:
    import dataclasses

    import pyarrow as pa

    texts = ["" if name is None else name for name in names]
    return dataclasses.replace(graphs, sources=pa.array(texts, type=pa.string()))


def _parse(line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        raise Refused(NOT_JSON) from None
    if (
        not isinstance(found, dict)
        or not isinstance(found.get("edges"), list)
        or not isinstance(found.get("vertices"), list | int)
        or isinstance(found["vertices"], bool)
    ):
        raise Refused(NOT_A_GRAPH)
    return found


def _vertices(found: list[Any] | int, builder: SetBuilder) -> list[str] | int:
    if isinstance(found, int):
        if found < 0:
            raise Refused(NOT_A_GRAPH)
        builder.declare(found)
        return found
    return [_label(label) for label in found]


def _edge_labels(edges: list[Any]) -> list[str] | None:
    """Labels of well-formed edges, or None when no edge has one."""
    sizes = {len(edge) if isinstance(edge, list) else 0 for edge in edges}
    if not sizes <= {2, 3}:
        raise Refused(BAD_EDGE)
    if any(type(end) is not int for edge in edges for end in edge[:2]):
        raise Refused(BAD_EDGE)
    if any(not -(2**31) <= end < 2**31 for edge in edges for end in edge[:2]):
        raise Refused(UNDECLARED)
    if sizes == {2, 3}:
        raise Refused(NO_EDGE_LABEL)
    return [_label(edge[2]) for edge in edges] if sizes == {3} else None


def _label(label: Any) -> str:
    if type(label) is int:
        return str(label)
    if not isinstance(label, str):
        raise Refused(BAD_LABEL)
    return label


def write(graphs: GraphSet, _path: Path) -> Iterator[bytes]:
    """One line per graph, with its source where known."""
    plain = graphs.vertex_label_names in ((NO_LABEL,), ()) and graphs.edge_label_names in (
        (NO_LABEL,),
        (),
    )
    for g, graph in enumerate(graphs):
        record: dict[str, Any] = {
            "vertices": graph.n_vertices if plain else graph.vertex_labels,
            "edges": [edge[:2] if plain else edge for edge in graph.edges],
        }
        if graphs.sources is not None:
            record["source"] = graphs.sources[g].as_py()
        yield json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
