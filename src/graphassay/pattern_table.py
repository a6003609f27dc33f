"""The result of mining: patterns with their exact supports, and its way into files."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from graphassay.errors import InvalidInput
from graphassay.graph import Graph, GraphSet
from graphassay.output import replacing

if TYPE_CHECKING:
    import networkx as nx
    import pyarrow as pa

Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Occurrences:
    """Which graphs contain each pattern, for one `GraphSet`.

    Pattern ``p`` is contained in graphs ``graphs[offsets[p]:offsets[p + 1]]``, ascending. Graphs
    that weigh nothing in every database were not searched and do not appear.
    """

    offsets: Int64
    graphs: Int64

    def __getitem__(self, pattern: int) -> Int64:
        return self.graphs[self.offsets[pattern] : self.offsets[pattern + 1]]


@dataclass(frozen=True, eq=False)
class PatternTable:
    """Frequent patterns and their exact supports in every database.

    Patterns ascend by number of edges, then by minimum DFS code (labels in string order); the
    vertices of each are numbered in the order of that code. The table depends on the mined graphs
    only, not on how their vertices or labels are numbered, nor on the number of threads.

    Attributes:
        patterns: one graph per pattern.
        counts: int64, shape (n_patterns, n_databases); exact also where a pattern is infrequent.
        totals: int64, shape (n_databases,); total weight of each database.
        min_counts: int64, shape (n_databases,); from here on a pattern is frequent.
        names: the name of each database.
        occurrences: one per database (shared between databases of one graph set), or empty if not
            asked for.
        embeddings: int64, shape (n_patterns, n_databases), or None if not asked for: how many
            distinct subgraphs (sets of vertices and edges) of the graphs are images of the
            pattern, times the weights of the graphs. A triangle contains a one-edge pattern 3
            times.
    """

    patterns: GraphSet
    counts: Int64
    totals: Int64
    min_counts: Int64
    names: tuple[str, ...]
    occurrences: tuple[Occurrences, ...] = ()
    embeddings: Int64 | None = None

    def __len__(self) -> int:
        return len(self.patterns)

    def __repr__(self) -> str:
        shares = ", ".join(
            f"{name or number}: {frequent:,} of {total:,}+"
            for number, (name, frequent, total) in enumerate(
                zip(self.names, self.frequent.sum(axis=0), self.min_counts, strict=True)
            )
        )
        return f"PatternTable({len(self):,} patterns; frequent in {shares})"

    @property
    def supports(self) -> npt.NDArray[np.float64]:
        """Share of each database's weight whose graphs contain the pattern, in [0, 1]."""
        return self.counts / self.totals

    @property
    def frequent(self) -> npt.NDArray[np.bool_]:
        """Where a pattern's count reaches the database's threshold; true somewhere in each row."""
        return self.counts >= self.min_counts

    @cached_property
    def codes(self) -> list[str]:
        """The minimum DFS code of every pattern, as `graphassay.canonical` writes it."""
        from graphassay.canonical import canonical_codes

        return canonical_codes(self.patterns)

    def to_networkx(self) -> "list[nx.Graph[int]]":
        """The patterns as NetworkX graphs; attribute ``label`` on vertices and edges."""
        import networkx as nx

        graphs = []
        for pattern in self.patterns:
            graph: nx.Graph[int] = nx.Graph()
            for v, label in enumerate(pattern.vertex_labels):
                graph.add_node(v, label=label)
            for u, v, label in pattern.edges:
                graph.add_edge(u, v, label=label)
            graphs.append(graph)
        return graphs

    def to_molecules(self) -> list[Any]:
        """The patterns as RDKit molecules.

        Raises:
            InvalidInput: when the mined graphs never were molecules.
        """
        from graphassay.molecules import graph_to_molecule

        options = self.patterns.molecules
        if options is None:
            raise InvalidInput("expected patterns of molecules, got patterns of other graphs")
        return [graph_to_molecule(pattern, options) for pattern in self.patterns]

    def to_arrow(self) -> "pa.Table":
        """One row per pattern: sizes, labels, edges, then count and support per database."""
        import pyarrow as pa

        patterns = self.patterns
        columns: dict[str, Any] = {
            "pattern": np.arange(len(self)),
            "n_vertices": patterns.vertex_counts,
            "n_edges": patterns.edge_counts,
            "vertex_labels": _lists(
                patterns.vertex_offsets, patterns.vertex_labels, patterns.vertex_label_names
            ),
            "edge_u": pa.LargeListArray.from_arrays(patterns.edge_offsets, patterns.edge_u),
            "edge_v": pa.LargeListArray.from_arrays(patterns.edge_offsets, patterns.edge_v),
            "edge_labels": _lists(
                patterns.edge_offsets, patterns.edge_labels, patterns.edge_label_names
            ),
        }
        columns |= self._numbers()
        return pa.table(columns)

    def to_parquet(self, path: str | Path) -> None:
        """Write `to_arrow` as a Parquet file."""
        import pyarrow.parquet as pq

        pq.write_table(self.to_arrow(), path)

    def to_csv(self, path: str | Path) -> None:
        """One row per pattern; labels and edges (``u-v:label``) joined by spaces as JSON lists."""
        import csv

        numbers = self._numbers()
        with Path(path).open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(
                ["pattern", "n_vertices", "n_edges", "vertex_labels", "edges", *numbers]
            )
            columns = [column.tolist() for column in numbers.values()]
            for i, (pattern, *row) in enumerate(zip(self.patterns, *columns, strict=True)):
                writer.writerow(
                    [
                        i,
                        pattern.n_vertices,
                        pattern.n_edges,
                        json.dumps(pattern.vertex_labels, ensure_ascii=False),
                        json.dumps(pattern.edges, ensure_ascii=False),
                        *row,
                    ]
                )

    def to_jsonl(self, path: str | Path) -> None:
        """One JSON object per line: vertex_labels, edges, counts, supports."""
        with Path(path).open("w", encoding="utf-8") as file:
            for i, pattern in enumerate(self.patterns):
                record = {
                    "pattern": i,
                    "vertex_labels": pattern.vertex_labels,
                    "edges": pattern.edges,
                    "counts": dict(zip(self._columns, self.counts[i].tolist(), strict=True)),
                    "supports": dict(zip(self._columns, self.supports[i].tolist(), strict=True)),
                }
                file.write(json.dumps(record, ensure_ascii=False) + "\n")

    def to_gspan(self, path: str | Path) -> None:
        """The text gSpan writes: ``t # number * count…``, then its v and e lines, labels as text.

        Raises:
            InvalidInput: when a label is empty or holds white space, which the format cannot say.
        """
        for name in (*self.patterns.vertex_label_names, *self.patterns.edge_label_names):
            if not name or len(name.split()) != 1:
                raise InvalidInput(
                    f"label {name!r}: gSpan text needs labels without white space; use JSON lines"
                )
        with Path(path).open("w", encoding="utf-8") as file:
            for i, pattern in enumerate(self.patterns):
                file.write(_gspan_text(pattern, i, self.counts[i].tolist()))
                if self.occurrences:
                    graphs = " ".join(map(str, self.occurrences[0][i].tolist()))
                    file.write(f"x {graphs}\n")
                file.write("\n")

    def write(self, path: str | Path, *, format: str | None = None) -> None:
        """Write a whole file or none, in a format of `FORMATS` (default: the file's suffix).

        Raises:
            InvalidInput: an unknown format, or labels that the format cannot hold.
            UnwritableOutput: the system refuses (permissions, no such folder, full disk).
        """
        path = Path(path)
        name = format or path.suffix.lstrip(".").lower()
        if name not in FORMATS:
            raise InvalidInput(
                f"{path}: expected a format among {', '.join(FORMATS)}, got {name!r}"
            )
        with replacing(path) as draft:
            FORMATS[name](self, draft)

    @property
    def _columns(self) -> list[str]:
        """A distinct name per database."""
        if len(self.names) == 1 and not self.names[0]:
            return ["database"]
        names = [name or f"database_{i}" for i, name in enumerate(self.names)]
        return [name if names.count(name) == 1 else f"{name}_{i}" for i, name in enumerate(names)]

    def _numbers(self) -> dict[str, npt.NDArray[Any]]:
        numbers: dict[str, npt.NDArray[Any]] = {}
        supports = self.supports
        for d, name in enumerate(self._columns):
            suffix = "" if len(self.names) == 1 else f"_{name}"
            numbers[f"count{suffix}"] = self.counts[:, d]
            numbers[f"support{suffix}"] = supports[:, d]
            if self.embeddings is not None:
                numbers[f"embeddings{suffix}"] = self.embeddings[:, d]
        return numbers


FORMATS: dict[str, Callable[[PatternTable, Path], None]] = {
    "csv": PatternTable.to_csv,
    "parquet": PatternTable.to_parquet,
    "gspan": PatternTable.to_gspan,
    "jsonl": PatternTable.to_jsonl,
}


def _gspan_text(pattern: Graph, number: int, counts: list[int]) -> str:
    lines = [f"t # {number} * {' '.join(map(str, counts))}"]
    lines += [f"v {v} {label}" for v, label in enumerate(pattern.vertex_labels)]
    lines += [f"e {u} {v} {label}" for u, v, label in pattern.edges]
    return "\n".join(lines) + "\n"


def _lists(offsets: Int64, labels: npt.NDArray[np.int32], names: tuple[str, ...]) -> Any:
    import pyarrow as pa

    texts = pa.DictionaryArray.from_arrays(labels, pa.array(names, pa.string()))
    return pa.LargeListArray.from_arrays(offsets, texts)
