"""Frequent subgraphs by enumerating every connected set of edges: slow, short, and independent."""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import permutations

from graphassay.graph import Graph

Code = tuple[tuple[str, ...], tuple[tuple[int, int, str], ...]]


@cache
def canonical(graph: Graph) -> Code:
    """The least (labels, edges) over all vertex orders; equal exactly for isomorphic graphs."""
    return min(_written(graph, places) for places in permutations(range(graph.n_vertices)))


def _written(graph: Graph, places: Sequence[int]) -> Code:
    labels = [""] * graph.n_vertices
    for v, place in enumerate(places):
        labels[place] = graph.vertex_labels[v]
    edges = ((places[u], places[w], label) for u, w, label in graph.edges)
    return tuple(labels), tuple(sorted((min(u, w), max(u, w), label) for u, w, label in edges))


def connected_subgraphs(graph: Graph, max_vertices: int) -> Counter[Code]:
    """Every distinct connected set of edges on at most max_vertices vertices, by isomorphism."""
    frontier = {frozenset([edge]) for edge in graph.edges}
    seen = set(frontier)
    while frontier:
        grown = set()
        for edges in frontier:
            vertices = {v for u, w, _ in edges for v in (u, w)}
            for edge in graph.edges:
                touched = vertices | {edge[0], edge[1]}
                connected = edge[0] in vertices or edge[1] in vertices
                if edge not in edges and connected and len(touched) <= max_vertices:
                    grown.add(edges | {edge})
        frontier = grown - seen
        seen |= frontier
    return Counter(canonical(_induced(graph, edges)) for edges in seen)


def _induced(graph: Graph, edges: frozenset[tuple[int, int, str]]) -> Graph:
    vertices = sorted({v for u, w, _ in edges for v in (u, w)})
    place = {v: i for i, v in enumerate(vertices)}
    return Graph(
        (graph.vertex_labels[v] for v in vertices),
        ((place[u], place[w], label) for u, w, label in edges),
    )


def frequent(
    databases: Sequence[tuple[Sequence[Graph], Sequence[int], int]], max_vertices: int
) -> dict[Code, tuple[list[int], list[int]]]:
    """Code -> (counts, embeddings) per database of (graphs, weights, least count)."""
    counts: dict[Code, list[int]] = {}
    embeddings: dict[Code, list[int]] = {}
    for d, (graphs, weights, _) in enumerate(databases):
        for graph, weight in zip(graphs, weights, strict=True):
            for code, n_images in connected_subgraphs(graph, max_vertices).items():
                counts.setdefault(code, [0] * len(databases))[d] += weight
                embeddings.setdefault(code, [0] * len(databases))[d] += weight * n_images
    least = [count for _, _, count in databases]
    return {
        code: (listed, embeddings[code])
        for code, listed in counts.items()
        if any(n >= m for n, m in zip(listed, least, strict=True))
    }
