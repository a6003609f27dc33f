import numpy as np
import pytest

from graphassay import datasets
from graphassay.assay.fragments import fragment_smiles
from graphassay.assay.galleries import MAX_SCATTER, _stratified
from graphassay.assay.memorization import run_audit
from graphassay.graph import Graph, GraphSet


@pytest.fixture(scope="module")
def done():
    qm9 = datasets.load("qm9-sample")
    generated = qm9.take(np.r_[np.zeros(30, dtype=int), np.arange(1, 20), np.arange(1000, 1150)])
    return run_audit(qm9[:800], generated, bootstraps=10, seed=1)


def test_galleries_are_sorted_by_difference(done) -> None:
    shown = done.result.galleries
    missing = [p.train - p.generated for p in shown.most_missing]
    assert missing == sorted(missing, reverse=True)
    assert missing[-1] > 0
    invented = [p.generated - p.train for p in shown.most_invented]
    assert invented == sorted(invented, reverse=True)
    assert shown.n_scatter_of == done.pattern_table().num_rows
    assert len(shown.scatter) == min(shown.n_scatter_of, MAX_SCATTER)


def test_shown_patterns_agree_with_the_table(done) -> None:
    table = done.pattern_table().to_pydict()
    rows = {code: i for i, code in enumerate(table["code"])}
    for pattern in done.result.galleries.scatter:
        i = rows[pattern.code]
        assert pattern.train == table["train"][i]
        assert pattern.generated == table["generated"][i]
        assert pattern.bootstrap_low == pytest.approx(table["bootstrap_low"][i])
        assert len(pattern.graph.vertex_labels) == table["n_vertices"][i]
    assert all(table["smiles"])


def test_graphs_come_with_their_counts_and_smiles(done) -> None:
    shown = done.result.galleries
    assert shown.memorized[0].n == 30
    assert shown.memorized[0].graph.smiles == shown.memorized[0].source != ""
    assert shown.memorized[0].place is not None
    assert len(shown.novel) == 24
    assert {g.source for g in shown.novel}.isdisjoint({g.source for g in shown.memorized})


def test_the_scatter_is_spread_over_the_range() -> None:
    rng = np.random.default_rng(0)
    support = np.concatenate([np.full(20_000, 0.1), np.linspace(0.2, 1, 50)])
    kind = np.full(len(support), 3)
    kind[:5] = 1
    chosen = _stratified(np.arange(len(support)), support, kind, rng=rng)
    assert len(chosen) == len(set(chosen.tolist())) == MAX_SCATTER
    assert set(range(20_000, 20_050)) <= set(chosen.tolist())  # the rare high supports, whole
    assert set(range(5)) <= set(chosen.tolist())  # patterns of train only, whole


def test_fragments_are_written_as_smiles_where_they_are_molecules() -> None:
    patterns = GraphSet.from_graphs(
        [
            Graph("CCO", [(0, 1, ":"), (1, 2, "-")]),
            Graph(("Cl", "C", "N"), [(0, 1, "-"), (1, 2, "#")]),
            Graph("C1", [(0, 1, "-")]),
            Graph("CC", [(0, 1, "strange")]),
        ]
    )
    assert fragment_smiles(patterns) == ["ccO", "N#CCl", None, None]
