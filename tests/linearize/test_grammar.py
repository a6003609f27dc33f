"""The grammars: exactly the right language, and nothing but graphs from any walk through it."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphassay.errors import InvalidInput, InvalidSequence
from graphassay.graph import Graph, GraphSet
from graphassay.linearize import KINDS, Grammar, Linearizer, linearizer_from_data
from oracles.linearizations import READERS
from strategies import graph_sets

ALL = sorted(KINDS)
FAMILIES = ["sent:random", "dgmg:label", "dfs:factored", "dfs"]


def reader(name: str):
    return READERS[name if name == "dfs:factored" else name.partition(":")[0]]


def complete(labels: str, edge_labels: str, n: int) -> GraphSet:
    """Graphs whose minimum codes bring every tuple that n vertices can have."""
    pairs = list(combinations(range(n), 2))
    found = []
    for size in range(1, n + 1):
        inside = [p for p in pairs if p[1] < size]
        for colours in product(labels, repeat=size):
            for kinds in product(["", *edge_labels], repeat=len(inside)):
                edges = [(u, v, x) for (u, v), x in zip(inside, kinds, strict=True) if x]
                found.append(Graph(colours, edges))
    return GraphSet.from_graphs(found)


def language(grammar: Grammar) -> set[tuple[int, ...]]:
    """All complete sequences."""
    sequences: set[tuple[int, ...]] = set()
    stack = [((), grammar.start(1))]
    while stack:
        prefix, state = stack.pop()
        if state.complete[0]:
            sequences.add(prefix)
            continue
        options = np.flatnonzero(state.allowed()[0])
        assert len(options)
        for token in options.tolist():
            after = state.copy()
            after.advance([token])
            stack.append(((*prefix, token), after))
    return sequences


def n_dfs_codes(n: int, n_labels: int, n_edge_labels: int) -> int:
    """Number of DFS codes of connected graphs on n vertices, by looking at all numbered graphs.

    Vertex k hangs from its greatest earlier neighbour; the numbering is depth first when that one
    is on the rightmost path and the other earlier neighbours are its ancestors.
    """
    count = 0
    pairs = list(combinations(range(n), 2))
    for bits in product([0, 1], repeat=len(pairs)):
        edges = [pair for pair, bit in zip(pairs, bits, strict=True) if bit]
        path = [0]
        for k in range(1, n):
            earlier = [u for u, v in edges if v == k]
            if not earlier or max(earlier) not in path:
                break
            path = path[: path.index(max(earlier)) + 1]
            if not set(earlier) <= set(path):
                break
            path.append(k)
        else:
            count += n_labels**n * n_edge_labels ** len(edges)
    return count


def n_sequences(family: str, most: int, n_labels: int, n_edge_labels: int) -> int:
    """Size of the language, from the definitions alone."""
    e = n_edge_labels
    if family == "dgmg":
        return sum(n_labels**n * (1 + e) ** (n * (n - 1) // 2) for n in range(1, most + 1))
    if family == "sent":
        # Vertex k comes by a step (a bracket may name k - 1 others) or after RESET (k others).
        ways = [n_labels] + [
            n_labels * (e * (1 + e) ** (k - 1) + (1 + e) ** k) for k in range(1, most)
        ]
        return int(sum(np.prod(ways[:n]) for n in range(1, most + 1)))
    codes = [0] + [n_dfs_codes(n, n_labels, n_edge_labels) for n in range(1, most + 1)]
    # Sequences of components of `total` vertices in all.
    exact = [1] + [0] * most
    for total in range(1, most + 1):
        exact[total] = sum(codes[n] * exact[total - n] for n in range(1, total + 1))
    return sum(exact[1:])


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize(("labels", "edge_labels", "most"), [("A", "x", 4), ("AB", "xy", 3)])
def test_the_language_is_what_the_definitions_say(
    name: str, labels: str, edge_labels: str, most: int
) -> None:
    linearizer = linearizer_from_data(name, complete(labels, edge_labels, most))
    if name == "dfs":
        # Minimum codes use few of the tuples; give it all of them.
        numbers = [(i, j) for i in range(most) for j in range(most) if i < j or j < i - 1]
        n, e = len(labels), len(edge_labels)
        tuples = [(*ij, *k) for ij in numbers for k in product(range(n), range(n), range(e))]
        linearizer = Linearizer(
            "dfs", linearizer.vertex_labels, linearizer.edge_labels, most, "all", np.array(tuples)
        )
    sequences = language(linearizer.grammar())
    expected = n_sequences(name.partition(":")[0], most, len(labels), len(edge_labels))
    assert len(sequences) == expected
    read = reader(name)
    for tokens in sorted(sequences)[:: max(1, len(sequences) // 200)]:
        words = linearizer.vocabulary.text(tokens).split()[1:-1]
        assert read(words) == linearizer.decode(tokens)


@pytest.mark.parametrize("name", ALL)
@given(graph_set=graph_sets(max_size=4), seed=st.integers(0, 2**32))
@settings(max_examples=40, deadline=None)
def test_every_linearization_is_accepted(name: str, graph_set: GraphSet, seed: int) -> None:
    linearizer = linearizer_from_data(name, graph_set)
    table = linearizer.batch(graph_set, seed=seed).padded(linearizer.vocabulary.pad)
    state = linearizer.grammar().start(len(graph_set))
    for column in table.T:
        mask = state.allowed()
        assert mask[np.arange(len(column)), column].all()
        state.advance(column)
    assert state.complete.all()
    assert state.n_vertices.tolist() == graph_set.vertex_counts.tolist()


def walk(
    linearizer: Linearizer, grammar: Grammar, rng: np.random.Generator, n: int, most: int = 400
) -> list[list[int]]:
    """Random sequences; towards the end EOS is taken wherever it is allowed."""
    state = grammar.start(n)
    columns = []
    while not state.complete.all():
        mask = state.allowed()
        assert mask.any(axis=1).all()
        scores = rng.random(mask.shape) * mask
        if len(columns) > most:
            scores[mask[:, 2], 2] = 2
            scores[mask[:, 5], 5] += 1 if linearizer.name.startswith("dgmg") else 0
        tokens = scores.argmax(axis=1)
        state.advance(tokens)
        columns.append(tokens)
    return np.stack(columns, axis=1).tolist()


@pytest.mark.parametrize("name", ALL)
@given(graph_set=graph_sets(max_size=4), seed=st.integers(0, 2**32))
@settings(max_examples=25, deadline=None)
def test_a_random_walk_always_decodes(name: str, graph_set: GraphSet, seed: int) -> None:
    linearizer = linearizer_from_data(name, graph_set)
    rng = np.random.default_rng(seed)
    for tokens in walk(linearizer, linearizer.grammar(), rng, 6):
        graph = linearizer.decode(tokens)
        assert 1 <= graph.n_vertices <= linearizer.max_vertices
        words = [w for w in linearizer.vocabulary.text(tokens).split() if w[0] != "<"]
        assert reader(name)(words) == graph


@pytest.mark.parametrize("name", ALL)
@given(graph_set=graph_sets(max_size=3, max_vertices=5), seed=st.integers(0, 2**32))
@settings(max_examples=15, deadline=None)
def test_the_mask_is_what_advance_accepts(name: str, graph_set: GraphSet, seed: int) -> None:
    linearizer = linearizer_from_data(name, graph_set)
    rng = np.random.default_rng(seed)
    valences = dict(zip(linearizer.vertex_labels, [1, 3, 2], strict=False))
    grammar = linearizer.grammar(valences=valences) if seed % 2 else linearizer.grammar()
    state = grammar.start(1)
    while not state.complete[0]:
        mask = state.allowed()[0]
        for token in range(len(mask)):
            try:
                state.copy().advance([token])
                accepted = True
            except InvalidSequence:
                accepted = False
            assert accepted == mask[token]
        state.advance([rng.choice(np.flatnonzero(mask))])


@pytest.mark.parametrize("name", ALL)
@given(graph_set=graph_sets(max_size=4), seed=st.integers(0, 2**32))
@settings(max_examples=25, deadline=None)
def test_limits_hold_and_leave_no_dead_end(name: str, graph_set: GraphSet, seed: int) -> None:
    linearizer = linearizer_from_data(name, graph_set)
    rng = np.random.default_rng(seed)
    valences = {label: int(rng.integers(0, 5)) for label in linearizer.vertex_labels[:2]}
    orders = {"x": 1, "y": 2}
    grammar = linearizer.grammar(max_vertices=5, valences=valences, bond_orders=orders)
    for tokens in walk(linearizer, grammar, rng, 6):
        graph = linearizer.decode(tokens)
        assert graph.n_vertices <= 5
        for v, label in enumerate(graph.vertex_labels):
            total = sum(orders[x] for a, b, x in graph.edges if v in (a, b))
            assert total <= valences.get(label, 10**6)


def test_valences_default_to_bond_orders() -> None:
    graph = Graph("CCCO", [(0, 1, "-"), (1, 2, "="), (2, 3, ":")])
    linearizer = linearizer_from_data("sent:random", GraphSet.from_graphs([graph]))
    state = linearizer.grammar(valences={"C": 2, "O": 1}).start(1)
    for token in linearizer.vocabulary.encode("<bos> 0 v:O"):
        state.advance([token])
    names = [linearizer.vocabulary.tokens[i] for i in np.flatnonzero(state.allowed()[0])]
    assert names == ["<eos>", "RESET", "e:-", "e::"]
    with pytest.raises(InvalidInput, match="valence of 'N': the vocabulary has no such label"):
        linearizer.grammar(valences={"N": 3})
    with pytest.raises(InvalidInput, match="valences: expected numbers >= 0"):
        linearizer.grammar(valences={"C": -1})
    with pytest.raises(InvalidInput, match="max_vertices: expected at least 1"):
        linearizer.grammar(max_vertices=0)


def test_a_batch_of_states() -> None:
    graph = Graph("AAB", [(0, 1, "x"), (1, 2, "x"), (0, 2, "y")])
    linearizer = linearizer_from_data("sent:random", GraphSet.from_graphs([graph]))
    words = linearizer.vocabulary
    grammar = linearizer.grammar()
    state = grammar.start(3)
    assert len(state) == 3
    state.advance([words.bos] * 3)
    state.advance(words.encode("0 0"), rows=[2, 0])
    out = np.ones((2, len(words)), dtype=bool)
    assert state.allowed([0, 1], out=out) is out
    assert [words.tokens[i] for i in np.flatnonzero(out[0])] == ["v:A", "v:B"]
    assert [words.tokens[i] for i in np.flatnonzero(out[1])] == ["0"]
    # A refused token leaves every row where it was.
    with pytest.raises(InvalidSequence, match="row 1: expected 0, got v:A"):
        state.advance(words.encode("v:A v:A v:A"))
    chosen = state.select([2, 2, 1])
    chosen.advance(words.encode("v:A v:B 0"))
    assert chosen.n_vertices.tolist() == [1, 1, 0]
    assert state.n_vertices.tolist() == [0, 0, 0]
    chosen.advance([words.eos], rows=[0])
    assert chosen.complete.tolist() == [True, False, False]
    assert np.flatnonzero(chosen.allowed()[0]).tolist() == [words.pad]
    chosen.reset([0])
    assert np.flatnonzero(chosen.allowed()[0]).tolist() == [words.bos]
    chosen.reset()
    assert not chosen.n_vertices.any()
    for call in (
        lambda: state.allowed([3]),
        lambda: state.advance([1], rows=[-1]),
        lambda: state.advance([1, 1]),
        lambda: state.allowed([0], out=np.ones((2, len(words)), dtype=bool)),
        lambda: grammar.start(-1),
    ):
        with pytest.raises(InvalidInput, match="expected"):
            call()
