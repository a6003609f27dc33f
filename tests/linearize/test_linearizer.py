"""Every linearization: lossless, deterministic, and clear about what it cannot express."""

import pickle
from collections import Counter

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphassay.errors import BudgetExceeded, InvalidInput
from graphassay.graph import NO_LABEL, Graph, GraphSet, MoleculeOptions
from graphassay.linearize import (
    KINDS,
    InvalidSequence,
    Linearizer,
    TokenBatch,
    TokenType,
    largest_components,
    linearizer_from_data,
)
from oracles.linearizations import READERS, all_sent
from strategies import graph_sets, graphs

ALL = sorted(KINDS)
RANDOM = [name for name in ALL if name.startswith("sent")]
FIXED = [name for name in ALL if not name.startswith("sent")]
INVARIANT = ["dfs", "dfs:factored", "dgmg:canonical"]

ODD = [
    Graph(["A"]),
    Graph([NO_LABEL] * 3, [(0, 1, NO_LABEL)]),
    Graph("AAB", [(0, 1, "x"), (1, 2, "x"), (0, 2, "y")]),
    Graph("ABABA", [(0, 1, "x"), (2, 3, "y")]),
    Graph(["two words", "", "<eos>", "%20"], [(0, 1, "a,b"), (1, 2, "\t"), (2, 3, "(")]),
]


def as_networkx(graph: Graph) -> nx.Graph:
    result = nx.Graph()
    result.add_nodes_from((i, {"x": label}) for i, label in enumerate(graph.vertex_labels))
    result.add_edges_from((u, v, {"x": label}) for u, v, label in graph.edges)
    return result


def same(a: Graph, b: Graph) -> bool:
    def equal(p: dict, q: dict) -> bool:
        return p["x"] == q["x"]

    return nx.is_isomorphic(as_networkx(a), as_networkx(b), equal, equal)


def body(linearizer: Linearizer, tokens: list[int]) -> list[str]:
    return linearizer.vocabulary.text(tokens).split()[1:-1]


@pytest.mark.parametrize("name", ALL)
@given(graph_set=graph_sets(max_size=3), seed=st.integers(0, 2**32))
@settings(max_examples=40, deadline=None)
def test_lossless(name: str, graph_set: GraphSet, seed: int) -> None:
    linearizer = linearizer_from_data(name, graph_set)
    reader = READERS[name if name == "dfs:factored" else name.partition(":")[0]]
    rng = np.random.default_rng(seed)
    for graph in graph_set:
        tokens = linearizer.linearize(graph, rng)
        assert same(linearizer.decode(tokens), graph)
        assert linearizer.decode([*tokens, 0, 0]) == linearizer.decode(tokens)
        # A reader that shares nothing with the core sees the same graph, vertex by vertex.
        assert reader(body(linearizer, tokens)) == linearizer.decode(tokens)


@pytest.mark.parametrize("name", ALL)
def test_lossless_on_odd_graphs(name: str) -> None:
    linearizer = linearizer_from_data(name, GraphSet.from_graphs(ODD))
    for graph in ODD:
        tokens = linearizer.linearize(graph, np.random.default_rng(0))
        assert same(linearizer.decode(tokens), graph)
    batch = linearizer.batch(GraphSet.from_graphs(ODD), seed=0)
    decoded = linearizer.decode_batch(batch)
    assert not decoded.failed
    assert all(map(same, decoded.graphs, ODD))


@pytest.mark.parametrize("name", INVARIANT)
@given(graph=graphs(), data=st.data())
@settings(max_examples=40, deadline=None)
def test_isomorphic_graphs_get_one_sequence(name: str, graph: Graph, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(graph.n_vertices)))
    linearizer = linearizer_from_data(name, GraphSet.from_graphs([graph]))
    assert linearizer.linearize(graph.relabelled(order)) == linearizer.linearize(graph)


def test_label_order_is_not_invariant_and_canonical_mends_it() -> None:
    path = Graph("AAA", [(0, 1, "x"), (1, 2, "x")])
    star = path.relabelled([1, 0, 2])
    by_label, canonical = (
        linearizer_from_data(name, GraphSet.from_graphs([path]))
        for name in ("dgmg:label", "dgmg:canonical")
    )
    assert by_label.linearize(path) != by_label.linearize(star)
    assert canonical.linearize(path) == canonical.linearize(star)


