"""Minimum DFS codes (Yan and Han, ICDM 2002; M 4.1, DEFINITIONS 2) as tokens.

``(0,1,C,C,-) (1,2,C,O,=)``: one token per edge tuple (i, j, l_i, l_j, l_ij), forward where i < j.
Labels compare as in the vocabulary, which sorts them, so isomorphic graphs get one sequence.
Factored, each field is a token: ``0 1 v:C v:C e:- 1 2 v:C v:O e:=``.

M's table 10 counts 382 tuples on MUTAG. That is what its algorithm 1 writes, greedy and dependent
on the order of the input (381, and one more token as on every set); minimum codes need 371.

Beyond M: components follow one another with NEXT between them, each numbered from 0, so that they
share their tuples with connected graphs. A vertex without edges is ``(0,C)``, factored ``0 v:C``.

Random codes are those of depth-first searches from any vertex to any unvisited neighbour, to ask
a model trained on minimum codes how much it depends on the order. One token per tuple, most of them
need tuples that no minimum code has; such graphs are refused. Factored, every code can be written.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from graphassay import native
from graphassay.canonical import MAX_CODE_WORK
from graphassay.errors import BudgetExceeded
from graphassay.graph import GraphSet
from graphassay.linearize.kind import Int32, Int64, Request, Rows


class NoAffordableCode(BudgetExceeded):
    """The search for a canonical form got out of hand. ``row`` says in which of the rows asked."""

    def __init__(self, row: int, reason: str) -> None:
        super().__init__(f"graph {row}: {reason}")
        self.row = row
        self.reason = reason


@dataclass(frozen=True)
class Dfs:
    """The DFS-code family: a token per tuple, or per field; minimum codes, or random ones."""

    factored: bool
    is_random: bool = False
    structural: tuple[str, ...] = ("NEXT",)

    @property
    def number(self) -> int:
        """In the core."""
        return 2 if self.factored else 3

    @property
    def has_tuples(self) -> bool:
        """Whether the vocabulary lists the tuples of the data."""
        return not self.factored

    def n_positions(self, max_vertices: int) -> int:
        """Tuples contain their numbers."""
        return max_vertices if self.factored else 0

    def words(
        self,
        n_positions: int,
        vertex_words: tuple[str, ...],
        edge_words: tuple[str, ...],
        tuples: Int32,
    ) -> list[str]:
        """Single vertices and tuples; factored, positions and labels."""
        if self.factored:
            return [
                *(str(i) for i in range(n_positions)),
                *(f"v:{word}" for word in vertex_words),
                *(f"e:{word}" for word in edge_words),
            ]
        return [
            *(f"(0,{word})" for word in vertex_words),
            *(
                f"({i},{j},{vertex_words[a]},{vertex_words[b]},{edge_words[c]})"
                for i, j, a, b, c in tuples.reshape(-1, 5).tolist()
            ),
        ]

    def fill(self, request: Request) -> Rows:
        """The sequences."""
        graphs = request.graphs.take(request.rows)
        log_q = None
        if self.is_random:
            codes, order, log_q = native.random_dfs_codes(
                graphs.view, request.streams, request.seed, request.epoch, request.threads
            )
        else:
            codes, order = minimum_codes(graphs, request.threads)
        tokens, offsets, no_log_q, missing_rows, missing_tuples = native.dfs_tokens(
            graphs.view,
            np.arange(len(graphs), dtype=np.int64),
            request.vertex_map,
            request.edge_map,
            request.layout,
            request.threads,
            codes,
            order,
            request.tuples,
        )
        return Rows(
            tokens,
            offsets,
            no_log_q if log_q is None else log_q,
            missing_rows,
            missing_tuples,
        )


def minimum_codes(graphs: GraphSet, threads: int) -> tuple[Int32, Int32]:
    """Codes (5 numbers per edge) and the vertex of each number, over the columns of ``graphs``.

    Labels compare as strings, as everywhere in a vocabulary, so codes agree between sets.

    Raises:
        NoAffordableCode: on a graph that takes more than `MAX_CODE_WORK`.
    """
    vertex_ranks, edge_ranks = _ranks(graphs.vertex_label_names), _ranks(graphs.edge_label_names)
    try:
        return native.min_dfs_codes(graphs.view, vertex_ranks, edge_ranks, MAX_CODE_WORK, threads)
    except BudgetExceeded as error:
        found = re.match(r"graph (\d+)", str(error))
        if found is None:
            raise
        reason = f"no affordable minimum DFS code{str(error)[found.end() :]}"
        raise NoAffordableCode(int(found[1]), reason) from error


def distinct_tuples(graphs: GraphSet, vertex_map: Int32, edge_map: Int32, threads: int) -> Int32:
    """The distinct tuples of the minimum codes of all graphs, ascending, flat."""
    codes, order = minimum_codes(graphs, threads)
    rows: Int64 = np.arange(len(graphs), dtype=np.int64)
    return native.distinct_dfs_tuples(graphs.view, rows, vertex_map, edge_map, codes, order)


def _ranks(names: Sequence[str]) -> Int32:
    place = {name: i for i, name in enumerate(sorted(names))}
    return np.array([place[name] for name in names], dtype=np.int32)
