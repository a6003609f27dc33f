"""Isomorphism classes and canonical codes against networkx, pynauty, RDKit and brute force."""

import csv
import gzip
import random
from itertools import combinations, pairwise
from pathlib import Path

import networkx as nx
import numpy as np
import pynauty
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdkit import Chem, rdBase

from graphassay.canonical import (
    canonical_code,
    canonical_codes,
    class_ids,
    class_index,
    decode_code,
    dfs_code,
    dfs_code_columns,
    graph_from_dfs_code,
)
from graphassay.errors import BudgetExceeded, InvalidInput
from graphassay.graph import NO_LABEL, Graph, GraphSet
from graphassay.io import read
from oracles.canonical import minimum_dfs_code
from strategies import graph_sets, graphs


def from_networkx(graph: nx.Graph) -> Graph:
    place = {v: i for i, v in enumerate(graph)}
    return Graph([NO_LABEL] * len(place), [(place[u], place[v], NO_LABEL) for u, v in graph.edges])


def to_networkx(graph: Graph) -> nx.Graph:
    result = nx.Graph()
    result.add_nodes_from((v, {"label": label}) for v, label in enumerate(graph.vertex_labels))
    result.add_edges_from((u, v, {"label": label}) for u, v, label in graph.edges)
    return result


def isomorphic(a: Graph, b: Graph) -> bool:
    return nx.is_isomorphic(
        to_networkx(a),
        to_networkx(b),
        node_match=lambda x, y: x["label"] == y["label"],
        edge_match=lambda x, y: x["label"] == y["label"],
    )


def nauty_key(graph: Graph) -> tuple:
    """pynauty's certificate of the graph with each edge subdivided by a coloured vertex."""
    colours = [("vertex", label) for label in graph.vertex_labels]
    neighbours = {}
    for u, v, label in graph.edges:
        neighbours[len(colours)] = [u, v]
        colours.append(("edge", label))
    present = sorted(set(colours))
    cells = [{v for v, colour in enumerate(colours) if colour == c} for c in present]
    nauty = pynauty.Graph(len(colours), adjacency_dict=neighbours, vertex_coloring=cells)
    sizes = tuple((*colour, len(cell)) for colour, cell in zip(present, cells, strict=True))
    return sizes, pynauty.certificate(nauty) if colours else b""


def shuffled(graph: Graph, rng: random.Random) -> Graph:
    order = list(range(graph.n_vertices))
    rng.shuffle(order)
    return graph.relabelled(order)


def ids_of(*listed: Graph) -> list[tuple[int, int]]:
    return [tuple(row) for row in class_ids(GraphSet.from_graphs(listed), threads=1).tolist()]


def assert_same_classes(ours: list, theirs: list) -> None:
    """Both keys split the list into the same classes."""
    assert len(set(ours)) == len(set(theirs)) == len(set(zip(ours, theirs, strict=True)))


# ------------------------------------------------------------------ small graphs, exhaustively


def test_all_graphs_up_to_seven_vertices_differ() -> None:
    """The 1,253 graphs on at most 7 vertices: as many ids, as many codes, all invariant."""
    rng = random.Random(1)
    atlas = [from_networkx(g) for g in nx.graph_atlas_g()]
    others = [shuffled(g, rng) for g in atlas]
    assert len(atlas) == 1253
    ids = ids_of(*atlas)
    assert len(set(ids)) == 1253
    assert ids_of(*others) == ids
    codes = canonical_codes(GraphSet.from_graphs(atlas))
    assert len(set(codes)) == 1253
    assert canonical_codes(GraphSet.from_graphs(others)) == codes
    assert canonical_codes(GraphSet.from_graphs([decode_code(code) for code in codes])) == codes


@given(graphs(max_vertices=6, min_vertices=2))
@settings(max_examples=300)
def test_code_is_the_least_over_all_traversals(graph: Graph) -> None:
    if not nx.is_connected(to_networkx(graph)):
        graph = largest_component(graph)
    if graph.n_edges:
        assert dfs_code(graph) == minimum_dfs_code(graph)


