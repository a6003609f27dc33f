"""SENT: segmented Eulerian neighbourhood trails (Chen et al. 2025; L 2.1-2.2, DEFINITIONS 2).

``0 v:C e:- 1 v:C e:= 2 v:O RESET 3 v:N [ e:- 0 e:- 1 ]``: a trail of new vertices (index, label,
with the label of the step before), RESET where it is stuck. After a vertex a bracket lists its
edges to earlier vertices other than the one just left, by ascending index.
"""

from dataclasses import dataclass

from graphassay import native
from graphassay.linearize.kind import Int32, Request, Rows

_ANY, _LEAST, _GREATEST = 0, 1, 2

STRATEGIES = {
    "random": (_ANY, _ANY),
    "min-degree": (_LEAST, _LEAST),
    "max-degree": (_GREATEST, _GREATEST),
    "anchor": (_GREATEST, _LEAST),
}
"""How to pick a start (first vertex, and after RESET) and the next neighbour; ties at random."""


@dataclass(frozen=True)
class Sent:
    """The SENT family with one strategy."""

    strategy: str
    number: int = 0
    structural: tuple[str, ...] = ("RESET", "[", "]")
    has_tuples: bool = False
    is_random: bool = True

    def n_positions(self, max_vertices: int) -> int:
        """One per vertex."""
        return max_vertices

    def words(
        self,
        n_positions: int,
        vertex_words: tuple[str, ...],
        edge_words: tuple[str, ...],
        tuples: Int32,  # noqa: ARG002
    ) -> list[str]:
        """Positions ``0``, vertex labels ``v:C``, edge labels ``e:-``."""
        return [
            *(str(i) for i in range(n_positions)),
            *(f"v:{word}" for word in vertex_words),
            *(f"e:{word}" for word in edge_words),
        ]

    def fill(self, request: Request) -> Rows:
        """The sequences, each drawn from its own stream."""
        start, following = STRATEGIES[self.strategy]
        return Rows(
            *native.sent_tokens(
                request.graphs.view,
                request.rows,
                request.vertex_map,
                request.edge_map,
                request.layout,
                request.threads,
                start,
                following,
                request.streams,
                request.seed,
                request.epoch,
            )
        )
