import gzip
import json
import signal
import threading
import zipfile
from collections import defaultdict
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphassay.canonical import canonical_code, decode_code
from graphassay.errors import BudgetExceeded, InvalidInput, NothingToCompare
from graphassay.graph import Graph, GraphSet, offsets_from_counts
from graphassay.interop import to_networkx
from graphassay.mining import Database, MiningProgress, PatternTable, min_count, mine
from oracles import mining as oracle
from strategies import graph_sets

TU_COUNTS = {  # MINER.md: (count, patterns) with at most 8 vertices
    "MUTAG": [(18, 634), (1, 7_124)],
    "PTC_MR": [(34, 127), (3, 5_198)],
    "NCI1": [(411, 832), (41, 4_635)],
    "ENZYMES": [(60, 96_780), (6, 457_132)],
    "PROTEINS": [(111, 73_520), (11, 412_577)],
}
ETHANOL = Graph("CCO", [(0, 1, "-"), (1, 2, "-")])
DIMETHYL_ETHER = Graph("COC", [(0, 1, "-"), (1, 2, "-")])


def load_tu(archive: Path) -> GraphSet:
    """A TU set: no edge-label file means one edge label; every edge is listed both ways."""
    name = archive.stem
    with zipfile.ZipFile(archive) as zipped:

        def numbers(kind: str) -> np.ndarray:
            text = zipped.read(f"{name}/{name}_{kind}.txt").decode().replace(",", " ")
            return np.array(text.split(), dtype=np.int64)

        arcs = numbers("A").reshape(-1, 2) - 1
        graph_of = numbers("graph_indicator") - 1
        labels = numbers("node_labels")
        has_edge_labels = f"{name}/{name}_edge_labels.txt" in zipped.namelist()
        edge_labels = numbers("edge_labels") if has_edge_labels else np.zeros(len(arcs), np.int64)
    order = np.lexsort((arcs[:, 1], arcs[:, 0]))
    arcs, edge_labels = arcs[order], edge_labels[order]
    keep = arcs[:, 0] < arcs[:, 1]
    keep[1:] &= (arcs[1:] != arcs[:-1]).any(axis=1)
    arcs, edge_labels = arcs[keep], edge_labels[keep]
    offsets = offsets_from_counts(np.bincount(graph_of))
    first = offsets[graph_of[arcs[:, 0]]]
    vertex_names, vertex_labels = np.unique(labels, return_inverse=True)
    edge_names, edge_labels = np.unique(edge_labels, return_inverse=True)
    return GraphSet(
        vertex_offsets=offsets,
        edge_offsets=offsets_from_counts(
            np.bincount(graph_of[arcs[:, 0]], minlength=len(offsets) - 1)
        ),
        vertex_labels=vertex_labels.astype(np.int32),
        edge_u=(arcs[:, 0] - first).astype(np.int32),
        edge_v=(arcs[:, 1] - first).astype(np.int32),
        edge_labels=edge_labels.astype(np.int32),
        vertex_label_names=tuple(map(str, vertex_names)),
        edge_label_names=tuple(map(str, edge_names)),
    )


def same(a: PatternTable, b: PatternTable) -> bool:
    """Byte for byte."""
    return a.patterns.sha256() == b.patterns.sha256() and all(
        x.tobytes() == y.tobytes()
        for x, y in [(a.counts, b.counts), *_occurrence_arrays(a, b), *_embedding_arrays(a, b)]
    )


def _occurrence_arrays(a: PatternTable, b: PatternTable) -> list:
    pairs = zip(a.occurrences, b.occurrences, strict=True)
    return [arrays for x, y in pairs for arrays in ((x.offsets, y.offsets), (x.graphs, y.graphs))]