def largest_component(graph: Graph) -> Graph:
    kept = sorted(max(nx.connected_components(to_networkx(graph)), key=len))
    place = {v: i for i, v in enumerate(kept)}
    return Graph(
        [graph.vertex_labels[v] for v in kept],
        [(place[u], place[v], label) for u, v, label in graph.edges if u in place],
    )


@pytest.mark.parametrize("graph", [nx.complete_graph(5), nx.wheel_graph(6), nx.cycle_graph(7)])
def test_code_of_symmetric_graphs_is_the_least_over_all_traversals(graph: nx.Graph) -> None:
    assert dfs_code(from_networkx(graph)) == minimum_dfs_code(from_networkx(graph))


def test_code_by_hand() -> None:
    """A triangle C-C, C=O, O-C with a pendant N, worked out by hand."""
    graph = Graph("NOCC", [(0, 2, "-"), (2, 3, "-"), (2, 1, "="), (1, 3, "-")])
    assert dfs_code(graph) == [
        (0, 1, "C", "C", "-"),
        (1, 2, "C", "N", "-"),
        (1, 3, "C", "O", "="),
        (3, 0, "O", "C", "-"),
    ]


# ------------------------------------------------------------------ random labelled graphs


@given(graph_sets(min_size=2, max_size=6), st.randoms())
@settings(max_examples=150)
def test_classes_are_those_of_networkx_and_pynauty(drawn: GraphSet, rng: random.Random) -> None:
    listed = [*drawn, *(shuffled(g, rng) for g in drawn)]
    ids = ids_of(*listed)
    codes = canonical_codes(GraphSet.from_graphs(listed))
    assert_same_classes(ids, [nauty_key(g) for g in listed])
    assert_same_classes(codes, ids)
    for a, b in combinations(range(len(listed)), 2):
        assert (ids[a] == ids[b]) == isomorphic(listed[a], listed[b])


@given(graphs(max_vertices=9, edge_labels="abcdefghi", vertex_labels="A"), st.randoms())
@settings(max_examples=100)
def test_many_edge_labels(graph: Graph, rng: random.Random) -> None:
    """More edge labels than one counter word holds, on graphs that only edges tell apart."""
    others = [shuffled(graph, rng)]
    if graph.n_edges > 1:
        (u, v, a), (x, y, b), *rest = rng.sample(graph.edges, graph.n_edges)
        others.append(Graph(graph.vertex_labels, [(u, v, b), (x, y, a), *rest]))
    listed = [graph, *others]
    assert_same_classes(ids_of(*listed), [nauty_key(g) for g in listed])


def test_sparse_random_graphs_against_pynauty() -> None:
    """Sparse unlabelled graphs on up to 14 vertices: many symmetries, many near misses."""
    rng = random.Random(3)
    listed = []
    for _ in range(2000):
        n = rng.randint(6, 14)
        graph = nx.gnm_random_graph(n, rng.randint(n - 2, n + 3), seed=rng.randint(0, 10**9))
        listed += [from_networkx(graph), shuffled(from_networkx(graph), rng)]
    ids = ids_of(*listed)
    assert_same_classes(ids, [nauty_key(g) for g in listed])
    assert_same_classes(canonical_codes(GraphSet.from_graphs(listed)), ids)


def test_regular_graphs_against_pynauty() -> None:
    """Regular graphs, where refinement starts with nothing: cubic and quartic, 8 to 16 vertices."""
    rng = random.Random(4)
    listed = []
    for _ in range(400):
        n, degree = rng.choice([(8, 3), (8, 4), (10, 3), (10, 4), (12, 3), (14, 3), (16, 3)])
        graph = from_networkx(nx.random_regular_graph(degree, n, seed=rng.randint(0, 10**9)))
        listed += [graph, shuffled(graph, rng)]
    ids = ids_of(*listed)
    assert_same_classes(ids, [nauty_key(g) for g in listed])
    assert_same_classes(canonical_codes(GraphSet.from_graphs(listed)), ids)


