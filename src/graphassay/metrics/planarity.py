"""Whether unlabelled graphs are what a planar generator should make (DEFINITIONS 10)."""

import numpy as np
import numpy.typing as npt

from graphassay.graph import GraphSet
from graphassay.metrics.intervals import rate
from graphassay.results import Estimate

_LEAST_CYCLES = 4
"""Independent cycles of the smallest graph that is not planar (K3,3; K5 has 6)."""


def planar_validity(
    graphs: GraphSet, *, n_failed: int = 0, valid: npt.NDArray[np.bool_] | None = None
) -> Estimate:
    """Share of the generated records that are connected, planar graphs.

    Args:
        graphs: the generated graphs; labels play no part.
        n_failed: records that did not become a graph; they count as not valid.
        valid: `connected_planar` of the graphs, where it is known.

    Returns:
        A share of ``len(graphs) + n_failed`` with Wilson's interval; `Undefined` without records.
        A graph without vertices is not connected.

    Source: Martinkus et al., ICML 2022, section 5 (planar graphs).
    """
    valid = connected_planar(graphs) if valid is None else valid
    return rate(int(valid.sum()), len(graphs) + n_failed)


def connected_planar(graphs: GraphSet) -> npt.NDArray[np.bool_]:
    """Which graphs are connected and planar, shape (n_graphs,)."""
    n_vertices, n_edges = graphs.vertex_counts, graphs.edge_counts
    valid: npt.NDArray[np.bool_] = _n_components(graphs) == 1
    # Euler's bounds settle most graphs: a planar one has few edges, one with few cycles is planar.
    valid &= (n_vertices < 3) | (n_edges <= 3 * n_vertices - 6)
    for g in np.flatnonzero(valid & (n_edges - n_vertices + 1 >= _LEAST_CYCLES)).tolist():
        valid[g] = _is_planar(graphs, g)
    return valid


def _is_planar(graphs: GraphSet, g: int) -> bool:
    import networkx as nx

    edges = slice(graphs.edge_offsets[g], graphs.edge_offsets[g + 1])
    graph = nx.Graph(zip(graphs.edge_u[edges].tolist(), graphs.edge_v[edges].tolist(), strict=True))
    return bool(nx.check_planarity(graph)[0])


def _n_components(graphs: GraphSet) -> npt.NDArray[np.int64]:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = len(graphs.vertex_labels)
    first = np.repeat(graphs.vertex_offsets[:-1], graphs.edge_counts)
    ends = (graphs.edge_u + first, graphs.edge_v + first)
    adjacency = coo_array((np.ones(len(first), dtype=np.int8), ends), shape=(n, n))
    _, component = connected_components(adjacency, directed=False)
    graph_of_vertex = np.repeat(np.arange(len(graphs)), graphs.vertex_counts)
    owner = np.zeros(int(component.max(initial=-1)) + 1, dtype=np.int64)
    owner[component] = graph_of_vertex  # a component lies in one graph
    return np.bincount(owner, minlength=len(graphs))