def _embedding_arrays(a: PatternTable, b: PatternTable) -> list:
    return [] if a.embeddings is None else [(a.embeddings, b.embeddings)]


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_equals_brute_force(data: st.DataObject) -> None:
    sets = [
        data.draw(graph_sets(max_size=4, max_vertices=5)),
        data.draw(graph_sets(max_size=2, max_vertices=6, vertex_labels="AB", edge_labels="x")),
    ]
    databases = []
    for number in (0, 0, 1):
        n = len(sets[number])
        weights = data.draw(
            st.lists(st.sampled_from([0, 1, 2, 40_000]), min_size=n, max_size=n).filter(any)
        )
        databases.append(Database(sets[number], np.array(weights), f"d{number}"))
    databases.append(Database(sets[0]))
    counts = [1, 2] if any(d.total > 1 for d in databases) else [1]  # no set holds more: refused
    support = data.draw(st.sampled_from([0.3, 0.6, 1.0, *counts]))
    max_vertices = data.draw(st.integers(2, 4))
    expected = oracle.frequent(
        [
            (
                list(d.graphs),
                [1] * len(d.graphs) if d.weights is None else d.weights.tolist(),
                min_count(support, d.total),
            )
            for d in databases
        ],
        max_vertices,
    )
    tables = [
        mine(
            databases,
            support,
            max_vertices=max_vertices,
            threads=threads,
            occurrences=True,
            embeddings=True,
        )
        for threads in (1, 2)
    ]
    assert same(*tables)
    table = tables[0]
    found = [oracle.canonical(pattern) for pattern in table.patterns]
    assert len(set(found)) == len(found)
    assert {
        code: (counts, images)
        for code, counts, images in zip(
            found, table.counts.tolist(), table.embeddings.tolist(), strict=True
        )
    } == expected
    for p, code in enumerate(found):
        for database, occurrences in zip(databases, table.occurrences, strict=True):
            weighs = sum(
                d.weights if d.weights is not None else np.ones(len(d.graphs), dtype=np.int64)
                for d in databases
                if d.graphs is database.graphs
            )
            assert occurrences[p].tolist() == [
                g
                for g, graph in enumerate(database.graphs)
                if weighs[g] and code in oracle.connected_subgraphs(graph, max_vertices)
            ]


@settings(deadline=None, max_examples=40)
@given(graph_sets(max_size=5, max_vertices=5), st.randoms())
def test_numbering_of_vertices_labels_and_graphs_does_not_matter(
    graphs: GraphSet, random: object
) -> None:
    moved = []
    for graph in graphs:
        order = list(range(graph.n_vertices))
        random.shuffle(order)
        moved.append(graph.relabelled(order))
    random.shuffle(moved)
    other = GraphSet.from_graphs(moved)
    other = other.with_label_names(
        ("unused", *reversed(other.vertex_label_names)), other.edge_label_names[::-1]
    )
    a, b = mine(graphs, 0.4), mine(other, 0.4)
    assert list(a.patterns) == list(b.patterns)
    assert a.counts.tolist() == b.counts.tolist()


def test_patterns_ascend_and_are_numbered_by_their_minimum_dfs_code() -> None:
    triangle = Graph("BAA", [(0, 1, "x"), (1, 2, "y"), (0, 2, "x")])
    table = mine(GraphSet.from_graphs([triangle]), 1.0)
    assert list(table.patterns) == [
        Graph("AB", [(0, 1, "x")]),
        Graph("AA", [(0, 1, "y")]),
        Graph("ABA", [(0, 1, "x"), (1, 2, "x")]),
        Graph("ABA", [(0, 1, "x"), (0, 2, "y")]),
        Graph("ABA", [(0, 1, "x"), (0, 2, "y"), (1, 2, "x")]),
    ]


def test_complete_graph_holds_every_connected_graph() -> None:
    complete = Graph("*" * 8, [(u, v, "*") for v in range(8) for u in range(v)])
    table = mine(GraphSet.from_graphs([complete]), 1.0, threads=2)
    assert len(table) == 1 + 2 + 6 + 21 + 112 + 853 + 11_117  # OEIS A001349, from 2 vertices


def test_more_than_eight_vertices() -> None:
    star = Graph("*" * 16, [(0, v, "*") for v in range(1, 16)])
    cycle = Graph("*" * 16, [(v, (v + 1) % 16, "*") for v in range(16)])
    table = mine(GraphSet.from_graphs([star, cycle]), 1, max_vertices=16, embeddings=True)
    # 15 stars, 15 paths of which two are stars, one cycle
    assert len(table) == 15 + 15 - 2 + 1
    assert table.embeddings[-1].tolist() == [1]
    assert table.counts[:2].tolist() == [[2], [2]]