# ------------------------------------------------------------------ hard graphs


def cfi(base: nx.Graph, *, twisted: bool) -> Graph:
    """Cai, Fuerer and Immerman's graph over a base graph, with or without one twisted edge.

    A vertex of the base becomes one vertex for each even subset of its edges; each edge end
    becomes a pair (0, 1), and a subset is joined to 1 where it holds the edge, else to 0.
    """
    result = nx.Graph()
    for v in base:
        ends = [frozenset((v, w)) for w in base[v]]
        for size in range(0, len(ends) + 1, 2):
            for subset in combinations(ends, size):
                for end in ends:
                    result.add_edge(("set", v, subset), ("end", v, end, end in subset))
    twist = frozenset(next(iter(base.edges)))
    for u, v in base.edges:
        edge = frozenset((u, v))
        for bit in (False, True):
            other = bit ^ (twisted and edge == twist)
            result.add_edge(("end", u, edge, bit), ("end", v, edge, other))
    return from_networkx(result)


def shrikhande() -> nx.Graph:
    graph = nx.Graph()
    for x in range(4):
        for y in range(4):
            for dx, dy in ((1, 0), (0, 1), (1, 1)):
                graph.add_edge((x, y), ((x + dx) % 4, (y + dy) % 4))
    return graph


def rook(n: int) -> nx.Graph:
    return nx.line_graph(nx.complete_bipartite_graph(n, n))


def fullerene() -> nx.Graph:
    """C60, the truncated icosahedron: a vertex per arc of the icosahedron."""
    icosahedron = nx.icosahedral_graph()
    _, embedding = nx.check_planarity(icosahedron)
    graph = nx.Graph()
    for v in icosahedron:
        around = list(embedding.neighbors_cw_order(v))
        for w, x in pairwise([*around, around[0]]):
            graph.add_edge((v, w), (v, x))
            graph.add_edge((v, w), (w, v))
    assert graph.number_of_nodes() == 60
    assert graph.number_of_edges() == 90
    return graph


def copies(graph: nx.Graph, n: int) -> nx.Graph:
    return nx.disjoint_union_all([graph] * n)


PAIRS = {
    "shrikhande and rook": lambda: (from_networkx(shrikhande()), from_networkx(rook(4))),
    "CFI over K4": lambda: cfi_pair(nx.complete_graph(4)),
    "CFI over K5": lambda: cfi_pair(nx.complete_graph(5)),
    "CFI over the cube": lambda: cfi_pair(nx.hypercube_graph(3)),
    "CFI over Petersen": lambda: cfi_pair(nx.petersen_graph()),
    "CFI over a cubic graph": lambda: cfi_pair(nx.random_regular_graph(3, 16, seed=1)),
    "two triangles and a hexagon": lambda: (
        from_networkx(copies(nx.cycle_graph(3), 2)),
        from_networkx(nx.cycle_graph(6)),
    ),
    "one edge switched among 500": lambda: switched_pair(500),
}


def cfi_pair(base: nx.Graph) -> tuple[Graph, Graph]:
    return cfi(base, twisted=False), cfi(base, twisted=True)


def switched_pair(n: int) -> tuple[Graph, Graph]:
    graph = nx.random_regular_graph(3, n, seed=5)
    other = graph.copy()
    nx.double_edge_swap(other, seed=5)
    return from_networkx(graph), from_networkx(other)


@pytest.mark.parametrize("name", PAIRS)
def test_pairs_that_refinement_cannot_tell_apart(name: str) -> None:
    a, b = PAIRS[name]()
    rng = random.Random(2)
    first, second, *others = ids_of(a, b, shuffled(a, rng), shuffled(b, rng), shuffled(b, rng))
    assert first != second
    assert others == [first, second, second]


