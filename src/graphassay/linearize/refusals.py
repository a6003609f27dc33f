"""Graphs that a vocabulary cannot express: which, and why, in one line each."""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from graphassay.errors import InvalidInput
from graphassay.graph import GraphSet
from graphassay.linearize.kind import Int32, Int64, Rows


def label_map(names: Sequence[str], known: Sequence[str]) -> Int32:
    """The place of each name among the known ones, or -1."""
    index = {label: i for i, label in enumerate(known)}
    return np.array([index.get(name, -1) for name in names], dtype=np.int32)


def before_filling(
    graphs: GraphSet,
    rows: Int64,
    vertex_labels: Sequence[str],
    edge_labels: Sequence[str],
    max_vertices: int,
) -> dict[int, str]:
    """Rows refused for the size or the labels of their graph, each with the reason."""
    found: dict[int, str] = {}
    counts = graphs.vertex_offsets[rows + 1] - graphs.vertex_offsets[rows]
    for at in np.flatnonzero(counts > max_vertices).tolist():
        found[at] = f"{counts[at]} vertices, the vocabulary holds {max_vertices}"
    for at in np.flatnonzero(counts == 0).tolist():
        found[at] = "no vertex; expected at least one"
    found |= _unknown_labels(
        "edge",
        graphs.edge_labels,
        graphs.edge_offsets,
        rows,
        graphs.edge_label_names,
        edge_labels,
    )
    found |= _unknown_labels(
        "vertex",
        graphs.vertex_labels,
        graphs.vertex_offsets,
        rows,
        graphs.vertex_label_names,
        vertex_labels,
    )
    return found


def _unknown_labels(
    what: str,
    labels: Int32,
    offsets: Int64,
    rows: Int64,
    names: Sequence[str],
    known: Sequence[str],
) -> dict[int, str]:
    unknown: npt.NDArray[np.bool_] = label_map(names, known) < 0
    if not unknown.any():
        return {}
    before = np.concatenate([[0], np.cumsum(unknown[labels])])
    n_unknown = before[offsets[rows + 1]] - before[offsets[rows]]
    found = {}
    for at in np.flatnonzero(n_unknown).tolist():
        own = labels[offsets[rows[at]] : offsets[rows[at] + 1]]
        name = names[int(own[unknown[own]][0])]
        found[at] = f"{what} label {name!r} is not in the vocabulary"
    return found


def after_filling(
    filled: Rows,
    vertex_labels: Sequence[str],
    edge_labels: Sequence[str],
    max_length: int | None,
) -> dict[int, str]:
    """Rows refused for a DFS tuple or for their length, each with the reason."""
    found: dict[int, str] = {}
    tuples = filled.missing_tuples.reshape(-1, 5).tolist()
    for at, (i, j, a, b, c) in zip(filled.missing_rows.tolist(), tuples, strict=True):
        labels = f"{vertex_labels[a]},{vertex_labels[b]},{edge_labels[c]}"
        found[at] = f"DFS tuple ({i},{j},{labels}) is not in the vocabulary"
    if max_length is not None:
        lengths = np.diff(filled.offsets)
        for at in np.flatnonzero(lengths > max_length).tolist():
            found[at] = f"{lengths[at]} tokens, at most {max_length} are accepted"
    return found


def stop_at_first(refused: Mapping[int, str], graph_of: Int64) -> None:
    """An error that names the first graph refused, if there is one."""
    if not refused:
        return
    at = min(refused)
    others = f" ({len(refused) - 1} more graphs are refused)" if len(refused) > 1 else ""
    raise InvalidInput(f"graph {graph_of[at]}: {refused[at]}{others}")