def test_many_labels() -> None:
    graphs = [
        Graph((f"v{i}", f"v{i + 1}", f"v{i + 2}"), [(0, 1, f"e{i}"), (1, 2, f"e{i + 1}")])
        for i in range(400)
    ]
    table = mine(GraphSet.from_graphs(graphs), 2)
    assert len(table) == 399
    assert set(table.counts[:, 0].tolist()) == {2}
    assert len(mine(GraphSet.from_graphs(graphs), 1)) == 401 + 400


def test_options_on_size() -> None:
    path = GraphSet.from_graphs([Graph("*" * 9, [(v, v + 1, "*") for v in range(8)])])
    assert mine(path, 1.0, max_vertices=16).patterns.edge_counts.tolist() == [*range(1, 9)]
    assert mine(path, 1.0).patterns.edge_counts.tolist() == [*range(1, 8)]
    assert mine(path, 1.0, max_edges=4, min_edges=3).patterns.edge_counts.tolist() == [3, 4]


def test_graphs_without_edges_or_vertices() -> None:
    graphs = GraphSet.from_graphs([Graph(""), Graph("A"), Graph("AB", [(0, 1, "x")])])
    table = mine(graphs, 0.3)
    assert table.counts.tolist() == [[1]]
    assert table.supports.tolist() == [[1 / 3]]
    assert len(mine(graphs, 0.4)) == 0
    assert mine(graphs, 0.4).counts.shape == (0, 1)


def test_large_graphs_count_like_small_ones() -> None:
    """Beyond 1,024 vertices graphs are stored otherwise; a disjoint union keeps its patterns."""
    rng = np.random.default_rng(3)
    parts = []
    for _ in range(3):
        graph = nx.gnp_random_graph(12, 0.35, seed=int(rng.integers(1 << 30)))
        edges = [(u, v, str(rng.integers(2))) for u, v in graph.edges]
        parts.append(Graph((str(label) for label in rng.integers(3, size=12)), edges))
    long_path = [(v, v + 1, "tail") for v in range(36, 1_300)]
    big = Graph(
        [label for part in parts for label in part.vertex_labels] + ["tail"] * 1_265,
        [(u + 12 * i, v + 12 * i, x) for i, p in enumerate(parts) for u, v, x in p.edges]
        + long_path,
    )
    few = Graph(big.vertex_labels[:36], [e for e in big.edges if e[1] < 36])
    options = {"max_vertices": 5, "max_edges": 6, "embeddings": True}
    a = mine(GraphSet.from_graphs([big]), 1.0, **options)
    b = mine(GraphSet.from_graphs([few]), 1.0, **options)
    kept = [
        (pattern, count)
        for pattern, count in zip(a.patterns, a.embeddings[:, 0].tolist(), strict=True)
        if "tail" not in pattern.vertex_labels
    ]
    assert kept == list(zip(b.patterns, b.embeddings[:, 0].tolist(), strict=True))


def test_resamples_count_like_copies() -> None:
    rng = np.random.default_rng(0)
    graphs = GraphSet.from_graphs([ETHANOL, DIMETHYL_ETHER, Graph("CC", [(0, 1, "-")])])
    resamples = [np.bincount(rng.integers(3, size=50), minlength=3) for _ in range(70)]
    table = mine([Database(graphs, weights) for weights in resamples], 0.3)
    for d, weights in enumerate(resamples):
        alone = mine(graphs.take(np.repeat(np.arange(3), weights)), 0.3)
        counts = dict(zip(alone.patterns, alone.counts[:, 0].tolist(), strict=True))
        frequent = table.frequent[:, d]
        listed = [g for g, is_frequent in zip(table.patterns, frequent, strict=True) if is_frequent]
        assert dict(zip(listed, table.counts[frequent, d].tolist(), strict=True)) == counts


