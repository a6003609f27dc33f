"""One component per graph, as the memorization study keeps them."""

import numpy as np

from graphassay.graph import GraphSet, offsets_from_counts


def largest_components(graphs: GraphSet) -> GraphSet:
    """Each graph's component of most vertices; then most edges, then the one met first.

    Drops ``intake``; sources, records and molecule options stay.
    """
    from dataclasses import replace

    from scipy.sparse import coo_array  # slow to import
    from scipy.sparse.csgraph import connected_components

    n = len(graphs.vertex_labels)
    graph_of_vertex = np.repeat(np.arange(len(graphs)), graphs.vertex_counts)
    shift = np.repeat(graphs.vertex_offsets[:-1], graphs.edge_counts)
    u, v = graphs.edge_u + shift, graphs.edge_v + shift
    links = coo_array((np.ones(len(u), dtype=np.int8), (u, v)), shape=(n, n))
    n_components, component = connected_components(links, directed=False)
    n_vertices = np.bincount(component, minlength=n_components)
    n_edges = np.bincount(component[u], minlength=n_components)
    first = np.full(n_components, n, dtype=np.int64)
    np.minimum.at(first, component, np.arange(n))
    # Per graph the first of its components in this order.
    order = np.lexsort((first, -n_edges, -n_vertices, graph_of_vertex[first]))
    kept = np.zeros(n_components, dtype=bool)
    kept[order[np.unique(graph_of_vertex[first[order]], return_index=True)[1]]] = True

    keep_vertex, keep_edge = kept[component], kept[component[u]]
    place = np.cumsum(keep_vertex) - 1
    vertex_offsets = offsets_from_counts(
        np.bincount(graph_of_vertex[keep_vertex], minlength=len(graphs))
    )
    graph_of_edge = np.repeat(np.arange(len(graphs)), graphs.edge_counts)[keep_edge]
    start = vertex_offsets[graph_of_edge]
    return replace(
        graphs,
        vertex_offsets=vertex_offsets,
        edge_offsets=offsets_from_counts(np.bincount(graph_of_edge, minlength=len(graphs))),
        vertex_labels=graphs.vertex_labels[keep_vertex],
        edge_u=(place[u[keep_edge]] - start).astype(np.int32),
        edge_v=(place[v[keep_edge]] - start).astype(np.int32),
        edge_labels=graphs.edge_labels[keep_edge],
        intake=None,
    )