SINGLE = {
    "C60": fullerene,
    "K20": lambda: nx.complete_graph(20),
    "K200": lambda: nx.complete_graph(200),
    "K50,50": lambda: nx.complete_bipartite_graph(50, 50),
    "cocktail party": lambda: nx.complement(nx.from_edgelist((i, i + 1) for i in range(0, 60, 2))),
    "10 x 10 torus": lambda: nx.grid_2d_graph(10, 10, periodic=True),
    "30 x 30 torus": lambda: nx.grid_2d_graph(30, 30, periodic=True),
    "random 3-regular, 500": lambda: nx.random_regular_graph(3, 500, seed=1),
    "hypercube 4": lambda: nx.hypercube_graph(4),
    "hypercube 8": lambda: nx.hypercube_graph(8),
    "star 200": lambda: nx.star_graph(200),
    "200 benzenes": lambda: copies(nx.cycle_graph(6), 200),
    "20 C60": lambda: copies(fullerene(), 20),
    "cycle 2000": lambda: nx.cycle_graph(2000),
    "path 5000": lambda: nx.path_graph(5000),
    "binary tree": lambda: nx.balanced_tree(2, 10),
    "rook 8 x 8": lambda: rook(8),
    "Paley 61": lambda: nx.Graph(nx.paley_graph(61)),
    "Kneser": lambda: nx.kneser_graph(7, 3),
    "no edges": lambda: nx.empty_graph(1000),
    "one vertex": lambda: nx.empty_graph(1),
    "nothing": lambda: nx.empty_graph(0),
}


@pytest.mark.parametrize("name", SINGLE)
def test_symmetric_and_large_graphs_have_one_id(name: str) -> None:
    graph = from_networkx(SINGLE[name]())
    rng = random.Random(2)
    assert len(set(ids_of(graph, shuffled(graph, rng), shuffled(graph, rng)))) == 1


@pytest.mark.parametrize(
    "name",
    [
        "C60",
        "K20",
        "hypercube 4",
        "star 200",
        "200 benzenes",
        "10 x 10 torus",
        "Kneser",
        "no edges",
    ],
)
def test_symmetric_graphs_have_one_code(name: str) -> None:
    graph = from_networkx(SINGLE[name]())
    code = canonical_code(graph)
    assert canonical_code(shuffled(graph, random.Random(2))) == code
    assert canonical_code(decode_code(code)) == code


def test_strongly_regular_pair_has_two_codes() -> None:
    a, b = PAIRS["shrikhande and rook"]()
    rng = random.Random(2)
    assert canonical_code(a) == canonical_code(shuffled(a, rng))
    assert canonical_code(b) == canonical_code(shuffled(b, rng))
    assert canonical_code(a) != canonical_code(b)


def test_budget_ends_in_an_error_that_names_the_graph() -> None:
    sets = GraphSet.from_graphs([Graph("A"), from_networkx(nx.hypercube_graph(6))])
    with pytest.raises(BudgetExceeded, match=r"graph 1: .*max_work = 1000"):
        class_ids(sets, max_work=1000)
    with pytest.raises(
        BudgetExceeded, match=r"graph 1 \(64 vertices, 192 edges\).*max_work = 1000"
    ):
        canonical_codes(sets, max_work=1000)


# ------------------------------------------------------------------ molecules


BONDS = {
    Chem.BondType.SINGLE: "-",
    Chem.BondType.DOUBLE: "=",
    Chem.BondType.TRIPLE: "#",
    Chem.BondType.AROMATIC: ":",
}


def molecule_graph(molecule: Chem.Mol) -> Graph:
    """Everything that RDKit's SMILES writes without stereo goes into the labels."""
    return Graph(
        (
            f"{a.GetSymbol()}{a.GetFormalCharge():+d}H{a.GetTotalNumHs()}{a.GetIsAromatic():d}"
            for a in molecule.GetAtoms()
        ),
        (
            (b.GetBeginAtomIdx(), b.GetEndAtomIdx(), BONDS[b.GetBondType()])
            for b in molecule.GetBonds()
        ),
    )


