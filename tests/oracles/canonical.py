"""The minimum DFS code by trying every depth-first traversal: slow, and plain to read."""

from collections.abc import Iterator

from graphassay.graph import Graph

Tuple = tuple[int, int, str, str, str]  # i, j, l_i, l_j, l_ij


def minimum_dfs_code(graph: Graph) -> list[Tuple]:
    """Of a connected graph with an edge. Source: Yan and Han 2002, definitions 2 to 6."""
    return min(all_dfs_codes(graph), key=lambda code: [sort_key(t) for t in code])


def sort_key(edge: Tuple) -> tuple:
    """Orders tuples that follow the same prefix as the paper does.

    Backward edges come before forward ones; backward by ascending j, forward by descending i;
    equal (i, j) by (l_i, l_ij, l_j).
    """
    i, j, label_i, label_j, label_ij = edge
    place = (0, j) if i > j else (1, -i)
    return (*place, label_i, label_ij, label_j)


def all_dfs_codes(graph: Graph) -> Iterator[list[Tuple]]:
    """The code of every depth-first traversal from every vertex."""
    labels = {(u, v): label for u, v, label in graph.edges}
    labels.update({(v, u): label for u, v, label in graph.edges})
    neighbours = [[v for v in range(graph.n_vertices) if (u, v) in labels] for u in _ids(graph)]

    def extend(numbers: dict[int, int], path: list[int], code: list[Tuple]) -> Iterator[list]:
        while path and all(v in numbers for v in neighbours[path[-1]]):
            path = path[:-1]  # depth first: go back only from a vertex that is done
        if not path:
            yield code
            return
        u = path[-1]
        for v in neighbours[u]:
            if v in numbers:
                continue
            new = {**numbers, v: len(numbers)}
            edges = [_tuple(graph, labels, new, u, v)]
            back = sorted(new[w] for w in neighbours[v] if w in numbers and w != u)
            vertex_of = {number: w for w, number in new.items()}
            edges += [_tuple(graph, labels, new, v, vertex_of[number]) for number in back]
            yield from extend(new, [*path, v], code + edges)

    for root in _ids(graph):
        yield from extend({root: 0}, [root], [])


def _ids(graph: Graph) -> range:
    return range(graph.n_vertices)


def _tuple(
    graph: Graph, labels: dict[tuple[int, int], str], numbers: dict[int, int], u: int, v: int
) -> Tuple:
    return (
        numbers[u],
        numbers[v],
        graph.vertex_labels[u],
        graph.vertex_labels[v],
        labels[u, v],
    )