@pytest.mark.parametrize(
    ("support", "total", "expected"),
    [(0.1, 188, 19), (0.1, 30, 3), (0.07, 100, 7), (1.0, 5, 5), (1e-9, 5, 1), (18, 188, 18)],
)
def test_min_count(support: float, total: int, expected: int) -> None:
    assert min_count(support, total) == expected
    assert min_count(np.float64(support) if support < 1 else support, total) == expected


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"min_support": 1.5}, r"share in \(0, 1\]"),
        ({"min_support": 0.0}, r"share in \(0, 1\]"),
        ({"min_support": float("nan")}, r"share in \(0, 1\]"),
        ({"min_support": 0}, "count of at least 1, got 0"),
        ({"min_support": 3}, "at most 2, the number of graphs, got 3"),
        ({"min_support": True}, "share or a count, got True"),
        ({"min_support": "0.1"}, "share or a count"),
        ({"max_vertices": 1}, "max_vertices: expected 2 to 16, got 1"),
        ({"max_vertices": 17}, "max_vertices: expected 2 to 16, got 17"),
        ({"max_edges": 0}, "max_edges: expected at least 1"),
        ({"threads": 0}, "threads: expected at least 1"),
        ({"min_edges": 1.5}, "min_edges: expected a whole number"),
    ],
)
def test_bad_options(options: dict, message: str) -> None:
    graphs = GraphSet.from_graphs([ETHANOL, ETHANOL])
    with pytest.raises(InvalidInput, match=message):
        mine(graphs, **{"min_support": 0.5, **options})


def test_bad_databases() -> None:
    graphs = GraphSet.from_graphs([ETHANOL])
    with pytest.raises(NothingToCompare, match="at least one database"):
        mine([], 0.5)
    with pytest.raises(NothingToCompare, match="gen: expected at least one graph"):
        mine([graphs, Database(graphs, np.array([0]), "gen")], 0.5)
    with pytest.raises(InvalidInput, match="one for each of the 1 graphs"):
        Database(graphs, np.array([1, 1]))
    with pytest.raises(InvalidInput, match="0 or more, got -1"):
        Database(graphs, np.array([-1]))
    with pytest.raises(InvalidInput, match="expected integers"):
        Database(graphs, np.array([0.5]))
    with pytest.raises(InvalidInput, match=r"sum below 2\^32"):
        mine(Database(graphs.take([0, 0]), np.array([2**31, 2**31])), 0.5)


@pytest.mark.parametrize(
    ("limit", "name"),
    [
        ({"max_patterns": 500}, "max_patterns"),
        ({"time_limit_s": 0.0}, "time_limit_s"),
        ({"memory_limit_bytes": 100_000}, "memory_limit_bytes"),
    ],
)
@pytest.mark.parametrize("threads", [1, 2])
def test_limits_are_named(limit: dict, name: str, threads: int) -> None:
    complete = Graph("*" * 8, [(u, v, "*") for v in range(8) for u in range(v)])
    with pytest.raises(BudgetExceeded, match=name):
        mine(GraphSet.from_graphs([complete]), 1.0, threads=threads, **limit)


def test_progress_is_reported_and_may_stop_the_run() -> None:
    complete = Graph("*" * 9, [(u, v, "*") for v in range(9) for u in range(v)])
    graphs = GraphSet.from_graphs([complete] * 60)
    seen: list[MiningProgress] = []
    mine(graphs, 1.0, max_vertices=7, progress=seen.append)
    assert seen
    assert [p.n_patterns for p in seen] == sorted(p.n_patterns for p in seen)

    def stop(progress: MiningProgress) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        mine(graphs, 1.0, progress=stop)


def test_ctrl_c() -> None:
    complete = Graph("*" * 16, [(u, v, "*") for v in range(16) for u in range(v)])
    graphs = GraphSet.from_graphs([complete] * 5)
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        mine(graphs, 1.0, max_vertices=16, threads=2, time_limit_s=60)
    timer.join()


