"""graphassay's C++ core. Import it through graphassay.native only."""

from collections.abc import Sequence
from typing import Annotated, Any, overload

import numpy
from numpy.typing import NDArray


def attend(qkv: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None, None), order='C', device='cpu', writable=False)], rotations: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], positions: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], keys: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None, None, None), order='C', device='cpu')], values: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None, None), order='C', device='cpu')], out: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None), order='C', device='cpu')]) -> None:
    """
    Attention of each row's newest token to its own past; updates the cache of keys and values.
    """

def vertex_orbits(graphs: GraphSetView, threads: int) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """Orbit counts of graphlets up to 4 vertices, 15 per vertex, flat."""

def wl_features(graphs: GraphSetView, vertex_keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], edge_keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], iterations: int, threads: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
    """
    Weisfeiler-Lehman colours of each graph and how often each occurs (offsets, colours, counts); no edge keys: edge labels are ignored.
    """

def sparse_products(a_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], a_columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], a_counts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], b_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], b_columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], b_counts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_columns: int, threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """Dot products of all pairs of sparse rows, flat, row-major."""

class GraphSetView:
    """
    Borrowed, validated columns of a GraphSet; keeps the numpy arrays alive while it lives.
    """

    def __init__(self, vertex_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], edge_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], vertex_labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], edge_u: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], edge_v: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], edge_labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def __len__(self) -> int: ...

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

class TokenLayout:
    """Where each kind of token lies in a vocabulary."""

    def __init__(self, kind: int, n_positions: int, n_vertex_labels: int, n_edge_labels: int, n_tuples: int) -> None: ...

    @property
    def first_position(self) -> int: ...

    @property
    def n_positions(self) -> int: ...

    @property
    def first_vertex_label(self) -> int: ...

    @property
    def first_edge_label(self) -> int: ...

    @property
    def first_tuple(self) -> int: ...

    @property
    def size(self) -> int: ...

def sent_tokens(graphs: GraphSetView, rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], vertex_map: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], edge_map: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], layout: TokenLayout, threads: int, start: int, next: int, streams: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], seed: int, epoch: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
    """
    SENT sequences: tokens, offsets, log q, missing rows, missing tuples (both empty).
    """

def dgmg_tokens(graphs: GraphSetView, rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], vertex_map: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], edge_map: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], layout: TokenLayout, threads: int, numbers: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
    """
    DGMG sequences, vertices by (label, number); no numbers: order of input.
    """

def dfs_tokens(graphs: GraphSetView, rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], vertex_map: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], edge_map: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], layout: TokenLayout, threads: int, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], vocabulary: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
    """DFS codes (columns over the whole set) as tokens."""

def random_dfs_codes(graphs: GraphSetView, streams: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], seed: int, epoch: int, threads: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """
    Random DFS codes: columns as of min_dfs_codes, and log q of each graph.
    """

def distinct_dfs_tuples(graphs: GraphSetView, rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], vertex_map: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], edge_map: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
    """The distinct tuples, ascending, flat."""

class GrammarBatch:
    """States of a batch of prefixes."""

    def __len__(self) -> int: ...

    def allowed(self, rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, out: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

    def advance(self, tokens: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> int:
        """
        One token per row, all or none; the place of the first one refused, or -1.
        """

    def feed(self, row: int, tokens: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> int:
        """Tokens to one row, up to the first one refused; how many were taken."""

    def complete(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]: ...

    def n_vertices(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    def reset(self, rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> None: ...

    def select(self, rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> GrammarBatch: ...

class Grammar:
    """The tokens that may follow a prefix; immutable."""

    @staticmethod
    def make(layout: TokenLayout, max_vertices: int, valences: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], orders: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], tuples: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Grammar: ...

    def start(self, n: int) -> GrammarBatch: ...

    def decode(self, tokens: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
        """
        Columns of the graphs in the order of GraphSet, and where each row failed or -1.
        """

MAX_PATTERN_VERTICES: int = 16

def mine(views: Sequence[GraphSetView], vertex_label_ids: Sequence[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]], edge_label_ids: Sequence[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]], database_sources: Sequence[int], weights: Sequence[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None], min_counts: Sequence[int], *, max_vertices: int, min_edges: int, max_edges: int | None, threads: int, occurrences: bool, embeddings: bool, time_limit_s: float | None, memory_limit_bytes: int | None, max_patterns: int | None, progress: object | None) -> dict[str, Any]:
    """
    Frequent subgraphs of several weighted databases, as columns; see graphassay.mining.
    """

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

@overload
def add_rms_norm(x: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], delta: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, weight: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], eps: float, out: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

@overload
def add_rms_norm(x: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], delta: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, weight: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], eps: float, out: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """x += delta; out = RMS norm of x."""

@overload
def swiglu(gate_up: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

@overload
def swiglu(gate_up: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """out = silu(gate) * up."""

@overload
def causal_attention(qkv: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None, None), order='C', device='cpu', writable=False)], rotations: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None), order='C', device='cpu')]) -> None: ...

@overload
def causal_attention(qkv: Annotated[NDArray[numpy.uint16], dict(shape=(None, None, None, None), order='C', device='cpu', writable=False)], rotations: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint16], dict(shape=(None, None, None), order='C', device='cpu')]) -> None:
    """Attention of every token to its own sequence up to itself."""
