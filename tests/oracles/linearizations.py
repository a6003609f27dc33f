"""Linearizations written out slowly: all SENT sequences of a graph, and a reader of each kind."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from graphassay.graph import Graph


def all_sent(graph: Graph, start: str, following: str) -> Counter[str]:
    """Every SENT sequence of a graph with its probability.

    ``start`` and ``following`` are ``any``, ``min`` or ``max`` (degree in the full graph). Keys
    are bodies (no BOS, no EOS). Exponential: for a handful of vertices.
    """
    n = graph.n_vertices
    label = {frozenset((u, v)): x for u, v, x in graph.edges}
    neighbours = {v: [u for u in range(n) if frozenset((u, v)) in label] for v in range(n)}

    def best(candidates: list[int], rule: str) -> list[int]:
        if rule == "any" or not candidates:
            return candidates
        pick = min if rule == "min" else max
        wanted = pick(len(neighbours[v]) for v in candidates)
        return [v for v in candidates if len(neighbours[v]) == wanted]

    def walk(order: list[int], left: int | None, words: list[str], p: float) -> Iterator[tuple]:
        vertex = order[-1]
        earlier = [
            (order.index(u), label[frozenset((u, vertex))])
            for u in neighbours[vertex]
            if u in order and u not in (left, vertex)
        ]
        words = [*words, str(len(order) - 1), f"v:{graph.vertex_labels[vertex]}"]
        if earlier:
            listed = [word for i, x in sorted(earlier) for word in (f"e:{x}", str(i))]
            words += ["[", *listed, "]"]
        steps = best([u for u in neighbours[vertex] if u not in order], following)
        for u in steps:
            step = f"e:{label[frozenset((u, vertex))]}"
            yield from walk([*order, u], vertex, [*words, step], p / len(steps))
        if steps:
            return
        rest = best([u for u in range(n) if u not in order], start)
        for u in rest:
            yield from walk([*order, u], None, [*words, "RESET"], p / len(rest))
        if not rest:
            yield " ".join(words), p

    found: Counter[str] = Counter()
    firsts = best(list(range(n)), start)
    for v in firsts:
        for body, p in walk([v], None, [], 1 / len(firsts)):
            found[body] += p
    return found


def read_sent(words: Sequence[str]) -> Graph:
    """The graph of a SENT body."""
    labels: list[str] = []
    edges: list[tuple[int, int, str]] = []
    stack = list(reversed(words))
    step: str | None = None
    while stack:
        word = stack.pop()
        if word == "RESET":
            step = None
        elif word.startswith("e:"):
            step = word[2:]
        elif word == "[":
            while (word := stack.pop()) != "]":
                edges.append((len(labels) - 1, int(stack.pop()), word[2:]))
        else:
            labels.append(stack.pop()[2:])
            if step is not None:
                edges.append((int(word), int(word) - 1, step))
                step = None
    return Graph(labels, edges)


def read_dgmg(words: Sequence[str]) -> Graph:
    """The graph of a DGMG body."""
    labels: list[str] = []
    edges: list[tuple[int, int, str]] = []
    for word, after in zip(words, [*words[1:], ""], strict=True):
        action, _, value = word.partition(":")
        if action == "ADD_NODE":
            labels.append(value)
        elif action == "ADD_EDGE":
            edges.append((len(labels) - 1, int(after.removeprefix("DEST:")), value))
    return Graph(labels, edges)


def read_dfs(words: Sequence[str]) -> Graph:
    """The graph of a DFS-code body, one token per tuple."""
    labels: dict[int, str] = {}
    edges: list[tuple[int, int, str]] = []
    for component in " ".join(words).split(" NEXT "):
        base = len(labels)
        for word in component.split():
            fields = re.fullmatch(r"\((.*)\)", word)[1].split(",")
            if len(fields) == 2:
                labels[base] = fields[1]
                continue
            i, j = base + int(fields[0]), base + int(fields[1])
            assert labels.setdefault(i, fields[2]) == fields[2]
            assert labels.setdefault(j, fields[3]) == fields[3]
            edges.append((i, j, fields[4]))
    return Graph([labels[i] for i in range(len(labels))], edges)


def read_dfs_factored(words: Sequence[str]) -> Graph:
    """The graph of a factored DFS-code body."""
    tuples = []
    for component in " ".join(words).split(" NEXT "):
        fields = [re.sub("^[ve]:", "", word) for word in component.split()]
        if len(fields) == 2:
            tuples.append(f"(0,{fields[1]})")
        else:
            assert len(fields) % 5 == 0
            tuples += [f"({','.join(fields[k : k + 5])})" for k in range(0, len(fields), 5)]
        tuples.append("NEXT")
    return read_dfs(tuples[:-1])


READERS = {
    "sent": read_sent,
    "dgmg": read_dgmg,
    "dfs": read_dfs,
    "dfs:factored": read_dfs_factored,
}


def all_dfs(graph: Graph) -> Counter[str]:
    """Every DFS code of a graph (one token per tuple) with the probability of a random search.

    Keys are bodies, components separated by NEXT. Exponential: for a handful of vertices.
    """
    label = {frozenset((u, v)): x for u, v, x in graph.edges}
    names = graph.vertex_labels

    def search(order: list[int], path: list[int], p: float) -> Iterator[tuple[list[int], float]]:
        while path:
            steps = [
                u
                for u in range(graph.n_vertices)
                if u not in order and frozenset((u, path[-1])) in label
            ]
            for u in steps:
                yield from search([*order, u], [*path, u], p / len(steps))
            if steps:
                return
            path = path[:-1]
        rest = [u for u in range(graph.n_vertices) if u not in order]
        for u in rest:
            yield from search([*order, u], [u], p / len(rest))
        if not rest:
            yield order, p

    def write(order: list[int]) -> str:
        words: list[str] = []
        base = 0
        for k, v in enumerate(order):
            earlier = [i for i in range(base, k) if frozenset((order[i], v)) in label]
            if not earlier:
                base = k
                alone = not any(frozenset((v, u)) in label for u in order)
                words += ["NEXT"] if k else []
                words += [f"(0,{names[v]})"] if alone else []
                continue
            parent = max(earlier)
            pairs = [(parent, k), *((k, i) for i in sorted(earlier) if i != parent)]
            for i, j in pairs:
                a, b = order[i], order[j]
                x = label[frozenset((a, b))]
                words.append(f"({i - base},{j - base},{names[a]},{names[b]},{x})")
        return " ".join(words)

    found: Counter[str] = Counter()
    for order, p in search([], [], 1.0):
        found[write(order)] += p
    return found
