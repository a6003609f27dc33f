"""graphassay's C++ core. Import it through graphassay.native only."""

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
