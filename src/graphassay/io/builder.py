"""Graphs from readers that work record by record: checked, counted, packed at the end."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from graphassay.errors import UnreadableFile
from graphassay.graph import NO_LABEL, GraphSet
from graphassay.intake import IntakeReport, IntakeTally
from graphassay.io.columns import build_set

MAX_VERTICES = 1 << 27
"""Vertices that one file may declare where a declaration costs it next to nothing."""

SELF_LOOP = "self-loop"
PARALLEL = "parallel edges"
UNDECLARED = "edge to an undeclared vertex"
NO_VERTEX = "graph without vertices"
NO_VERTEX_LABEL = "vertex without a label"
NO_EDGE_LABEL = "edge without a label"
DIRECTED = "directed graph or edge"
BAD_LABEL = "label that is not text"


class Refused(Exception):
    """One record that gives no graph; the message is the reason."""


def check(reason: str | None) -> None:
    """Refuse the record if there is a reason."""
    if reason:
        raise Refused(reason)


class _Names:
    def __init__(self) -> None:
        self.index: dict[str, int] = {}

    def __call__(self, labels: Sequence[str]) -> npt.NDArray[np.int32]:
        index = self.index
        return np.array([index.setdefault(label, len(index)) for label in labels], dtype=np.int32)


class SetBuilder:
    """Collects the graphs of one file."""

    def __init__(self, tally: IntakeTally) -> None:
        self.tally = tally
        self._vertex_names = _Names()
        self._edge_names = _Names()
        self._parts: dict[str, list[npt.NDArray[Any]]] = {
            name: [] for name in ("vertex_labels", "edge_u", "edge_v", "edge_labels")
        }
        self._vertex_counts: list[int] = []
        self._edge_counts: list[int] = []
        self._records: list[int] = []
        self._n_declared = 0

    def declare(self, n_vertices: int) -> None:
        """Call before memory is taken for vertices that a record merely counts."""
        self._n_declared += n_vertices
        if self._n_declared > MAX_VERTICES:
            raise UnreadableFile(
                f"{self.tally.source}: declares more than {MAX_VERTICES:,} vertices; "
                "split the file if that is meant"
            )

    def add(
        self,
        place: int,
        vertex_labels: Sequence[str] | int,
        u: npt.ArrayLike,
        v: npt.ArrayLike,
        edge_labels: Sequence[str] | None = None,
    ) -> None:
        """Keep a graph (a number of vertices, or no edge labels, mean `NO_LABEL`).

        Raises:
            Refused: with the rule that the graph breaks.
        """
        n = vertex_labels if isinstance(vertex_labels, int) else len(vertex_labels)
        ends = np.array([u, v], dtype=np.int64).reshape(2, -1)
        low, high = ends.min(axis=0), ends.max(axis=0)
        if n == 0:
            raise Refused(NO_VERTEX)
        if ends.size and (int(low.min()) < 0 or int(high.max()) >= n):
            raise Refused(UNDECLARED)
        if (low == high).any():
            raise Refused(SELF_LOOP)
        order = np.lexsort((high, low))
        low, high = low[order], high[order]
        if ((low[1:] == low[:-1]) & (high[1:] == high[:-1])).any():
            raise Refused(PARALLEL)
        if isinstance(vertex_labels, int):
            labels = np.full(n, self._vertex_names([NO_LABEL])[0], dtype=np.int32)
        else:
            labels = self._vertex_names(checked_labels(vertex_labels))
        bonds = checked_labels([NO_LABEL] * len(order) if edge_labels is None else edge_labels)
        self._parts["vertex_labels"].append(labels)
        self._parts["edge_u"].append(low.astype(np.int32))
        self._parts["edge_v"].append(high.astype(np.int32))
        self._parts["edge_labels"].append(self._edge_names(bonds)[order])
        self._vertex_counts.append(n)
        self._edge_counts.append(len(order))
        self._records.append(place)
        self.tally.keep()

    def finish(self, *, sha256: str | None) -> GraphSet:
        """All graphs kept, with the intake report."""
        return self._pack(self.tally.report(sha256=sha256))

    def _pack(self, intake: IntakeReport) -> GraphSet:
        empty = [np.zeros(0, dtype=np.int32)]
        columns = {name: np.concatenate(empty + parts) for name, parts in self._parts.items()}
        return build_set(
            vertex_counts=self._vertex_counts,
            edge_counts=self._edge_counts,
            vertex_names=list(self._vertex_names.index),
            edge_names=list(self._edge_names.index),
            records=np.array(self._records, dtype=np.int64),
            intake=intake,
            **columns,
        )


def checked_labels(labels: Sequence[str]) -> Sequence[str]:
    """The labels, if all of them are text that can be written as UTF-8."""
    try:
        "\n".join(labels).encode()
    except (TypeError, UnicodeEncodeError):
        raise Refused(BAD_LABEL) from None
    return labels
