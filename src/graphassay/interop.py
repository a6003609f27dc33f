"""Graphs from and to the objects of NetworkX, rustworkx and PyTorch Geometric.

RDKit molecules: `graphassay.molecules`. None of these packages is imported unless its objects are
asked for; PyG's are read and written by their attributes, so that torch is never imported here.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from graphassay.errors import InvalidGraph, MissingDependency
from graphassay.graph import NO_LABEL, Graph, GraphSet

if TYPE_CHECKING:
    import networkx as nx

__all__ = [
    "from_networkx",
    "from_pyg",
    "from_rustworkx",
    "to_networkx",
    "to_pyg",
    "to_rustworkx",
]


def from_networkx(
    graphs: "nx.Graph[Any] | Iterable[nx.Graph[Any]]",
    *,
    vertex_label: str = "label",
    edge_label: str = "label",
) -> GraphSet:
    """Graphs from NetworkX, vertices in the order of the nodes.

    Args:
        graphs: one undirected, simple graph, or several.
        vertex_label: node attribute with the label (its ``str``); `NO_LABEL` where no node has it.
        edge_label: the same for edges.

    Raises:
        InvalidGraph: directed, multigraph, self-loop, or a label that only some of a graph have.

    Example:
        >>> import networkx as nx
        >>> from_networkx(nx.path_graph(3))
        GraphSet(1 graphs, 3 vertices, 2 edges, 1 vertex labels, 1 edge labels)
    """
    listed = [graphs] if hasattr(graphs, "is_multigraph") else list(graphs)
    return GraphSet.from_graphs(
        _located(i, partial(_from_networkx, graph, vertex_label, edge_label))
        for i, graph in enumerate(listed)
    )


def _from_networkx(graph: Any, vertex_label: str, edge_label: str) -> Graph:
    if graph.is_directed():
        raise InvalidGraph("expected an undirected graph, got a directed one; use to_undirected()")
    if graph.is_multigraph():
        raise InvalidGraph("expected a simple graph, got a multigraph; convert it with nx.Graph()")
    place = {node: i for i, node in enumerate(graph)}
    vertex_labels = _labels([data.get(vertex_label) for _, data in graph.nodes(data=True)], "node")
    edges = list(graph.edges(data=True))
    edge_labels = _labels([data.get(edge_label) for _, _, data in edges], "edge")
    return Graph(
        vertex_labels,
        ((place[u], place[v], label) for (u, v, _), label in zip(edges, edge_labels, strict=True)),
    )


def to_networkx(graph: Graph) -> "nx.Graph[int]":
    """A NetworkX graph over nodes 0, 1, …; labels in the attribute ``label``."""
    import networkx as nx

    out: nx.Graph[int] = nx.Graph()
    out.add_nodes_from((i, {"label": label}) for i, label in enumerate(graph.vertex_labels))
    out.add_edges_from((u, v, {"label": label}) for u, v, label in graph.edges)
    return out


def from_rustworkx(
    graphs: Any,
    *,
    vertex_label: Callable[[Any], str] | None = None,
    edge_label: Callable[[Any], str] | None = None,
) -> GraphSet:
    """Graphs from rustworkx (`PyGraph`, one or several), vertices in the order of the node indices.

    Args:
        graphs: undirected, simple graphs.
        vertex_label: label of a node's payload; by default its ``str``, or `NO_LABEL` where the
            payloads are all None.
        edge_label: the same for edges.

    Raises:
        InvalidGraph: directed, with self-loops or parallel edges.
    """
    listed = [graphs] if hasattr(graphs, "edge_index_map") else list(graphs)
    return GraphSet.from_graphs(
        _located(i, partial(_from_rustworkx, graph, vertex_label, edge_label))
        for i, graph in enumerate(listed)
    )


def _from_rustworkx(
    graph: Any,
    vertex_label: Callable[[Any], str] | None,
    edge_label: Callable[[Any], str] | None,
) -> Graph:
    if not hasattr(graph, "degree"):  # PyDiGraph has in_degree and out_degree only
        raise InvalidGraph("expected a PyGraph, got a directed graph; use to_undirected()")
    place = {index: i for i, index in enumerate(graph.node_indices())}
    nodes, edges = graph.nodes(), graph.weighted_edge_list()
    payloads = [payload for _, _, payload in edges]
    vertex_labels = list(map(vertex_label, nodes)) if vertex_label else _labels(nodes, "node")
    edge_labels = list(map(edge_label, payloads)) if edge_label else _labels(payloads, "edge")
    return Graph(
        vertex_labels,
        ((place[u], place[v], label) for (u, v, _), label in zip(edges, edge_labels, strict=True)),
    )


def to_rustworkx(graph: Graph) -> Any:
    """A rustworkx `PyGraph` whose payloads are the labels.

    Raises:
        MissingDependency: rustworkx is not installed.
    """
    try:
        import rustworkx
    except ImportError:
        raise MissingDependency("rustworkx is not installed; pip install rustworkx") from None
    out = rustworkx.PyGraph(multigraph=False)
    out.add_nodes_from(list(graph.vertex_labels))
    out.add_edges_from(list(graph.edges))
    return out


def from_pyg(
    graphs: Any,
    *,
    vertex_names: Sequence[str] | None = None,
    edge_names: Sequence[str] | None = None,
) -> GraphSet:
    """Graphs from PyTorch Geometric `Data` (one or several), or anything with its attributes.

    ``x`` and ``edge_attr`` give labels: a row with several columns must be one-hot and stands for
    its hot column; one column is an integer. ``edge_index`` (2, n) holds each edge in both
    directions, as PyG has it for undirected graphs.

    Args:
        graphs: objects with ``edge_index`` and, where there are any, ``num_nodes``, ``x``,
            ``edge_attr``.
        vertex_names: label of each integer; by default its decimal text.
        edge_names: the same for edges.

    Raises:
        InvalidGraph: an edge without its reverse or with another label there, self-loops, parallel
            edges, or attributes that are neither one-hot nor one integer.
    """
    listed = [graphs] if hasattr(graphs, "edge_index") else list(graphs)
    return GraphSet.from_graphs(
        _located(i, partial(_from_pyg, data, vertex_names, edge_names))
        for i, data in enumerate(listed)
    )


def _from_pyg(
    data: Any, vertex_names: Sequence[str] | None, edge_names: Sequence[str] | None
) -> Graph:
    ends = _array(data.edge_index).reshape(2, -1)
    x, edge_attr = getattr(data, "x", None), getattr(data, "edge_attr", None)
    n = getattr(data, "num_nodes", None)
    if n is None:
        n = len(x) if x is not None else int(ends.max(initial=-1)) + 1
    vertex_labels = _codes(x, int(n), vertex_names, "x")
    edge_labels = _codes(edge_attr, ends.shape[1], edge_names, "edge_attr")
    one_way: dict[tuple[int, int], str] = {}
    for u, v, label in zip(*ends.tolist(), edge_labels, strict=True):
        if (u, v) in one_way:
            raise InvalidGraph(f"expected a simple graph, got edge {u}-{v} twice in one direction")
        one_way[u, v] = label
    for (u, v), label in one_way.items():
        if one_way.get((v, u)) != label:
            raise InvalidGraph(
                f"expected an undirected graph, got edge {u}-{v} without its equal {v}-{u}"
            )
    return Graph(vertex_labels, ((u, v, label) for (u, v), label in one_way.items() if u <= v))


def to_pyg(graph: Graph, *, vertex_names: Sequence[str], edge_names: Sequence[str]) -> Any:
    """A PyG `Data` with one-hot ``x`` and ``edge_attr`` over the given label tables.

    Raises:
        InvalidGraph: a label that is in no table.
        MissingDependency: torch or torch_geometric is not installed.
    """
    arrays = to_pyg_arrays(graph, vertex_names=vertex_names, edge_names=edge_names)
    try:
        import torch
        from torch_geometric.data import Data
    except ImportError:
        raise MissingDependency(
            "PyTorch Geometric is not installed; pip install torch torch_geometric"
        ) from None
    return Data(num_nodes=graph.n_vertices, **{k: torch.from_numpy(v) for k, v in arrays.items()})


def to_pyg_arrays(
    graph: Graph, *, vertex_names: Sequence[str], edge_names: Sequence[str]
) -> dict[str, Any]:
    """What `to_pyg` puts into its `Data`, as numpy arrays: no torch needed."""
    vertex_index = {name: i for i, name in enumerate(vertex_names)}
    edge_index = {name: i for i, name in enumerate(edge_names)}
    both = [(a, b, label) for u, v, label in graph.edges for a, b in ((u, v), (v, u))]
    try:
        vertex_codes = [vertex_index[label] for label in graph.vertex_labels]
        edge_codes = [edge_index[label] for _, _, label in both]
    except KeyError as error:
        raise InvalidGraph(f"label {error} is not in the table of names") from None
    return {
        "x": np.eye(len(vertex_names), dtype=np.float32)[np.array(vertex_codes, dtype=np.int64)],
        "edge_index": np.array([e[:2] for e in both], dtype=np.int64).reshape(-1, 2).T.copy(),
        "edge_attr": np.eye(len(edge_names), dtype=np.float32)[np.array(edge_codes, np.int64)],
    }


def _array(tensor: Any) -> Any:
    """A numpy array of a torch tensor, wherever it lives, or of anything array-like."""
    for step in ("detach", "cpu", "numpy"):
        if not isinstance(tensor, np.ndarray) and hasattr(tensor, step):
            tensor = getattr(tensor, step)()
    return np.asarray(tensor)


def _codes(attribute: Any, n: int, names: Sequence[str] | None, what: str) -> list[str]:
    if attribute is None:
        return [NO_LABEL] * n
    values = _array(attribute)
    if values.shape[:1] != (n,) or values.ndim > 2:
        raise InvalidGraph(f"{what}: expected {n} rows, got shape {values.shape}")
    values = values.reshape(n, -1) if n else values.reshape(0, 1)
    if values.shape[1] > 1:
        if not (np.isin(values, (0, 1)).all() and (values.sum(axis=1) == 1).all()):
            raise InvalidGraph(f"{what}: expected one-hot rows or one integer column")
        values = values.argmax(axis=1)
    elif values.dtype.kind not in "biu" and not (values == np.floor(values)).all():
        raise InvalidGraph(f"{what}: expected one-hot rows or one integer column")
    codes = [int(code) for code in values.ravel().tolist()]
    if names is None:
        return [str(code) for code in codes]
    if codes and not 0 <= min(codes) <= max(codes) < len(names):
        raise InvalidGraph(f"{what}: expected codes below {len(names)}, got {max(codes)}")
    return [names[code] for code in codes]


def _labels(found: Sequence[Any], what: str) -> list[str]:
    """Labels as text; `NO_LABEL` where none has one."""
    n_missing = sum(label is None for label in found)
    if n_missing == len(found):
        return [NO_LABEL] * len(found)
    if n_missing:
        raise InvalidGraph(f"{n_missing} of {len(found)} {what}s have no label")
    return [str(label) for label in found]


def _located(place: int, make: Callable[[], Graph]) -> Graph:
    """Say which graph of the list it was."""
    try:
        return make()
    except InvalidGraph as error:
        raise InvalidGraph(f"graph {place}: {error}") from None
