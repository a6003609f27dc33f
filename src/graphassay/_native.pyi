"""graphassay's C++ core. Import it through graphassay.native only."""

from collections.abc import Sequence
from typing import Annotated

import numpy
from numpy.typing import NDArray


class GraphSetView:
    """
    Borrowed, validated columns of a GraphSet; keeps the numpy arrays alive while it lives.
    """

    def __init__(self, vertex_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], edge_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], vertex_labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], edge_u: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], edge_v: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], edge_labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def __len__(self) -> int: ...

MAX_PATTERN_VERTICES: int = 16

def mine(views: Sequence[GraphSetView], vertex_label_ids: Sequence[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]], edge_label_ids: Sequence[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]], database_sources: Sequence[int], weights: Sequence[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None], min_counts: Sequence[int], *, max_vertices: int, min_edges: int, max_edges: int | None, threads: int, occurrences: bool, embeddings: bool, time_limit_s: float | None, memory_limit_bytes: int | None, max_patterns: int | None, progress: object | None) -> dict:
    """
    Frequent subgraphs of several weighted databases, as columns; see graphassay.mining.
    """