def test_counting_embeddings_in_one_graph_can_be_ended() -> None:
    complete = Graph("*" * 60, [(u, v, "*") for v in range(60) for u in range(v)])
    graphs = GraphSet.from_graphs([complete])
    options = {"max_edges": 7, "embeddings": True}  # a path of 8 vertices: 5e13 times
    with pytest.raises(BudgetExceeded, match="time_limit_s"):
        mine(graphs, 1.0, time_limit_s=0.2, **options)
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        mine(graphs, 1.0, time_limit_s=60, **options)
    timer.join()


def test_formats(tmp_path: Path) -> None:
    graphs = GraphSet.from_graphs([ETHANOL, DIMETHYL_ETHER])
    table = mine([Database(graphs, name="train"), Database(graphs[:1], name="gen")], 0.5)
    for suffix in ("csv", "jsonl", "gspan", "parquet"):
        table.write(tmp_path / f"patterns.{suffix}")
    rows = (tmp_path / "patterns.csv").read_text().splitlines()
    assert rows[0] == (
        "pattern,n_vertices,n_edges,vertex_labels,edges,"
        "count_train,support_train,count_gen,support_gen"
    )
    assert len(rows) == 1 + len(table)
    records = [json.loads(row) for row in (tmp_path / "patterns.jsonl").read_text().splitlines()]
    assert [record["counts"]["train"] for record in records] == table.counts[:, 0].tolist()
    assert [Graph(r["vertex_labels"], map(tuple, r["edges"])) for r in records] == list(
        table.patterns
    )
    text = (tmp_path / "patterns.gspan").read_text()
    assert text.startswith("t # 0 * 1 1\nv 0 C\nv 1 C\ne 0 1 -\n")
    import pyarrow.parquet as pq

    arrow = pq.read_table(tmp_path / "patterns.parquet")
    assert arrow["count_gen"].to_pylist() == table.counts[:, 1].tolist()
    assert arrow["vertex_labels"].to_pylist() == [list(g.vertex_labels) for g in table.patterns]
    with pytest.raises(InvalidInput, match="expected a format among csv, parquet"):
        table.write(tmp_path / "patterns.xlsx")
    spaced = mine(GraphSet.from_graphs([Graph(["a b", "c"], [(0, 1, "x")])]), 1.0)
    with pytest.raises(InvalidInput, match="'a b'"):
        spaced.write(tmp_path / "spaced.gspan")
    assert not (tmp_path / "spaced.gspan").exists()


def test_to_networkx() -> None:
    table = mine(GraphSet.from_graphs([ETHANOL]), 1.0)
    largest = table.to_networkx()[-1]
    assert nx.get_node_attributes(largest, "label") == {0: "C", 1: "C", 2: "O"}
    assert nx.get_edge_attributes(largest, "label") == {(0, 1): "-", (1, 2): "-"}


def test_codes_are_canonical_and_lead_back_to_the_patterns() -> None:
    benzyl = Graph("CCCCCCO", [(i, (i + 1) % 6, ":") for i in range(6)] + [(0, 6, "-")])
    table = mine(GraphSet.from_graphs([ETHANOL, benzyl]), 1)
    assert len(set(table.codes)) == len(table.codes) == len(table)
    for code, pattern in zip(table.codes, table.patterns, strict=True):
        order = list(reversed(range(pattern.n_vertices)))
        assert canonical_code(pattern) == canonical_code(pattern.relabelled(order)) == code
        assert nx.is_isomorphic(
            to_networkx(decode_code(code)),
            to_networkx(pattern),
            node_match=lambda a, b: a["label"] == b["label"],
            edge_match=lambda a, b: a["label"] == b["label"],
        )


def test_to_molecules() -> None:
    pytest.importorskip("rdkit")
    from rdkit import Chem

    from graphassay.molecules import molecules_to_graphs

    smiles = ["CCO", "CCN", "c1ccccc1C"]
    molecules = [Chem.MolFromSmiles(s) for s in smiles]
    table = mine(molecules_to_graphs(molecules), 1)
    patterns = table.to_molecules()
    assert len(patterns) == len(table)
    found = [
        [molecule.HasSubstructMatch(pattern) for molecule in molecules] for pattern in patterns
    ]
    assert [sum(row) for row in found] == table.counts[:, 0].tolist()
    plain = mine(GraphSet.from_graphs([ETHANOL]), 1.0)
    with pytest.raises(InvalidInput, match="patterns of molecules"):
        plain.to_molecules()


