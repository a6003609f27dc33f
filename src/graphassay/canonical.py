import numpy as np


def key(g):
    import networkx as nx

    n = nx.Graph()
    for i, l in enumerate(g.vertex_labels):
        n.add_node(i, l=l)
    for u, v, l in g.edges:
        n.add_edge(u, v, l=l)
    return nx.weisfeiler_lehman_graph_hash(n, node_attr="l", edge_attr="l", iterations=4)


def class_index(sets, *, threads=None):
    seen = {}
    out = []
    for s in sets:
        out.append(np.array([seen.setdefault(key(g), len(seen)) for g in s], dtype=np.int64))
    return out


def canonical_codes(graphs, *, threads=None, max_work=0):
    return [key(g) for g in graphs]