@pytest.mark.parametrize("name", ALL)
def test_written_out(name: str) -> None:
    graph = Graph("CCOH", [(0, 1, "-"), (0, 2, "="), (1, 2, "-")])
    linearizer = linearizer_from_data(name, GraphSet.from_graphs([graph]))
    text = " ".join(body(linearizer, linearizer.linearize(graph, np.random.default_rng(0))))
    written = {
        "dfs": "(0,1,C,C,-) (1,2,C,O,-) (2,0,O,C,=) NEXT (0,H)",
        "dfs:factored": "0 1 v:C v:C e:- 1 2 v:C v:O e:- 2 0 v:O v:C e:= NEXT 0 v:H",
        "dgmg:label": "ADD_NODE:C END_EDGE ADD_NODE:C ADD_EDGE:- DEST:0 END_EDGE ADD_NODE:H "
        "END_EDGE ADD_NODE:O ADD_EDGE:= DEST:0 ADD_EDGE:- DEST:1 END_EDGE END_NODE",
        "dgmg:canonical": "ADD_NODE:C END_EDGE ADD_NODE:C ADD_EDGE:- DEST:0 END_EDGE ADD_NODE:H "
        "END_EDGE ADD_NODE:O ADD_EDGE:= DEST:0 ADD_EDGE:- DEST:1 END_EDGE END_NODE",
    }
    if name in FIXED:
        assert text == written[name]
    else:
        start, following = RULES[name]
        assert text in all_sent(graph, start, following)


RULES = {
    "sent:random": ("any", "any"),
    "sent:min-degree": ("min", "min"),
    "sent:max-degree": ("max", "max"),
    "sent:anchor": ("max", "min"),
}


@pytest.mark.parametrize("name", RANDOM)
@pytest.mark.parametrize(
    "graph",
    [
        Graph("ABCD", [(0, 1, "x"), (1, 2, "y"), (2, 3, "x"), (3, 0, "y"), (0, 2, "x")]),
        Graph("ABCDE", [(0, 1, "x"), (0, 2, "x"), (0, 3, "y")]),  # a star and a lone vertex
    ],
    ids=["ring", "star"],
)
def test_draws_follow_the_strategy(name: str, graph: Graph) -> None:
    """All labels differ, so sequences are decisions: frequencies and log q match enumeration."""
    expected = all_sent(graph, *RULES[name])
    assert sum(expected.values()) == pytest.approx(1)
    graph_set = GraphSet.from_graphs([graph])
    linearizer = linearizer_from_data(name, graph_set)
    n = 4000
    batch = linearizer.batch(graph_set.take(np.zeros(n, dtype=np.int64)), seed=5)
    words = [" ".join(body(linearizer, batch[row].tolist())) for row in range(n)]
    counts = Counter(words)
    assert set(counts) <= set(expected)
    for row in range(n):
        assert np.exp(batch.log_q[row]) == pytest.approx(expected[words[row]])
    chi2 = sum((counts[w] - n * p) ** 2 / (n * p) for w, p in expected.items())
    freedom = len(expected) - 1
    assert chi2 < freedom + 5 * np.sqrt(2 * freedom) + 5


@given(graph=graphs(max_vertices=5, vertex_labels="AB", edge_labels="x"))
@settings(max_examples=40, deadline=None)
def test_log_q_and_automorphisms_give_the_probability(graph: Graph) -> None:
    n_automorphisms = sum(
        1
        for _ in nx.isomorphism.GraphMatcher(
            as_networkx(graph), as_networkx(graph), lambda p, q: p == q
        ).isomorphisms_iter()
    )
    expected = all_sent(graph, "any", "any")
    graph_set = GraphSet.from_graphs([graph])
    linearizer = linearizer_from_data("sent:random", graph_set)
    batch = linearizer.batch(graph_set, seed=1)
    text = " ".join(body(linearizer, batch[0].tolist()))
    assert np.exp(batch.log_q[0]) * n_automorphisms == pytest.approx(expected[text])


