"""graphassay's C++ core. Import it through graphassay.native only."""

from collections.abc import Sequence
from typing import Annotated, Any

import numpy
from numpy.typing import NDArray


class GraphSetView:
    """
    Borrowed, validated columns of a GraphSet; keeps the numpy arrays alive while it lives.
    """

    def __init__(self, vertex_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], edge_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], vertex_labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], edge_u: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], edge_v: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], edge_labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def __len__(self) -> int: ...

def rewire(graphs: GraphSetView, seed: int, swaps_per_edge: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
    """
    Edge columns (u, v, label) after degree- and label-preserving double-edge swaps.
    """

def parse_integer_rows(text: bytes, n_columns: int) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """
    Rows of integers, flat. Raises InvalidInput with the line that is not such a row.
    """

def parse_label_lines(text: bytes) -> tuple[Any, list[str]]:
    """One label per line: (indices, names by first appearance)."""

def parse_gspan(text: bytes) -> dict[str, Any]:
    """gSpan text as columns; see graphassay.io.gspan."""

def read_rdkit_binary(blob: bytes, ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> dict[str, Any] | None:
    """
    RDKit's binary molecules, one behind the other, as columns; None if not understood.
    """

def class_ids(graphs: GraphSetView, vertex_keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], edge_keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], max_work: int, threads: int) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.uint8], dict(shape=(None,))]]:
    """
    128-bit class ids, two words per graph, and how each was settled (0 tree, 1 discrete, 2 symmetric, 3 searched).
    """

def min_dfs_codes(graphs: GraphSetView, vertex_ranks: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], edge_ranks: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], max_work: int, threads: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
    """
    Minimum DFS codes: (i, j, l_i, l_j, l_ij) per edge, flat, and the vertex of each number.
    """

def dfs_code_texts(graphs: GraphSetView, vertex_ranks: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], edge_ranks: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], vertex_names: Sequence[str], edge_names: Sequence[str], max_work: int, threads: int) -> list[str]:
    """Minimum DFS codes as text."""

MAX_PATTERN_VERTICES: int = 16

def mine(views: Sequence[GraphSetView], vertex_label_ids: Sequence[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]], edge_label_ids: Sequence[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]], database_sources: Sequence[int], weights: Sequence[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None], min_counts: Sequence[int], *, max_vertices: int, min_edges: int, max_edges: int | None, threads: int, occurrences: bool, embeddings: bool, time_limit_s: float | None, memory_limit_bytes: int | None, max_patterns: int | None, progress: object | None) -> dict[str, Any]:
    """
    Frequent subgraphs of several weighted databases, as columns; see graphassay.mining.
    """
