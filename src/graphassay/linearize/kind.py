"""What the families of linearization have in common: a request to fill rows, and its result."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from graphassay.graph import GraphSet

if TYPE_CHECKING:
    from graphassay.native import TokenLayout

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
Float64 = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Request:
    """Which graphs to linearize, over which vocabulary, with which random streams.

    Args:
        graphs: the set.
        rows: graph of each row; every graph is expressible label- and size-wise.
        streams: number of each row's random stream.
        vertex_map: label index of the set -> label index of the vocabulary, -1 for unknown.
        edge_map: the same for edge labels.
        layout: of the vocabulary.
        tuples: DFS tuples of the vocabulary, flat, ascending.
        seed: of all streams.
        epoch: of all streams.
        threads: at most this many.
    """

    graphs: GraphSet
    rows: Int64
    streams: Int64
    vertex_map: Int32
    edge_map: Int32
    layout: "TokenLayout"
    tuples: Int32
    seed: int
    epoch: int
    threads: int


@dataclass(frozen=True)
class Rows:
    """Packed sequences; rows listed in ``missing_rows`` lack the tuple beside them."""

    tokens: Int32
    offsets: Int64
    log_q: Float64
    missing_rows: Int64
    missing_tuples: Int32


class Kind(Protocol):
    """One family: its number in the core, its words, its kernel."""

    @property
    def number(self) -> int:
        """Of the family in the core."""

    @property
    def structural(self) -> tuple[str, ...]:
        """The tokens that follow the special ones."""

    @property
    def has_tuples(self) -> bool:
        """Whether the vocabulary lists the DFS tuples of the data."""

    @property
    def is_random(self) -> bool:
        """Whether a graph has many sequences."""

    def n_positions(self, max_vertices: int) -> int:
        """How many position tokens graphs of up to ``max_vertices`` vertices need."""

    def words(
        self,
        n_positions: int,
        vertex_words: tuple[str, ...],
        edge_words: tuple[str, ...],
        tuples: Int32,
    ) -> list[str]:
        """All tokens after the structural ones, in the order of the core's layout."""

    def fill(self, request: Request) -> Rows:
        """The sequences of the requested rows."""
