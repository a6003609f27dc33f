"""Labelled graphs: one at a time (`Graph`) and by the million (`GraphSet`).

Graphs are undirected and simple, with a string label on every vertex and every edge. An
unlabelled graph uses `NO_LABEL` throughout. One vertex, no edge, several components: all fine.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, Self, overload

import numpy as np
import numpy.typing as npt

from graphassay.errors import InvalidGraph, InvalidInput
from graphassay.intake import IntakeReport

if TYPE_CHECKING:
    import pyarrow as pa

    from graphassay.native import GraphSetView

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
UInt64 = npt.NDArray[np.uint64]
Edge = tuple[int, int, str]

NO_LABEL = "*"
"""The label of every vertex and edge of an unlabelled graph."""


@dataclass(frozen=True)
class MoleculeOptions:
    """How molecules became graphs; kept with the set, so that graphs can go back to molecules.

    Source: DEFINITIONS 1. Aromatic bonds have a label of their own unless ``kekulize``.
    """

    hydrogens: Literal["heavy", "explicit-h"] = "heavy"
    kekulize: bool = False
    charges: bool = False
    isotopes: bool = False


@dataclass(frozen=True)
class Graph:
    """One labelled graph.

    Args:
        vertex_labels: the label of each vertex; vertex ``i`` is the i-th.
        edges: ``(u, v, label)``, any order, either direction; stored sorted with ``u < v``.

    Raises:
        InvalidGraph: on a self-loop, a parallel edge or an endpoint that is not a vertex.

    Example:
        >>> Graph(("C", "O"), [(1, 0, "=")]).edges
        ((0, 1, '='),)
    """

    vertex_labels: tuple[str, ...]
    edges: tuple[Edge, ...]

    def __init__(self, vertex_labels: Iterable[str], edges: Iterable[Edge] = ()) -> None:
        labels = tuple(vertex_labels)
        seen: dict[tuple[int, int], str] = {}
        for u, v, label in edges:
            if u == v:
                raise InvalidGraph(f"expected a simple graph, got a self-loop at vertex {u}")
            a, b = (u, v) if u < v else (v, u)
            if a < 0 or b >= len(labels):
                raise InvalidGraph(f"edge {u}-{v}: expected vertices in 0..{len(labels) - 1}")
            if (a, b) in seen:
                raise InvalidGraph(f"expected a simple graph, got two edges between {a} and {b}")
            seen[a, b] = label
        object.__setattr__(self, "vertex_labels", labels)
        object.__setattr__(self, "edges", tuple((a, b, seen[a, b]) for a, b in sorted(seen)))

    @property
    def n_vertices(self) -> int:
        """Number of vertices."""
        return len(self.vertex_labels)

    @property
    def n_edges(self) -> int:
        """Number of edges."""
        return len(self.edges)

    def relabelled(self, order: Sequence[int]) -> "Graph":
        """The same graph with vertex ``order[i]`` renamed to ``i``."""
        if sorted(order) != list(range(self.n_vertices)):
            raise InvalidGraph(f"expected a permutation of 0..{self.n_vertices - 1}")
        place = {old: new for new, old in enumerate(order)}
        return Graph(
            (self.vertex_labels[old] for old in order),
            ((place[u], place[v], label) for u, v, label in self.edges),
        )


@dataclass(frozen=True, eq=False)
class GraphSet:
    """Many labelled graphs in a handful of numpy columns; immutable, memory-mappable.

    Graph ``g`` owns ``vertex_labels[vertex_offsets[g]:vertex_offsets[g + 1]]`` and the edges in
    ``edge_offsets[g]:edge_offsets[g + 1]``. Endpoints count from 0 inside their graph, with
    ``edge_u < edge_v``; a graph's edges ascend by (u, v). Build one with `from_graphs`,
    `graphassay.read` or `graphassay.from_networkx`; the constructor takes finished columns and
    checks them.

    Args:
        vertex_offsets: int64, shape (n_graphs + 1,).
        edge_offsets: int64, shape (n_graphs + 1,).
        vertex_labels: int32, shape (n_vertices,), indices into ``vertex_label_names``.
        edge_u: int32, shape (n_edges,).
        edge_v: int32, shape (n_edges,).
        edge_labels: int32, shape (n_edges,), indices into ``edge_label_names``.
        vertex_label_names: distinct strings.
        edge_label_names: distinct strings.
        sources: what each graph was read from (a SMILES, a name), or None.
        records: int64, shape (n_graphs,), each graph's 1-based place in its file, or None.
        molecules: how molecules became these graphs, or None for graphs that never were any.
        intake: what became of the records of the input, or None. Sub- and supersets drop it.

    Raises:
        InvalidInput: when columns disagree with each other or with the rules above.
    """

    vertex_offsets: Int64
    edge_offsets: Int64
    vertex_labels: Int32
    edge_u: Int32
    edge_v: Int32
    edge_labels: Int32
    vertex_label_names: tuple[str, ...]
    edge_label_names: tuple[str, ...]
    sources: "pa.StringArray | None" = None
    records: Int64 | None = None
    molecules: MoleculeOptions | None = None
    intake: IntakeReport | None = None

    def __post_init__(self) -> None:
        for name, dtype in _COLUMNS.items():
            column = np.ascontiguousarray(getattr(self, name))
            if column.dtype != dtype:
                raise InvalidInput(f"{name}: expected {dtype}, got {column.dtype}")
            column = column.view()
            column.flags.writeable = False
            object.__setattr__(self, name, column)
        for kind in ("vertex", "edge"):
            names: tuple[str, ...] = getattr(self, f"{kind}_label_names")
            labels: Int32 = getattr(self, f"{kind}_labels")
            if len(set(names)) != len(names):
                raise InvalidInput(f"{kind}_label_names: expected distinct names")
            if labels.size and int(labels.max()) >= len(names):
                raise InvalidInput(f"{kind}_labels: expected indices below {len(names)}")
        for name in ("sources", "records"):
            column = getattr(self, name)
            if column is not None and len(column) != len(self):
                raise InvalidInput(f"{name}: expected {len(self)} values, got {len(column)}")
        _ = self.view  # validates the structure natively

    @classmethod
    def from_graphs(
        cls, graphs: Iterable[Graph], *, molecules: MoleculeOptions | None = None
    ) -> Self:
        """Pack graphs into columns; label names are sorted."""
        listed = list(graphs)
        vertex_names = tuple(sorted({label for g in listed for label in g.vertex_labels}))
        edge_names = tuple(sorted({label for g in listed for _, _, label in g.edges}))
        vertex_index = {name: i for i, name in enumerate(vertex_names)}
        edge_index = {name: i for i, name in enumerate(edge_names)}
        edges = [edge for g in listed for edge in g.edges]
        return cls(
            vertex_offsets=offsets_from_counts([g.n_vertices for g in listed]),
            edge_offsets=offsets_from_counts([g.n_edges for g in listed]),
            vertex_labels=np.array(
                [vertex_index[label] for g in listed for label in g.vertex_labels], dtype=np.int32
            ),
            edge_u=np.array([u for u, _, _ in edges], dtype=np.int32),
            edge_v=np.array([v for _, v, _ in edges], dtype=np.int32),
            edge_labels=np.array([edge_index[label] for _, _, label in edges], dtype=np.int32),
            vertex_label_names=vertex_names,
            edge_label_names=edge_names,
            molecules=molecules,
        )

    @cached_property
    def view(self) -> "GraphSetView":
        """The columns as the C++ core sees them (no copy)."""
        from graphassay.native import GraphSetView  # keeps `import graphassay.graph` light

        return GraphSetView(*(getattr(self, name) for name in _COLUMNS))

    def __len__(self) -> int:
        return len(self.vertex_offsets) - 1

    def __iter__(self) -> Iterator[Graph]:
        return (self[i] for i in range(len(self)))

    @overload
    def __getitem__(self, index: int) -> Graph: ...
    @overload
    def __getitem__(self, index: slice) -> "GraphSet": ...
    def __getitem__(self, index: int | slice) -> "Graph | GraphSet":
        if isinstance(index, slice):
            return self.take(np.arange(len(self), dtype=np.int64)[index])
        if not -len(self) <= index < len(self):
            raise IndexError(f"graph {index} of {len(self)}")
        g = index % len(self)
        vertices = slice(self.vertex_offsets[g], self.vertex_offsets[g + 1])
        edges = slice(self.edge_offsets[g], self.edge_offsets[g + 1])
        return Graph(
            (self.vertex_label_names[i] for i in self.vertex_labels[vertices].tolist()),
            zip(
                self.edge_u[edges].tolist(),
                self.edge_v[edges].tolist(),
                (self.edge_label_names[i] for i in self.edge_labels[edges].tolist()),
                strict=True,
            ),
        )

    def __repr__(self) -> str:
        return (
            f"GraphSet({len(self):,} graphs, {len(self.vertex_labels):,} vertices, "
            f"{len(self.edge_u):,} edges, {len(self.vertex_label_names)} vertex labels, "
            f"{len(self.edge_label_names)} edge labels)"
        )

    @property
    def vertex_counts(self) -> Int64:
        """Vertices of each graph, shape (n_graphs,)."""
        return np.diff(self.vertex_offsets)

    @property
    def edge_counts(self) -> Int64:
        """Edges of each graph, shape (n_graphs,)."""
        return np.diff(self.edge_offsets)

    def take(self, indices: npt.ArrayLike) -> "GraphSet":
        """The graphs at ``indices`` (repeats allowed), in that order; drops ``intake``."""
        chosen = np.asarray(indices, dtype=np.int64)
        if chosen.ndim != 1 or (
            chosen.size and (int(chosen.min()) < 0 or int(chosen.max()) >= len(self))
        ):
            raise InvalidInput(f"expected a list of graph indices in 0..{len(self) - 1}")
        vertices, vertex_offsets = _gather(self.vertex_offsets, chosen)
        edges, edge_offsets = _gather(self.edge_offsets, chosen)
        return replace(
            self,
            vertex_offsets=vertex_offsets,
            edge_offsets=edge_offsets,
            vertex_labels=self.vertex_labels[vertices],
            edge_u=self.edge_u[edges],
            edge_v=self.edge_v[edges],
            edge_labels=self.edge_labels[edges],
            sources=None if self.sources is None else self.sources.take(chosen),
            records=None if self.records is None else self.records[chosen],
            intake=None,
        )

    def with_label_names(
        self, vertex_label_names: Sequence[str], edge_label_names: Sequence[str]
    ) -> "GraphSet":
        """The same graphs over other label tables, which must hold every label in use."""
        return replace(
            self,
            vertex_labels=_recode(
                self.vertex_labels, self.vertex_label_names, vertex_label_names, "vertex"
            ),
            edge_labels=_recode(self.edge_labels, self.edge_label_names, edge_label_names, "edge"),
            vertex_label_names=tuple(vertex_label_names),
            edge_label_names=tuple(edge_label_names),
        )

    @cached_property
    def vertex_label_keys(self) -> UInt64:
        """A 64-bit key per vertex label, a function of its string alone (comparable anywhere)."""
        return _label_keys(self.vertex_label_names)

    @cached_property
    def edge_label_keys(self) -> UInt64:
        """A 64-bit key per edge label, a function of its string alone (comparable anywhere)."""
        return _label_keys(self.edge_label_names)

    def sha256(self) -> str:
        """Digest of structure and labels (not of sources); equal sets give equal digests."""
        plain = self.with_label_names(
            sorted(self.vertex_label_names), sorted(self.edge_label_names)
        )
        digest = hashlib.sha256()
        for name in _COLUMNS:
            digest.update(getattr(plain, name).tobytes())
        digest.update("\0".join((*plain.vertex_label_names, "", *plain.edge_label_names)).encode())
        return digest.hexdigest()


_COLUMNS: dict[str, np.dtype[np.int32] | np.dtype[np.int64]] = {
    "vertex_offsets": np.dtype(np.int64),
    "edge_offsets": np.dtype(np.int64),
    "vertex_labels": np.dtype(np.int32),
    "edge_u": np.dtype(np.int32),
    "edge_v": np.dtype(np.int32),
    "edge_labels": np.dtype(np.int32),
}


def share_labels(sets: Sequence[GraphSet]) -> list[GraphSet]:
    """The sets over common, sorted label tables, so that equal labels get equal integers."""
    vertex_names = sorted({name for s in sets for name in s.vertex_label_names})
    edge_names = sorted({name for s in sets for name in s.edge_label_names})
    return [s.with_label_names(vertex_names, edge_names) for s in sets]


def concat(sets: Sequence[GraphSet]) -> GraphSet:
    """All graphs of all sets in order, over common label tables; drops sources and intake."""
    if not sets:
        raise InvalidInput("expected at least one graph set")
    shared = share_labels(sets)
    return GraphSet(
        vertex_offsets=offsets_from_counts(np.concatenate([s.vertex_counts for s in shared])),
        edge_offsets=offsets_from_counts(np.concatenate([s.edge_counts for s in shared])),
        vertex_labels=np.concatenate([s.vertex_labels for s in shared]),
        edge_u=np.concatenate([s.edge_u for s in shared]),
        edge_v=np.concatenate([s.edge_v for s in shared]),
        edge_labels=np.concatenate([s.edge_labels for s in shared]),
        vertex_label_names=shared[0].vertex_label_names,
        edge_label_names=shared[0].edge_label_names,
        molecules=shared[0].molecules if len({s.molecules for s in sets}) == 1 else None,
    )


def offsets_from_counts(counts: npt.ArrayLike) -> Int64:
    """Running offsets of consecutive groups: ``[0, c0, c0 + c1, …]``, int64."""
    sizes = np.asarray(counts, dtype=np.int64)
    offsets = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=offsets[1:])
    return offsets


def _gather(offsets: Int64, chosen: Int64) -> tuple[Int64, Int64]:
    """Indices of the items of the chosen groups, and the offsets of the result."""
    starts = offsets[chosen]
    new_offsets = offsets_from_counts(offsets[chosen + 1] - starts)
    shift = np.repeat(starts - new_offsets[:-1], np.diff(new_offsets))
    return shift + np.arange(new_offsets[-1], dtype=np.int64), new_offsets


def _recode(labels: Int32, old: Sequence[str], new: Sequence[str], kind: str) -> Int32:
    if tuple(old) == tuple(new):
        return labels
    index = {name: i for i, name in enumerate(new)}
    table = np.array([index.get(name, -1) for name in old], dtype=np.int32)
    if not labels.size:
        return labels
    recoded = table[labels]
    if int(recoded.min()) < 0:
        lost = old[int(labels[int(np.argmin(recoded))])]
        raise InvalidInput(f"{kind} label {lost!r} is not in the new label table")
    return recoded


def _label_keys(names: Sequence[str]) -> UInt64:
    keys = [
        int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "little")
        for name in names
    ]
    return np.array(keys, dtype=np.uint64)
