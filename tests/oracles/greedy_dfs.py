"""M's algorithm 1: a greedy DFS code from every directed edge, the least of them taken.

It resolves ties by the order of the input and so is not canonical; it is here to reproduce M's
table 10.
"""

from graphassay.graph import Graph

Tuple = tuple[int, int, int, int, int]


def _order(code: list[Tuple]) -> list[tuple[int, int, int, int, int]]:
    """Backward before forward, backward by j, forward by deeper i; then (l_i, l_j, l_ij)."""
    return [(0, j, a, b, c) if i > j else (1, -i, a, b, c) for i, j, a, b, c in code]


def _code(graph: Graph, first: tuple[int, int, int]) -> list[Tuple]:
    labels = [int(label) for label in graph.vertex_labels]
    neighbours: list[list[tuple[int, int]]] = [[] for _ in labels]
    for u, v, label in graph.edges:
        kind = int(label) if label.isdigit() else 0
        neighbours[u].append((v, kind))
        neighbours[v].append((u, kind))
    u, v, kind = first
    number = {u: 0, v: 1}
    path = [u, v]
    code = [(0, 1, labels[u], labels[v], kind)]
    used = {frozenset((u, v))}
    while True:
        last = path[-1]
        back = [
            (number[a], a, x)
            for a, x in neighbours[last]
            if a in path and frozenset((a, last)) not in used
        ]
        if back:
            j, a, x = min(back)
            code.append((number[last], j, labels[last], labels[a], x))
            used.add(frozenset((a, last)))
            continue
        while path and all(x in number for x, _ in neighbours[path[-1]]):
            path.pop()
        if not path:
            return code
        w = path[-1]
        # min() keeps the first of equals: the order of the input.
        new, kind = min(
            (n for n in neighbours[w] if n[0] not in number), key=lambda n: (labels[n[0]], n[1])
        )
        number[new] = len(number)
        code.append((number[w], number[new], labels[w], labels[new], kind))
        used.add(frozenset((w, new)))
        path.append(new)


def greedy_code(graph: Graph) -> list[Tuple]:
    """The least of the greedy codes; of one component, the one that it starts in."""
    starts = []
    for u, v, label in graph.edges:
        kind = int(label) if label.isdigit() else 0
        starts += [(u, v, kind), (v, u, kind)]
    return min((_code(graph, start) for start in starts), key=_order, default=[])
