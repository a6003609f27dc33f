"""Rewired graphs: what is left of train when only labels and degrees are known (DEFINITIONS 8)."""

from dataclasses import replace

from graphassay import native
from graphassay.errors import InvalidInput
from graphassay.graph import GraphSet

SWAPS_PER_EDGE = 10


def rewire(graphs: GraphSet, *, seed: int, swaps_per_edge: int = SWAPS_PER_EDGE) -> GraphSet:
    """Every graph after many random double-edge swaps.

    A swap turns two edges a-b and c-d *of the same label* into a-d and c-b when the graph stays
    simple. So every vertex keeps its label and its number of edges of each label (an atom its bond
    orders); which labels are neighbours, cycles and connectivity are left to chance. Graphs with no
    possible swap (a single edge, a star) come back as they were.

    Args:
        graphs: any set.
        seed: 0 or more; graph ``i`` depends on ``(seed, i)`` and itself alone.
        swaps_per_edge: swaps tried per edge; 10 is usual for mixing (Milo et al. 2003,
            arXiv:cond-mat/0312028).

    Returns:
        As many graphs in the same order, without sources, records and intake.

    Example:
        >>> from graphassay.graph import Graph, GraphSet
        >>> path = Graph("CCCO", [(0, 1, "-"), (1, 2, "-"), (2, 3, "-")])
        >>> rewired = rewire(GraphSet.from_graphs([path]), seed=1)
        >>> rewired[0].vertex_labels, rewired[0].n_edges
        (('C', 'C', 'C', 'O'), 3)
    """
    if seed < 0 or swaps_per_edge < 0:
        raise InvalidInput(
            f"expected seed >= 0 and swaps_per_edge >= 0, got {seed} and {swaps_per_edge}"
        )
    edge_u, edge_v, edge_labels = native.rewire(
        graphs.view, seed % 2**64, min(swaps_per_edge, 2**32 - 1)
    )
    return replace(
        graphs,
        edge_u=edge_u,
        edge_v=edge_v,
        edge_labels=edge_labels,
        sources=None,
        records=None,
        intake=None,
    )