@pytest.mark.parametrize("name", ALL)
@given(graph_set=graph_sets(min_size=4, max_size=8), seed=st.integers(0, 2**63))
@settings(max_examples=15, deadline=None)
def test_a_row_depends_on_seed_epoch_and_graph_alone(
    name: str, graph_set: GraphSet, seed: int
) -> None:
    linearizer = linearizer_from_data(name, graph_set)
    many = graph_set.take(np.arange(1100) % len(graph_set))
    whole = linearizer.batch(many, seed=seed, epoch=2, threads=1)
    threaded = linearizer.batch(many, seed=seed, epoch=2, threads=3)
    assert np.array_equal(whole.tokens, threaded.tokens)
    assert np.array_equal(whole.offsets, threaded.offsets)
    chosen = [250, 3, 3, 77]
    some = linearizer.batch(many, chosen, seed=seed, epoch=2)
    assert some.indices.tolist() == chosen
    for row, index in enumerate(chosen):
        assert np.array_equal(some[row], whole[index])


@pytest.mark.parametrize("name", RANDOM)
def test_epochs_and_seeds_differ(name: str) -> None:
    graph = Graph("A" * 12, [(i, i + 1, "x") for i in range(11)] + [(0, 5, "x"), (3, 9, "x")])
    graph_set = GraphSet.from_graphs([graph] * 20)
    linearizer = linearizer_from_data(name, graph_set)
    first = linearizer.batch(graph_set, seed=0)
    assert not np.array_equal(first.tokens, linearizer.batch(graph_set, seed=1).tokens)
    assert not np.array_equal(first.tokens, linearizer.batch(graph_set, seed=0, epoch=1).tokens)
    assert len({first[r].tobytes() for r in range(20)}) > 1


def test_random_needs_a_seed() -> None:
    graph = Graph("AB", [(0, 1, "x")])
    linearizer = linearizer_from_data("sent:random", GraphSet.from_graphs([graph]))
    with pytest.raises(InvalidInput, match="expected a seed"):
        linearizer.linearize(graph)
    with pytest.raises(InvalidInput, match="expected a seed"):
        linearizer.batch(GraphSet.from_graphs([graph]))


@pytest.mark.parametrize("name", ALL)
def test_what_the_vocabulary_lacks_is_named(name: str) -> None:
    known = Graph("CCO", [(0, 1, "-"), (1, 2, "-")])
    linearizer = linearizer_from_data(name, GraphSet.from_graphs([known]))
    rng = np.random.default_rng(0)
    with pytest.raises(InvalidInput, match="graph 0: vertex label 'Xe' is not in the vocabulary"):
        linearizer.linearize(Graph(["C", "Xe"], [(0, 1, "-")]), rng)
    with pytest.raises(InvalidInput, match="graph 0: edge label '#' is not in the vocabulary"):
        linearizer.linearize(Graph(["C", "O"], [(0, 1, "#")]), rng)
    with pytest.raises(InvalidInput, match="graph 0: 4 vertices, the vocabulary holds 3"):
        linearizer.linearize(Graph("CCCC"), rng)
    with pytest.raises(InvalidInput, match="graph 0: no vertex"):
        linearizer.linearize(Graph(()), rng)


@pytest.mark.parametrize("name", ALL)
def test_refused_graphs_can_be_skipped_with_reasons(name: str) -> None:
    good = Graph("CCO", [(0, 1, "-"), (1, 2, "-")])
    linearizer = linearizer_from_data(name, GraphSet.from_graphs([good]))
    mixed = GraphSet.from_graphs([good, Graph("CN"), Graph("CCCC"), good])
    with pytest.raises(InvalidInput, match=r"graph 1: .*'N'.*\(1 more graphs are refused\)"):
        linearizer.batch(mixed, seed=0)
    batch = linearizer.batch(mixed, [3, 2, 1, 0], seed=0, on_refusal="skip")
    assert batch.indices.tolist() == [3, 0]
    assert sorted(batch.skipped) == [1, 2]
    assert all(same(linearizer.decode(batch[r]), good) for r in range(2))
    long = linearizer.batch(mixed, [0], seed=0, max_length=3, on_refusal="skip")
    assert len(long) == 0
    assert "at most 3 are accepted" in long.skipped[0]
    with pytest.raises(InvalidInput, match=r"graph 0: .* tokens, at most 3"):
        linearizer.batch(mixed, [0], seed=0, max_length=3)


