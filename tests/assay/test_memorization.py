"""The whole audit on real sets whose answer is known."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from scipy.spatial.distance import jensenshannon

from graphassay import datasets, results
from graphassay.assay.memorization import audit, run_audit
from graphassay.baselines.edits import resample_with_edits
from graphassay.baselines.rewiring import rewire
from graphassay.canonical import canonical_codes
from graphassay.errors import InvalidInput, NothingToCompare
from graphassay.graph import Graph, GraphSet
from graphassay.intake import IntakeReport, Refusal, RefusedRecord
from graphassay.mining import mine
from graphassay.results import Undefined

FAST = {"bootstraps": 20, "n_interval_resamples": 40}


@pytest.fixture(scope="module")
def mutag(shared) -> GraphSet:
    return datasets.load("mutag", source=shared / "tu")


@pytest.fixture(scope="module")
def qm9() -> GraphSet:
    """In random order: QM9's own is by size, so that its parts are no fresh data of each other."""
    sample = datasets.load("qm9-sample")
    return sample.take(np.random.default_rng(0).permutation(len(sample)))


def _resample(graphs: GraphSet, n: int, seed: int = 0) -> GraphSet:
    return graphs.take(np.random.default_rng(seed).integers(len(graphs), size=n))


@pytest.fixture(scope="module")
def photocopy(mutag: GraphSet):
    return run_audit(mutag, _resample(mutag, 300), seed=3, **FAST)


def test_a_photocopier_is_memorization_dominated(photocopy) -> None:
    result = photocopy.result
    assert result.verdict.kind == "memorization-dominated"
    assert result.copying["generated"].exact_match.value == 1
    assert result.alignment.metrics["rho"].model.value > 0.97
    assert 0 <= result.alignment.metrics["jsd"].percentile <= 100
    assert result.novel_only == Undefined("every generated graph is a copy")


def test_few_edits_do_not_hide_a_photocopier(mutag: GraphSet) -> None:
    edited = resample_with_edits(mutag, n_generated=600, edited=0.15, seed=0)
    result = audit(mutag, edited, **FAST)
    assert result.verdict.kind == "memorization-dominated"
    assert 0.8 < result.copying["generated"].exact_match.value < 0.95
    assert not isinstance(result.novel_only, Undefined)  # 90 of 600 are novel


def test_a_rewiring_is_misaligned(mutag: GraphSet) -> None:
    result = audit(mutag, rewire(_resample(mutag, 300), seed=9), **FAST)
    assert result.verdict.kind == "misaligned"


def test_fresh_real_graphs_go_beyond_memorization(qm9: GraphSet) -> None:
    train, fresh, holdout = qm9[:2000], qm9[2000:3500], qm9[3500:]
    alone = audit(train, fresh, **FAST)
    assert alone.verdict.kind == "beyond-memorization"
    beside = audit(train, fresh, holdout=holdout, **FAST)
    assert beside.verdict.kind == "beyond-memorization"
    assert set(beside.alignment.metrics["jsd"].references) == {"bootstrap", "holdout", "rewired"}
    assert set(beside.copying) == {"generated", "holdout", "rewired"}
    assert any("equal shares would mean" in note for note in beside.notes)


def test_a_tiny_sample_is_undecided(mutag: GraphSet) -> None:
    result = audit(mutag, mutag[:20], max_vertices=4, **FAST)
    assert result.verdict.kind == "undecided"
    assert any("frequent by chance" in note for note in result.notes)


