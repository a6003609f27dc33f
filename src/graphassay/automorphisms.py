"""How many automorphisms graphs have.

Orbits and stabilizers: |Aut(G)| is the size of a vertex's orbit times the number of automorphisms
that fix the vertex, and so on until every vertex is fixed. Colour refinement, over all graphs at
once, says which vertices may share an orbit; isomorphism class ids say which do.
"""

from dataclasses import replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from graphassay.canonical import class_ids
from graphassay.errors import BudgetExceeded
from graphassay.graph import GraphSet, offsets_from_counts

Float64 = npt.NDArray[np.float64]
Int64 = npt.NDArray[np.int64]
UInt64 = npt.NDArray[np.uint64]


def log_automorphisms(
    graphs: GraphSet,
    *,
    threads: int | None = None,
    on_budget: Literal["raise", "nan"] = "raise",
) -> Float64:
    """Logarithm of the number of label-preserving automorphisms of each graph.

    Args:
        graphs: any graphs; several components, no edges and no vertices included.
        threads: as in `graphassay.canonical.class_ids`.
        on_budget: of graphs that cost too much, ``nan`` gives NaN and all others their number.
            Each of them costs its budget again for every halving of ``graphs``.

    Returns:
        float64, shape (n_graphs,); 0 where only the identity is one.

    Raises:
        BudgetExceeded: as `graphassay.canonical.class_ids`, unless ``on_budget`` says otherwise.

    Example:
        >>> from graphassay.graph import Graph
        >>> square = Graph("CCCC", [(0, 1, "-"), (1, 2, "-"), (2, 3, "-"), (0, 3, "-")])
        >>> np.exp(log_automorphisms(GraphSet.from_graphs([square]))).round(9).tolist()
        [8.0]
    """
    try:
        return _count(graphs, threads)
    except BudgetExceeded:
        if on_budget == "raise":
            raise
    if len(graphs) == 1:
        return np.full(1, np.nan)
    middle = len(graphs) // 2
    halves = (graphs[:middle], graphs[middle:])
    return np.concatenate(
        [log_automorphisms(half, threads=threads, on_budget=on_budget) for half in halves]
    )


def _count(graphs: GraphSet, threads: int | None) -> Float64:
    total = np.zeros(len(graphs))
    left = np.arange(len(graphs))
    fixed = graphs
    for level in range(int(graphs.vertex_counts.max(initial=0))):
        owner = np.repeat(np.arange(len(fixed)), fixed.vertex_counts)
        cell, size = _cells(fixed, owner)
        open_graphs, candidates = _smallest_open_cells(owner, cell, size)
        if not len(open_graphs):
            break
        fixed, left = fixed.take(open_graphs), left[open_graphs]
        per_graph = np.bincount(candidates[:, 0], minlength=len(left))
        # One copy for each candidate, with it singled out by a label of its own.
        copies = _single_out(
            fixed.take(np.repeat(np.arange(len(left)), per_graph)), candidates[:, 1], level
        )
        ids = class_ids(copies, threads=threads)
        first = offsets_from_counts(per_graph)[:-1]
        same = (ids == np.repeat(ids[first], per_graph, axis=0)).all(axis=1)
        total[left] += np.log(np.bincount(candidates[:, 0], weights=same, minlength=len(left)))
        fixed = copies.take(first)
    return total


def _single_out(graphs: GraphSet, vertices: Int64, level: int) -> GraphSet:
    labels = graphs.vertex_labels.copy()
    labels[graphs.vertex_offsets[:-1] + vertices] = len(graphs.vertex_label_names)
    names = (*graphs.vertex_label_names, f"\0fixed {level}")
    return replace(graphs, vertex_labels=labels, vertex_label_names=names)


def _smallest_open_cells(owner: Int64, cell: Int64, size: Int64) -> tuple[Int64, Int64]:
    """Graphs in which some vertices still look alike, and those of one cell of each.

    Returns:
        The graphs, and rows (place of the graph among them, vertex within the graph).
    """
    open_cells = np.flatnonzero(size > 1)
    _, first_vertex = np.unique(cell, return_index=True)
    of_graph = owner[first_vertex][open_cells]
    order = np.lexsort((size[open_cells], of_graph))
    graphs, at = np.unique(of_graph[order], return_index=True)
    chosen = open_cells[order][at]
    vertices = np.flatnonzero(np.isin(cell, chosen))
    place = np.searchsorted(graphs, owner[vertices])
    start = np.searchsorted(owner, owner[vertices])  # owner is ascending
    return graphs, np.stack([place, vertices - start], axis=1)


def _cells(graphs: GraphSet, owner: Int64) -> tuple[Int64, Int64]:
    """Colour refinement: the cell of each vertex, numbered over all graphs, and cell sizes."""
    shift = np.repeat(graphs.vertex_offsets[:-1], graphs.edge_counts)
    u, v = graphs.edge_u + shift, graphs.edge_v + shift
    ends, others = np.concatenate([u, v]), np.concatenate([v, u])
    edges = _mix(np.tile(graphs.edge_labels, 2).astype(np.uint64) + np.uint64(1))
    colours = _mix(graphs.vertex_labels.astype(np.uint64) ^ _mix(owner.astype(np.uint64)))
    n_cells = -1
    while True:
        _, cell, size = np.unique(colours, return_inverse=True, return_counts=True)
        if len(size) == n_cells:
            return cell, size
        n_cells = len(size)
        seen = np.zeros(len(colours), dtype=np.uint64)
        np.add.at(seen, ends, _mix(colours[others] ^ edges))
        colours = _mix(colours * np.uint64(3) + _mix(seen))


def _mix(x: UInt64) -> UInt64:
    z = x + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: UInt64 = z ^ (z >> np.uint64(31))
    return mixed