def test_unknown_tuple_is_named() -> None:
    linearizer = linearizer_from_data(
        "dfs", GraphSet.from_graphs([Graph("CCO", [(0, 1, "-"), (1, 2, "-")])])
    )
    with pytest.raises(InvalidInput, match=r"graph 0: DFS tuple \(0,1,C,O,-\) is not in"):
        linearizer.linearize(Graph("CO", [(0, 1, "-")]))


@pytest.mark.parametrize("name", ALL)
def test_json_keeps_everything(name: str) -> None:
    graph_set = GraphSet.from_graphs(ODD, molecules=MoleculeOptions(hydrogens="explicit-h"))
    linearizer = linearizer_from_data(name, graph_set, max_vertices=9)
    again = Linearizer.from_json(linearizer.to_json())
    assert again.vocabulary == linearizer.vocabulary
    assert again.to_json() == linearizer.to_json()
    assert again.molecules == graph_set.molecules
    a, b = (one.batch(graph_set, seed=3).tokens for one in (linearizer, again))
    assert np.array_equal(a, b)
    assert again.decode_batch(again.batch(graph_set, seed=3)).graphs.molecules is not None


@pytest.mark.parametrize("name", ALL)
def test_travels_to_other_processes(name: str) -> None:
    graph_set = GraphSet.from_graphs(ODD)
    linearizer = linearizer_from_data(name, graph_set)
    tokens = linearizer.batch(graph_set, seed=3).tokens
    again = pickle.loads(pickle.dumps(linearizer))
    assert np.array_equal(again.batch(graph_set, seed=3).tokens, tokens)
    assert again.to_json() == linearizer.to_json()


@pytest.mark.parametrize("name", ALL)
@given(tokens=st.lists(st.integers(-2, 30), max_size=12), data=st.data())
@settings(max_examples=40, deadline=None)
def test_any_tokens_decode_or_say_why_not(
    name: str, tokens: list[int], data: st.DataObject
) -> None:
    graph_set = GraphSet.from_graphs(ODD[:4])
    linearizer = linearizer_from_data(name, graph_set)
    good = linearizer.linearize(data.draw(st.sampled_from(ODD[:4])), np.random.default_rng(0))
    cut = data.draw(st.integers(0, len(good)))
    for sequence in (tokens, good[:cut] + tokens, good[:cut] + tokens + good[cut:]):
        decoded = linearizer.decode_batch([sequence])
        if decoded.failed:
            assert "expected" in decoded.failed[0]
            with pytest.raises(InvalidSequence, match="expected"):
                linearizer.decode(sequence)
        else:
            assert decoded.graphs[0].n_vertices >= 1


@pytest.mark.parametrize("name", INVARIANT)
def test_a_canonical_form_out_of_reach_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ring = Graph("A" * 12, [(i, (i + 1) % 12, "x") for i in range(12)])
    graph_set = GraphSet.from_graphs([Graph("AA", [(0, 1, "x")]), ring, Graph("A"), ring])
    linearizer = linearizer_from_data(name, graph_set)
    monkeypatch.setattr("graphassay.linearize.dfs.MAX_CODE_WORK", 20)
    with pytest.raises(BudgetExceeded, match="graph 3: no affordable minimum DFS code"):
        linearizer.batch(graph_set, [0, 2, 3])
    batch = linearizer.batch(graph_set, [3, 2, 1, 0], on_refusal="skip")
    assert batch.indices.tolist() == [2, 0]
    assert sorted(batch.skipped) == [1, 3]
    assert "no affordable minimum DFS code" in batch.skipped[1]