@pytest.mark.parametrize("source", ["qm9", "moses"])
def test_molecules_have_the_classes_of_their_canonical_smiles(source: str, shared: Path) -> None:
    """Every molecule twice, the second time parsed from a randomly ordered SMILES."""
    with rdBase.BlockLogs():
        molecules = [m for m in map(Chem.MolFromSmiles, read_smiles(source, shared, 3000)) if m]
    for molecule in molecules:
        Chem.RemoveStereochemistry(molecule)
    rdBase.SeedRandomNumberGenerator(1)
    molecules += [Chem.MolFromSmiles(Chem.MolToSmiles(m, doRandom=True)) for m in molecules]
    sets = GraphSet.from_graphs(map(molecule_graph, molecules))
    smiles = [Chem.MolToSmiles(m) for m in molecules]
    (index,) = class_index([sets])
    assert_same_classes(index.tolist(), smiles)
    assert_same_classes(canonical_codes(sets), smiles)
    assert len(set(smiles)) > 2900


def read_smiles(source: str, shared: Path, n: int) -> list[str]:
    if source == "qm9":
        with gzip.open(shared / "qm9.smi.gz", "rt") as lines:
            smiles = [line.split()[0] for line in lines if line.strip()]
    else:
        with gzip.open(shared / "moses_test.csv.gz", "rt") as lines:
            smiles = [row["SMILES"] for row in csv.DictReader(lines)]
    return random.Random(1).sample(smiles, n)


# ------------------------------------------------------------------ the interface


@given(graph_sets(max_size=5), graph_sets(max_size=5), st.randoms())
def test_ids_and_codes_depend_on_label_strings_alone(
    first: GraphSet, second: GraphSet, rng: random.Random
) -> None:
    listed = [*first, *second]
    ids = ids_of(*listed)
    assert ids == [ids_of(g)[0] for g in listed]
    names = [*first.vertex_label_names, "unused", "A0", *"ABC"]
    vertex_names = rng.sample(sorted(set(names)), len(set(names)))
    edge_names = rng.sample("wxyz", 4)
    recoded = first.with_label_names(vertex_names, edge_names)
    assert (class_ids(recoded) == class_ids(first)).all()
    assert canonical_codes(recoded) == canonical_codes(first)


@given(graph_sets(max_size=8), graph_sets(max_size=8))
def test_class_index_numbers_by_first_appearance(first: GraphSet, second: GraphSet) -> None:
    index = class_index([first, second, first[:0]])
    assert [len(part) for part in index] == [len(first), len(second), 0]
    ids = ids_of(*first, *second)
    seen: dict = {}
    assert np.concatenate(index).tolist() == [seen.setdefault(i, len(seen)) for i in ids]


def test_class_index_of_nothing() -> None:
    assert class_index([]) == []
    assert class_index([GraphSet.from_graphs([])])[0].tolist() == []


def test_threads_do_not_show() -> None:
    rng = random.Random(6)
    listed = [
        from_networkx(nx.gnp_random_graph(9, 0.3, seed=rng.randint(0, 9**9))) for _ in range(600)
    ]
    sets = GraphSet.from_graphs(listed)
    assert (class_ids(sets, threads=1) == class_ids(sets, threads=3)).all()
    assert canonical_codes(sets, threads=1) == canonical_codes(sets, threads=3)
    with pytest.raises(InvalidInput, match="threads: expected at least 1, got 0"):
        class_ids(sets, threads=0)
    with pytest.raises(InvalidInput, match="max_work"):
        class_ids(sets, max_work=-1)


@given(graphs(vertex_labels=["C", "", "a b", "[x]", "1", "%41", "é@|", "\t", "%_", "%", "*"]))
def test_codes_of_any_labels_decode(graph: Graph) -> None:
    code = canonical_code(graph)
    decoded = decode_code(code)
    assert canonical_code(decoded) == code
    assert ids_of(decoded) == ids_of(graph)


