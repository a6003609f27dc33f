"""gSpan text: ``t # id``, ``v id label``, ``e u v label``.

Vertex ids count 0, 1, 2, … in order; an edge comes after its vertices, once, in either direction.
A record that breaks a rule is refused alone, at its first offending line. ``x`` lines (miners write
occurrence lists there) and comments (``#``, ``%``) are skipped and counted in the notes.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from graphassay.errors import InvalidInput, UnreadableFile
from graphassay.graph import GraphSet
from graphassay.intake import IntakeTally
from graphassay.io.columns import build_set
from graphassay.io.options import ReadOptions
from graphassay.io.source import Source
from graphassay.native import parse_gspan

REASONS = (  # by the core's GspanRefusal
    "graph without vertices",
    "vertex ids are not 0, 1, 2, … in order",
    "vertex declared twice",
    "vertex without a label",
    "edge to an undeclared vertex",
    "self-loop",
    "parallel edges",
    "edge without a label",
    "directed edge",
    "unreadable line",
)


def read(source: Source, _options: ReadOptions) -> GraphSet:
    """Read gSpan text; ``records`` are the lines of the ``t``."""
    try:
        parsed = parse_gspan(source.text)
    except InvalidInput as error:
        raise UnreadableFile(f"{source.path}: not gSpan text: {error}") from None
    tally = IntakeTally(str(source.path), "gspan")
    tally.keep(len(parsed["lines"]))
    for reason, line, text in parsed["refused"]:
        tally.refuse(REASONS[reason], line, text)
    if parsed["n_ignored_lines"]:
        tally.notes.append(f"{parsed['n_ignored_lines']:,} comment and occurrence lines skipped")
    return build_set(
        vertex_counts=np.diff(parsed["vertex_offsets"]),
        edge_counts=np.diff(parsed["edge_offsets"]),
        vertex_labels=parsed["vertex_labels"],
        vertex_names=parsed["vertex_names"],
        edge_u=parsed["edge_u"],
        edge_v=parsed["edge_v"],
        edge_labels=parsed["edge_labels"],
        edge_names=parsed["edge_names"],
        records=parsed["lines"],
        intake=tally.report(sha256=source.sha256),
    )


def write(graphs: GraphSet, path: Path) -> Iterator[bytes]:
    """GSpan text, graphs numbered from 0. Labels with blanks have no place in this format."""
    for kind in ("vertex", "edge"):
        for name in getattr(graphs, f"{kind}_label_names"):
            if not name or len(name.split()) != 1 or name.split()[0] != name or "\0" in name:
                raise InvalidInput(
                    f"{path}: gSpan text cannot hold the {kind} label {name!r} (blank or empty); "
                    "write jsonl or arrow instead"
                )
    for g in range(len(graphs)):
        vertices = slice(graphs.vertex_offsets[g], graphs.vertex_offsets[g + 1])
        edges = slice(graphs.edge_offsets[g], graphs.edge_offsets[g + 1])
        lines = [f"t # {g}"]
        lines += [
            f"v {i} {graphs.vertex_label_names[label]}"
            for i, label in enumerate(graphs.vertex_labels[vertices].tolist())
        ]
        lines += [
            f"e {u} {v} {graphs.edge_label_names[label]}"
            for u, v, label in zip(
                graphs.edge_u[edges].tolist(),
                graphs.edge_v[edges].tolist(),
                graphs.edge_labels[edges].tolist(),
                strict=True,
            )
        ]
        yield ("\n".join(lines) + "\n").encode()