@pytest.mark.parametrize("name", ["MUTAG", "PTC_MR", "NCI1"])
@pytest.mark.parametrize("threads", [1, 2])
def test_published_counts(shared: Path, name: str, threads: int) -> None:
    graphs = load_tu(shared / "tu" / f"{name}.zip")
    for count, n_patterns in TU_COUNTS[name]:
        assert len(mine(graphs, count, threads=threads)) == n_patterns


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ENZYMES", "PROTEINS"])
def test_published_counts_of_proteins(shared: Path, name: str) -> None:
    graphs = load_tu(shared / "tu" / f"{name}.zip")
    (count, n_patterns), (low_count, n_low) = TU_COUNTS[name]
    tables = [mine(graphs, count, threads=threads) for threads in (1, 2)]
    assert same(*tables)
    assert len(tables[0]) == n_patterns
    assert len(mine(graphs, low_count)) == n_low


@pytest.mark.slow
def test_random_graphs_hold_every_connected_graph() -> None:
    rng = np.random.default_rng(7)
    graphs = GraphSet.from_graphs(
        [
            Graph("*" * n, [(u, v, "*") for v in range(n) for u in range(v) if rng.random() < 0.6])
            for n in rng.integers(20, 41, size=200)
        ]
    )
    assert len(mine(graphs, 0.1)) == 12_112  # OEIS A001349, 2 to 8 vertices


def test_compound_422_gives_the_published_patterns(shared: Path) -> None:
    """All 932, up to their largest (14 vertices), with their supports, by isomorphism.

    The published run took floor(0.2 * 422) = 84 graphs as its threshold.
    """
    table = mine(_read_gspan(shared / "gspan" / "Compound_422.gz")[0], 84, max_vertices=16)
    published, counts = _read_gspan(shared / "gspan" / "Compound_422.output.t0-0.2.gz")
    assert len(table) == len(published) == 932
    buckets: dict[tuple, list] = defaultdict(list)
    for graph, count in zip(published, counts, strict=True):
        buckets[_invariant(graph, count)].append(_as_networkx(graph))
    for pattern, count in zip(table.patterns, table.counts[:, 0].tolist(), strict=True):
        candidates = buckets[_invariant(pattern, count)]
        mine_ = _as_networkx(pattern)
        match = next(g for g in candidates if nx.is_isomorphic(mine_, g, **_BY_LABEL))
        candidates.remove(match)
    assert not any(buckets.values())


_BY_LABEL = {
    "node_match": lambda a, b: a["label"] == b["label"],
    "edge_match": lambda a, b: a["label"] == b["label"],
}


def _invariant(graph: Graph, count: int) -> tuple:
    labels = graph.vertex_labels
    edges = sorted((*sorted((labels[u], labels[v])), x) for u, v, x in graph.edges)
    return count, tuple(sorted(labels)), tuple(edges)


def _as_networkx(graph: Graph) -> nx.Graph:
    result = nx.Graph()
    result.add_nodes_from((v, {"label": x}) for v, x in enumerate(graph.vertex_labels))
    result.add_edges_from((u, v, {"label": x}) for u, v, x in graph.edges)
    return result


def _read_gspan(path: Path) -> tuple[GraphSet, list[int]]:
    graphs: list[Graph] = []
    counts: list[int] = []
    labels: list[str] = []
    edges: list[tuple[int, int, str]] = []
    with gzip.open(path, "rt") as lines:
        for line in [*lines, "t # -1"]:
            kind, *rest = line.split() or [""]
            if kind == "t":
                if labels:
                    graphs.append(Graph(labels, edges))
                labels, edges = [], []
                if "*" in rest:
                    counts.append(int(rest[-1]))
            elif kind == "v":
                labels.append(rest[1])
            elif kind == "e":
                edges.append((int(rest[0]), int(rest[1]), rest[2]))
    return GraphSet.from_graphs(graphs), counts
