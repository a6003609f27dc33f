"""From raw columns to a tidy `GraphSet`: only labels in use, sorted; edges in order."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from graphassay.graph import GraphSet, Int32, Int64, offsets_from_counts
from graphassay.intake import IntakeReport


def tidy_labels(labels: Int32, names: Sequence[str]) -> tuple[Int32, tuple[str, ...]]:
    """The same labels over a sorted table of those in use."""
    in_use = np.flatnonzero(np.bincount(labels, minlength=len(names))).tolist()
    tidy = tuple(sorted(names[i] for i in in_use))
    place = {name: i for i, name in enumerate(tidy)}
    table = np.zeros(len(names), dtype=np.int32)
    table[in_use] = [place[names[i]] for i in in_use]
    return (table[labels] if len(names) else labels), tidy


def build_set(
    *,
    vertex_counts: npt.ArrayLike,
    edge_counts: npt.ArrayLike,
    vertex_labels: Int32,
    vertex_names: Sequence[str],
    edge_u: npt.NDArray[Any],
    edge_v: npt.NDArray[Any],
    edge_labels: Int32,
    edge_names: Sequence[str],
    records: Int64,
    intake: IntakeReport | None = None,
) -> GraphSet:
    """Pack finished columns (edges already in order) over sorted label tables."""
    vertex_labels, vertex_label_names = tidy_labels(vertex_labels, vertex_names)
    edge_labels, edge_label_names = tidy_labels(edge_labels, edge_names)
    return GraphSet(
        vertex_offsets=offsets_from_counts(vertex_counts),
        edge_offsets=offsets_from_counts(edge_counts),
        vertex_labels=vertex_labels,
        edge_u=edge_u.astype(np.int32, copy=False),
        edge_v=edge_v.astype(np.int32, copy=False),
        edge_labels=edge_labels,
        vertex_label_names=vertex_label_names,
        edge_label_names=edge_label_names,
        records=records,
        intake=intake,
    )