def test_numbers_equal_separate_mines_and_scipy(mutag: GraphSet, photocopy) -> None:
    generated = _resample(mutag, 300)
    tables = [mine(graphs, 0.1) for graphs in (mutag, generated)]
    supports = [
        dict(zip(canonical_codes(t.patterns), t.counts[:, 0] / t.totals[0], strict=True))
        for t in tables
    ]
    train, other = supports
    shared, union = sorted(train.keys() & other.keys()), sorted(train.keys() | other.keys())
    metrics = photocopy.result.alignment.metrics
    rho = stats.spearmanr([train[c] for c in shared], [other[c] for c in shared]).statistic
    assert metrics["rho"].model.value == pytest.approx(rho)
    p = [train.get(c, 0) for c in union]
    q = [other.get(c, 0) for c in union]
    assert metrics["jsd"].model.value == pytest.approx(jensenshannon(p, q) ** 2)
    missing = sum(train[c] for c in train.keys() - other.keys()) / sum(train.values())
    assert metrics["missing_mass"].model.value == pytest.approx(missing)
    assert photocopy.result.alignment.patterns.train == len(train)
    assert photocopy.result.alignment.patterns.shared == len(shared)


def test_a_bootstrap_draw_equals_mining_that_resample(mutag: GraphSet, photocopy) -> None:
    run = photocopy.first_run
    # The resample's own frequent patterns count, also those infrequent in train.
    column = run.columns["bootstrap"][0]
    from graphassay.assay.plan import rng_for
    from graphassay.baselines.resampling import bootstrap_weights

    weights = bootstrap_weights(len(mutag), 300, 20, rng=rng_for(3, "bootstrap"))[0]
    alone = mine(mutag.take(np.repeat(np.arange(len(mutag)), weights)), 0.1)
    assert int(run.frequent(column).sum()) == len(alone.patterns)


def test_the_seed_and_not_the_threads_decide(mutag: GraphSet, photocopy) -> None:
    def scientific(result):
        return replace(result, provenance=photocopy.result.provenance)

    again = audit(mutag, _resample(mutag, 300), seed=3, threads=1, **FAST)
    assert scientific(again) == scientific(photocopy.result)
    other = audit(mutag, _resample(mutag, 300), seed=4, threads=2, **FAST)
    assert scientific(other) != scientific(photocopy.result)


def test_the_result_survives_json(photocopy) -> None:
    assert results.loads(results.dumps(photocopy.result)) == photocopy.result


def test_the_pattern_table_lists_every_frequent_pattern(photocopy) -> None:
    table = photocopy.pattern_table()
    counts = photocopy.result.alignment.patterns
    columns = table.to_pydict()
    assert table.num_rows == counts.train + counts.generated - counts.shared
    assert sum(columns["in_train"]) == counts.train
    assert len(set(columns["code"])) == table.num_rows
    assert columns["train"] == sorted(columns["train"], reverse=True)
    assert all(a <= b <= c for a, b, c in zip(
        columns["bootstrap_low"], columns["bootstrap_mean"], columns["bootstrap_high"], strict=True
    ) if a != c)  # fmt: skip


def test_a_large_train_is_subsampled_and_copies_are_found_in_all_of_it(qm9: GraphSet) -> None:
    train, generated = qm9[:2000], qm9[1000:1300]
    result = audit(train, generated, subsample=500, repeats=3, max_vertices=5, **FAST)
    assert result.alignment.n_runs == 3
    assert result.alignment.n_train_per_run == 500
    assert result.copying["generated"].exact_match.value == 1
    comparison = result.alignment.metrics["jsd"]
    assert len(comparison.per_run) == 3
    assert comparison.run_sd > 0
    assert comparison.model.value == pytest.approx(np.mean(comparison.per_run))
    assert len(comparison.references["bootstrap"].values) == 21  # 7 in each run
    assert any("3 random subsets of 500" in note for note in result.notes)


def test_failed_generations_stay_in_the_denominator(mutag: GraphSet) -> None:
    intake = IntakeReport(
        "made by hand", "smiles", 400, 300, (Refusal("no graph", 100, (RefusedRecord(1, "None"),)),)
    )
    result = audit(mutag, replace(_resample(mutag, 300), intake=intake), max_vertices=4, **FAST)
    assert result.copying["generated"].exact_match.value == 0.75
    assert result.copying["generated"].failed.value == 0.25
    assert result.inputs["generated"].intake.n_refused == 100


