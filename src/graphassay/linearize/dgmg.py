"""DGMG action sequences (Li et al. 2018; M 4.1, DEFINITIONS 2).

``ADD_NODE:C END_EDGE ADD_NODE:O ADD_EDGE:= DEST:0 END_EDGE END_NODE``. With BOS and EOS a graph
takes 2|V| + 2|E| + 3 tokens: exactly the mean and greatest lengths of M's table 10 on all five TU
sets, all components kept. The table says that it leaves BOS and EOS out, so M has two more tokens
per graph there, undescribed; its vocabularies are the tokens that ours has in use, plus one.

Two orders of vertices. ``label`` (M): by label, then as in the input; isomorphic graphs may get
different sequences. ``canonical``: by label, then by the number in the minimum DFS code;
isomorphic graphs get one sequence.
"""

from dataclasses import dataclass

import numpy as np

from graphassay import native
from graphassay.linearize.dfs import minimum_codes
from graphassay.linearize.kind import Int32, Request, Rows


@dataclass(frozen=True)
class Dgmg:
    """The DGMG family with one order of vertices."""

    canonical: bool
    number: int = 1
    structural: tuple[str, ...] = ("END_EDGE", "END_NODE")
    has_tuples: bool = False
    is_random: bool = False

    def n_positions(self, max_vertices: int) -> int:
        """The last vertex is never a destination."""
        return max_vertices - 1

    def words(
        self,
        n_positions: int,
        vertex_words: tuple[str, ...],
        edge_words: tuple[str, ...],
        tuples: Int32,  # noqa: ARG002
    ) -> list[str]:
        """Destinations ``DEST:0``, then ``ADD_NODE:C`` and ``ADD_EDGE:-``."""
        return [
            *(f"DEST:{i}" for i in range(n_positions)),
            *(f"ADD_NODE:{word}" for word in vertex_words),
            *(f"ADD_EDGE:{word}" for word in edge_words),
        ]

    def fill(self, request: Request) -> Rows:
        """The sequences."""
        graphs, rows = request.graphs, request.rows
        numbers = np.empty(0, dtype=np.int32)
        if self.canonical:
            graphs, rows = graphs.take(rows), np.arange(len(rows), dtype=np.int64)
            _, order = minimum_codes(graphs, request.threads)
            numbers = np.empty_like(order)
            starts = np.repeat(graphs.vertex_offsets[:-1], graphs.vertex_counts)
            numbers[starts + order] = np.arange(len(order)) - starts
        return Rows(
            *native.dgmg_tokens(
                graphs.view,
                rows,
                request.vertex_map,
                request.edge_map,
                request.layout,
                request.threads,
                numbers,
            )
        )