@pytest.mark.parametrize("name", ["sent:random", "sent:anchor", "dgmg:label"])
def test_large_graphs(name: str) -> None:
    """A star and a path of 20,000 vertices: nothing quadratic."""
    n = 20_000
    star = Graph(["A"] * n, [(0, i, "x") for i in range(1, n)])
    path = Graph(["A"] * n, [(i, i + 1, "x") for i in range(n - 1)])
    graph_set = GraphSet.from_graphs([star, path])
    linearizer = linearizer_from_data(name, graph_set)
    decoded = linearizer.decode_batch(linearizer.batch(graph_set, seed=0))
    assert not decoded.failed
    assert [int(np.bincount(np.concatenate([g.edge_u, g.edge_v])).max()) for g in
            (decoded.graphs[:1], decoded.graphs[1:])] == [n - 1, 2]  # fmt: skip


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": "other", "version": 1}', "null"])
def test_other_json_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="expected"):
        Linearizer.from_json(text)


def test_bad_arguments() -> None:
    graph_set = GraphSet.from_graphs([Graph("AB", [(0, 1, "x")])])
    with pytest.raises(InvalidInput, match="unknown linearization 'smiles': expected one of"):
        linearizer_from_data("smiles", graph_set)
    with pytest.raises(InvalidInput, match="at least one graph"):
        linearizer_from_data("dfs", GraphSet.from_graphs([]))
    with pytest.raises(InvalidInput, match="graph 0 has 2 vertices, max_vertices is 1"):
        linearizer_from_data("dfs", graph_set, max_vertices=1)
    linearizer = linearizer_from_data("sent:random", graph_set)
    for bad in ([1], [-1], [[0]], [0.5]):
        with pytest.raises(InvalidInput, match="graph indices"):
            linearizer.batch(graph_set, bad, seed=0)
    with pytest.raises(InvalidInput, match="seed and an epoch"):
        linearizer.batch(graph_set, seed=-1)
    assert len(linearizer.batch(graph_set, [], seed=0)) == 0


@pytest.mark.parametrize("name", ALL)
def test_largest_component(name: str) -> None:
    graph = Graph("AABBBC", [(0, 1, "x"), (2, 3, "x"), (3, 4, "y")])
    kept = Graph("BBB", [(0, 1, "x"), (1, 2, "y")])
    graph_set = GraphSet.from_graphs([Graph("C"), graph])
    linearizer = linearizer_from_data(name, graph_set, components="largest")
    batch = linearizer.batch(graph_set, [1, 0], seed=0)
    assert same(linearizer.decode(batch[0]), kept)
    assert same(linearizer.decode(batch[1]), Graph("C"))
    assert linearizer.max_vertices == 3


@pytest.mark.parametrize("name", INVARIANT)
@given(graph=graphs(vertex_labels="AB", edge_labels="xy"), data=st.data())
@settings(max_examples=50, deadline=None)
def test_largest_component_is_invariant(name: str, graph: Graph, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(graph.n_vertices)))
    linearizer = linearizer_from_data(
        name, GraphSet.from_graphs([graph, graph.relabelled(order)]), components="largest"
    )
    tokens = linearizer.linearize(graph)
    assert linearizer.linearize(graph.relabelled(order)) == tokens
    parts = [as_networkx(graph).subgraph(c) for c in nx.connected_components(as_networkx(graph))]
    most = max((len(p), p.number_of_edges()) for p in parts)
    kept = linearizer.decode(tokens)
    assert (kept.n_vertices, kept.n_edges) == most
    assert any(nx.is_isomorphic(p, as_networkx(kept), lambda a, b: a == b) for p in parts)


def test_largest_keeps_an_empty_graph_in_its_place() -> None:
    graph_set = GraphSet.from_graphs([Graph("AB"), Graph(()), Graph("BAA", [(1, 2, "x")])])
    kept = largest_components(graph_set)
    assert [g.n_vertices for g in kept] == [1, 0, 2]
    assert kept[2] == Graph("AA", [(0, 1, "x")])