@given(graphs(edge_labels=["-", "", "]", "[", "a|b", "@1", " "]))
def test_codes_of_any_edge_labels_decode(graph: Graph) -> None:
    decoded = decode_code(canonical_code(graph))
    assert ids_of(decoded) == ids_of(graph)


@pytest.mark.parametrize(
    ("graph", "code"),
    [
        (Graph(()), ""),
        (Graph("C"), "C"),
        (Graph("OC"), "C | O"),
        (Graph("OCC", [(0, 1, "-"), (1, 2, "-")]), "C [-]C [-]O"),
        (Graph(["C"] * 3, [(0, 1, ":"), (1, 2, ":"), (0, 2, ":")]), "C [:]C [:]C [:]@0"),
        (Graph("CCCC", [(0, 1, "-"), (0, 2, "-"), (0, 3, "-")]), "C [-]C [-]C 1[-]C"),
        (Graph(["", "a b"], [(0, 1, "]")]), "%_ [%5D]a%20b"),
    ],
)
def test_code_texts(graph: Graph, code: str) -> None:
    assert canonical_code(graph) == code
    assert ids_of(decode_code(code)) == ids_of(graph)


@pytest.mark.parametrize(
    "text",
    [
        " ",
        "C ",
        "C  [-]C",
        "C [-]",
        "C [-C",
        "C |",
        "C [-]@1",
        "C 1[-]C",
        "[-]C",
        "C 0[-]@0",
        "%zz",
    ],
)
def test_decode_refuses_what_is_no_code(text: str) -> None:
    with pytest.raises(InvalidInput, match=r"code: "):
        decode_code(text)


@given(graphs())
def test_dfs_code_gives_back_the_graph(graph: Graph) -> None:
    code = dfs_code(graph)
    decoded = graph_from_dfs_code(code)
    assert ids_of(decoded) == ids_of(graph)
    assert dfs_code(decoded) == code
    assert sum(i != j for i, j, *_ in code) == graph.n_edges


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ([(0, 2, "A", "A", "x")], r"vertex in 0\.\.1, got 2"),
        ([(0, 1, "A", "A", "x"), (1, 2, "B", "A", "x")], "keep its label 'A', got 'B'"),
        ([(0, 1, "A", "A", "x"), (1, 0, "A", "A", "x")], "two edges"),
    ],
)
def test_graph_from_dfs_code_refuses_contradictions(code: list, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        graph_from_dfs_code(code)


@given(graph_sets(max_size=5))
def test_columns_hold_the_codes(sets: GraphSet) -> None:
    tuples, order = dfs_code_columns(sets)
    for g, graph in enumerate(sets):
        edges = tuples[sets.edge_offsets[g] : sets.edge_offsets[g + 1]].tolist()
        vertices = order[sets.vertex_offsets[g] : sets.vertex_offsets[g + 1]].tolist()
        names, edge_names = sets.vertex_label_names, sets.edge_label_names
        found = [(i, j, names[a], names[b], edge_names[e]) for i, j, a, b, e in edges]
        assert found == [t for t in dfs_code(graph) if t[0] != t[1]]
        renumbered = Graph(
            [graph.vertex_labels[v] for v in vertices], [(i, j, label) for i, j, *_, label in found]
        )
        assert renumbered == graph.relabelled(vertices)


def test_the_largest_graph_of_proteins(shared: Path) -> None:
    proteins = read(shared / "tu" / "PROTEINS.zip")
    largest = proteins[int(np.argmax(proteins.vertex_counts))]
    assert largest.n_vertices == 620
    order = np.random.default_rng(0).permutation(620).tolist()
    changed = Graph(largest.vertex_labels, largest.edges[1:])
    ids = class_ids(GraphSet.from_graphs([largest, largest.relabelled(order), changed]))
    assert ids[0].tolist() == ids[1].tolist()
    assert ids[0].tolist() != ids[2].tolist()