def test_a_single_training_graph_is_no_crash() -> None:
    graph = Graph("ABC", [(0, 1, "x"), (1, 2, "x")])
    one = GraphSet.from_graphs([graph])
    result = audit(one, GraphSet.from_graphs([graph] * 3), **FAST)
    assert result.verdict.kind == "undecided"
    assert isinstance(result.alignment.metrics["jsd"].z, Undefined)


def test_sets_that_leave_nothing_to_compare_are_refused(mutag: GraphSet) -> None:
    empty = mutag[:0]
    bare = GraphSet.from_graphs([Graph("A"), Graph("AB")])
    strange = GraphSet.from_graphs([Graph("XY", [(0, 1, "z")])] * 5)
    failed = replace(
        empty, intake=IntakeReport("g.smi", "smiles", 2, 0, (Refusal("unparsable", 2, ()),))
    )
    for train, generated, message in (
        (empty, mutag, "train .*: expected graphs, got an empty set"),
        (mutag, empty, "generated .*: expected graphs, got an empty set"),
        (mutag, failed, "all 2 records were refused .mostly: unparsable"),
        (mutag, bare, "generated .*: none of the 2 graphs has an edge"),
        (bare, mutag, "train .*: none of the 2 graphs has an edge"),
        (mutag, strange, "no vertex label in common"),
    ):
        with pytest.raises(NothingToCompare, match=message):
            audit(train, generated, **FAST)
    other_bonds = GraphSet.from_graphs([Graph(mutag.vertex_label_names[:2], [(0, 1, "?")])])
    with pytest.raises(NothingToCompare, match="no edge label in common"):
        audit(mutag, other_bonds, **FAST)
    one_each = GraphSet.from_graphs([Graph("AB", [(0, 1, c)]) for c in "uvw"])
    with pytest.raises(NothingToCompare, match=r"frequent in train at min_support 1\.0; lower it"):
        audit(one_each, one_each, min_support=1.0, **FAST)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"min_support": 1.5}, r"min_support: expected a share in \(0, 1\]"),
        ({"min_support": 0.0}, r"min_support: expected a share in \(0, 1\]"),
        ({"min_support": float("nan")}, r"min_support: expected a share in \(0, 1\]"),
        ({"min_support": 0}, "min_support: expected a count of at least 1"),
        ({"min_support": True}, "min_support: expected a number"),
        ({"min_support": 189}, "189 graphs is more than the 188 graphs of the smaller set"),
        ({"max_vertices": 1}, "max_vertices: expected at least 2, got 1"),
        ({"bootstraps": 1}, "bootstraps: expected at least 2, got 1"),
        ({"support": "half"}, "support: expected 'frequent' or 'exact'"),
        ({"seed": -1}, "seed: expected at least 0"),
    ],
)
def test_options_out_of_range_are_refused(mutag: GraphSet, options, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        audit(mutag, mutag, **options)


def test_strange_labels_are_noted(mutag: GraphSet) -> None:
    odd = GraphSet.from_graphs(
        [*_resample(mutag, 60), Graph(("Xx", mutag.vertex_label_names[0]), [(0, 1, "0")])]
    )
    result = audit(mutag, odd, max_vertices=4, **FAST)
    assert "generated has vertex labels that train lacks: 'Xx'" in result.notes


def test_every_phase_can_be_interrupted(mutag: GraphSet) -> None:
    phases: list[str] = []
    audit(
        mutag,
        _resample(mutag, 60),
        max_vertices=3,
        sensitivity=True,
        progress=phases.append,
        **FAST,
    )
    assert len(phases) == 6
    for wanted in phases:

        def stop(phase: str, wanted: str = wanted) -> None:
            if phase == wanted:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            audit(
                mutag, _resample(mutag, 60), max_vertices=3, sensitivity=True, progress=stop, **FAST
            )


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_fresh_halves_of_nci1_go_beyond_memorization(shared, seed: int) -> None:
    nci1 = datasets.load("nci1", source=shared / "tu")
    order = np.random.default_rng(seed).permutation(len(nci1))
    train, fresh = nci1.take(order[:2000]), nci1.take(order[2000:3000])
    assert audit(train, fresh, **FAST).verdict.kind == "beyond-memorization"
