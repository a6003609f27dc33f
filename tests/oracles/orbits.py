"""Orbit counts by looking at every set of four vertices: slow, short, and independent."""

from itertools import combinations

import networkx as nx
import numpy as np

# A connected graph on 2 to 4 vertices is known by its sorted degrees, a vertex in it by its degree.
ORBIT = {
    ((1, 1), 1): 0,
    ((1, 1, 2), 1): 1,
    ((1, 1, 2), 2): 2,
    ((2, 2, 2), 2): 3,
    ((1, 1, 2, 2), 1): 4,
    ((1, 1, 2, 2), 2): 5,
    ((1, 1, 1, 3), 1): 6,
    ((1, 1, 1, 3), 3): 7,
    ((2, 2, 2, 2), 2): 8,
    ((1, 2, 2, 3), 1): 9,
    ((1, 2, 2, 3), 2): 10,
    ((1, 2, 2, 3), 3): 11,
    ((2, 2, 3, 3), 2): 12,
    ((2, 2, 3, 3), 3): 13,
    ((3, 3, 3, 3), 3): 14,
}


def vertex_orbits(graph: nx.Graph) -> np.ndarray:
    """Counts of shape (n_vertices, 15)."""
    counts = np.zeros((len(graph), 15), dtype=np.int64)
    for size in (2, 3, 4):
        for chosen in combinations(graph, size):
            part = graph.subgraph(chosen)
            if nx.is_connected(part):
                degrees = tuple(sorted(d for _, d in part.degree))
                for v, degree in part.degree:
                    counts[v, ORBIT[degrees, degree]] += 1
    return counts