def test_broken_sequences_say_where() -> None:
    graph_set = GraphSet.from_graphs([Graph("AAB", [(0, 1, "x"), (1, 2, "x"), (0, 2, "y")])])
    linearizer = linearizer_from_data("sent:random", graph_set)
    encode = linearizer.vocabulary.encode
    for text, message in [
        ("", "the sequence ends after 0 tokens: expected <bos>"),
        ("0 v:A <eos>", "token 0: expected <bos>, got 0"),
        ("<bos> 1", "token 1: expected 0, got 1"),
        ("<bos> 0 v:A", "the sequence ends after 3 tokens: expected <eos> or RESET or e:x or e:y"),
        ("<bos> 0 v:A [", r"token 3: .* got \["),
        ("<bos> 0 v:A e:x 1 v:A [", r"token 6: .* got \["),  # only the vertex just left
        ("<bos> 0 v:A e:x 1 v:A e:x 2 v:A [ e:x 1", "token 11: expected 0, got 1"),
        ("<bos> 0 v:A <eos> 0", "token 4: expected <pad>, got 0"),
    ]:
        with pytest.raises(InvalidSequence, match=message):
            linearizer.decode(encode(text))
    with pytest.raises(InvalidSequence, match="token 1: expected 0, got 999"):
        linearizer.decode([1, 999])
    with pytest.raises(InvalidSequence, match="token 1: expected 0, got -1"):
        linearizer.decode([1, -1])
    decoded = linearizer.decode_batch([encode("<bos> 0 v:A <eos>"), encode("<bos>")])
    assert decoded.rows.tolist() == [0]
    assert list(decoded.failed) == [1]
    assert list(decoded.graphs) == [Graph("A")]


def test_token_types() -> None:
    graph = Graph("ABC", [(0, 1, "x"), (1, 2, "x"), (0, 2, "x")])
    graph_set = GraphSet.from_graphs([graph, Graph("AB"), Graph("CD", [(0, 1, "x")])])
    s, new, again, label, edge = TokenType
    linearizer = linearizer_from_data("sent:random", graph_set)
    text = "<bos> 0 v:A e:x 1 v:B e:x 2 v:C [ e:x 0 ] <eos> <pad>"
    expected = [s, new, label, edge, new, label, edge, new, label, s, edge, again, s, s, s]
    ids = linearizer.vocabulary.encode(text)
    assert linearizer.token_types(ids).tolist() == expected
    assert linearizer.token_types([ids, ids]).tolist() == [expected, expected]

    linearizer = linearizer_from_data("dfs:factored", graph_set)
    text = "<bos> 0 1 v:A v:B e:x 1 2 v:B v:C e:x 2 0 v:C v:A e:x NEXT 0 v:D <eos>"
    first = [new, new, label, label, edge, again, new, label, label, edge]
    expected = [s, *first, again, again, label, label, edge, s, new, label, s]
    ids = linearizer.vocabulary.encode(text)
    assert linearizer.token_types(ids + ids).tolist() == expected * 2

    linearizer = linearizer_from_data("dfs", graph_set)
    text = "<bos> (0,1,A,B,x) (1,2,B,C,x) (2,0,C,A,x) NEXT (0,D) <eos>"
    types = linearizer.token_types(linearizer.vocabulary.encode(text)).tolist()
    assert types == [s, new, new, again, s, new, s]

    linearizer = linearizer_from_data("dgmg:label", graph_set)
    text = "<bos> ADD_NODE:A END_EDGE ADD_NODE:B ADD_EDGE:x DEST:0 END_EDGE END_NODE <eos>"
    types = linearizer.token_types(linearizer.vocabulary.encode(text)).tolist()
    assert types == [s, new, s, new, edge, again, s, s, s]
    with pytest.raises(InvalidInput, match="token ids"):
        linearizer.token_types([-1])


def test_token_batch() -> None:
    batch = TokenBatch(np.arange(1, 7, dtype=np.int32), np.array([0, 2, 2, 6]), np.array([5, 6, 7]))
    assert batch.lengths.tolist() == [2, 0, 4]
    assert batch.padded(9).tolist() == [[1, 2, 9, 9], [9, 9, 9, 9], [3, 4, 5, 6]]
    assert batch.padded(length=5).dtype == np.int32
    with pytest.raises(InvalidInput, match="at most 3 tokens, got one of 4"):
        batch.padded(length=3)
    taken = batch.take([2, 0])
    assert taken.padded().tolist() == [[3, 4, 5, 6], [1, 2, 0, 0]]
    assert taken.indices.tolist() == [7, 5]
    assert batch[-1].tolist() == [3, 4, 5, 6]
    with pytest.raises(IndexError):
        _ = batch[3]
    with pytest.raises(InvalidInput, match=r"rows in 0\.\.2"):
        batch.take([3])
