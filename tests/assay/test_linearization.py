"""The linearization audit, end to end on a tiny model and piece by piece against plain loops."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from graphassay.assay.cells import CellStore
from graphassay.assay.cross_strategy import score_permutations, strategy_scores
from graphassay.assay.linearization import (
    LinearizationOptions,
    choose_test_graphs,
    evaluation_strategies,
    linearization_audit,
)
from graphassay.assay.run_identity import family_of, run_names
from graphassay.assay.saturation import saturation
from graphassay.canonical import class_ids
from graphassay.errors import BudgetExceeded, InvalidInput
from graphassay.graph import Graph, GraphSet, concat
from graphassay.linearize import TokenType, linearizer_from_data
from graphassay.lm.job import SampleJob, SampleSet, sample
from graphassay.lm.run import Run
from graphassay.lm.sample import Sample
from graphassay.lm.score import scoring_seed
from graphassay.results import Undefined
from graphassay.results.files import decode, encode
from graphassay.results.linearization import LinearizationAudit, StrategyScores
from lm.tiny import TINY, small_graphs

OPTIONS = LinearizationOptions(permutations=4, strategies=("all",), seed=1)


@pytest.fixture(scope="module")
def graphs() -> GraphSet:
    return small_graphs(40, seed=5)


def _train(folder: Path, graphs: GraphSet, **changes: object) -> Run:
    import torch

    from graphassay.lm.train import train

    torch.set_num_threads(1)
    options = {"steps": 60, "learning_rate": 4e-3, "checkpoints": 1, "valid_share": 0}
    config = dataclasses.replace(TINY, **(options | changes))
    return train(graphs, folder / "run", config, device="cpu").run


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, graphs: GraphSet) -> Run:
    return _train(tmp_path_factory.mktemp("sent"), graphs)


@pytest.fixture(scope="module")
def dfs_run(tmp_path_factory: pytest.TempPathFactory, graphs: GraphSet) -> Run:
    return _train(
        tmp_path_factory.mktemp("dfs"), graphs, serialization="dfs:factored", context=256, steps=3
    )


@pytest.fixture(scope="module")
def samples(run: Run) -> SampleSet:
    return sample(run, SampleJob(n=30, seed=2), device="cpu", threads=1)


@pytest.fixture(scope="module")
def audit(run: Run, graphs: GraphSet, samples: SampleSet) -> LinearizationAudit:
    targets = {
        "few vertices": lambda found: found.vertex_counts < np.median(found.vertex_counts),
        "even": np.arange(30) % 2 == 0,
        "all": np.ones(30, dtype=bool),
    }
    return linearization_audit(
        [run], graphs, options=OPTIONS, samples=samples, targets=targets, device="cpu", threads=1
    )


def _reference(run: Run, graphs: GraphSet, strategy: str, k: int, seed: int):
    """NLL of each draw and (type, confidence, correct) of each token, by Hugging Face's model."""
    import torch
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(run.folder)
    linearizer = dataclasses.replace(run.linearizer, name=strategy)
    nll = np.zeros((len(graphs), k))
    tokens = [[] for _ in range(len(graphs))]
    for draw in range(k):
        batch = linearizer.batch(graphs, seed=scoring_seed(seed), epoch=draw)
        for row in range(len(batch)):
            ids = torch.from_numpy(batch[row]).long()
            with torch.no_grad():
                p = model(ids[None]).logits[0, :-1].double().softmax(-1).numpy()
            wanted = batch[row][1:]
            nll[row, draw] = -np.log(p[np.arange(len(wanted)), wanted]).sum()
            kinds = linearizer.token_types(batch[row])[1:]
            tokens[row] += zip(kinds, p.max(1), p.argmax(1) == wanted, strict=True)
    return nll, tokens


def _ece(tokens) -> float:
    total = 0.0
    for b in range(15):
        inside = [(c, hit) for _, c, hit in tokens if b / 15 < c <= (b + 1) / 15]
        if inside:
            total += abs(sum(c for c, _ in inside) - sum(hit for _, hit in inside))
    return total / len(tokens)


@pytest.mark.parametrize("strategy", ["sent:random", "sent:anchor"])
def test_a_cell_equals_a_plain_loop(
    run: Run, graphs: GraphSet, audit: LinearizationAudit, strategy: str
) -> None:
    nll, tokens = _reference(run, graphs, strategy, 4, seed=1)
    (cell,) = [c for c in audit.matrix if c.evaluated_on == strategy]
    n_tokens = sum(map(len, tokens))
    assert cell.nll_per_token.value == pytest.approx(nll.sum() / n_tokens, abs=1e-5)
    assert cell.nll_per_graph.value == pytest.approx(nll.mean(), abs=1e-4)
    assert cell.tokens_per_graph.value == pytest.approx(n_tokens / nll.size + 1)
    linearizer = dataclasses.replace(run.linearizer, name=strategy)
    drawn = [linearizer.batch(graphs, seed=9, epoch=e) for e in range(60)]
    varies = np.array([len({tuple(b[g]) for b in drawn}) > 1 for g in range(len(graphs))])
    lu = (nll.std(axis=1) / nll.mean(axis=1))[varies]
    assert cell.lu.value == pytest.approx(lu.mean(), abs=1e-5)
    assert cell.lu.n == cell.n_graphs - cell.n_single == varies.sum()
    kinds = {
        "all": set(TokenType),
        "new_node": {TokenType.NEW_NODE},
        "revisit": {TokenType.REVISIT},
        "node_index": {TokenType.NEW_NODE, TokenType.REVISIT},
        "node_label": {TokenType.NODE_LABEL},
        "edge_label": {TokenType.EDGE_LABEL},
        "special": {TokenType.SPECIAL},
    }
    assert set(cell.reliability) == set(kinds)
    for kind, types in kinds.items():
        own = [t for row in tokens for t in row if t[0] in types]
        diagram = cell.reliability[kind]
        assert sum(diagram.counts) == len(own)
        assert diagram.ece.value == pytest.approx(_ece(own), abs=1e-4)


def test_the_matrix_has_a_cell_per_strategy(audit: LinearizationAudit) -> None:
    assert [cell.evaluated_on for cell in audit.matrix] == [
        "sent:random", "sent:min-degree", "sent:max-degree", "sent:anchor",
    ]  # fmt: skip
    assert [cell.native for cell in audit.matrix] == [True, False, False, False]
    for cell in audit.matrix:
        assert not isinstance(cell.bound, Undefined)
        assert cell.bound.mean_log_p.value == pytest.approx(-cell.nll_per_graph.value)
        assert cell.bound.mean_log_p.value < cell.bound.plain.value < cell.bound.importance.value
        assert cell.bound.importance.value < 0
        assert cell.lu.low < cell.lu.value < cell.lu.high
    assert audit.models[0].serialization == "sent:random"
    assert audit.test_set == "40 graphs of test"


def test_a_cell_says_which_weights_and_which_training_it_is_of(
    run: Run, graphs: GraphSet, audit: LinearizationAudit, tmp_path: Path
) -> None:
    assert {cell.model for cell in audit.matrix} == {run.fingerprint()}
    assert {cell.family for cell in audit.matrix} == {family_of(run)}

    def changed(**record: dict[str, object]) -> Run:
        old = {name: getattr(run.record, name) for name in record}
        new = {name: old[name] | values for name, values in record.items()}
        return dataclasses.replace(run, record=dataclasses.replace(run.record, **new))

    assert family_of(changed(config={"seed": 7}, measured={"elapsed_s": 1e9})) == family_of(run)
    others = [
        changed(config={"hidden": 64}),
        changed(data={"sha256": "0" * 64}),
        changed(versions={"processes": "2"}),
        run.checkpoints()[0],
    ]
    assert len({family_of(one) for one in (run, *others)}) == 5
    # One folder name, other weights: found under names and models of their own.
    again = _train(tmp_path / "again", graphs, seed=9, steps=2)
    both = linearization_audit(
        [run, again], graphs[:5],
        options=LinearizationOptions(permutations=2, strategies=("native",)), device="cpu",
    )  # fmt: skip
    names = [f"{one.folder.parent.name}/run" for one in (run, again)]
    assert [cell.run for cell in both.matrix] == names
    assert [model.run for model in both.models] == names
    assert len({cell.model for cell in both.matrix}) == 2


def test_names_are_no_longer_than_they_must_be(run: Run) -> None:
    def at(*parts: str, root: str | None = None) -> Run:
        folder = Path("/", *parts)
        return dataclasses.replace(run, folder=folder, root=Path(root) if root else folder)

    runs = [
        at("x", "a", "final"), at("x", "b", "final"), at("y", "b", "final"), at("c", "other"),
        at("c", "other", "checkpoint-3", root="/c/other"),
    ]  # fmt: skip
    assert list(run_names(runs).values()) == [
        "a/final", "x/b/final", "y/b/final", "other", "other/checkpoint-3",
    ]  # fmt: skip
    assert list(run_names([runs[0], runs[0]]).values()) == ["final"]


def test_self_assessment_is_of_the_samples(
    run: Run, samples: SampleSet, audit: LinearizationAudit
) -> None:
    own = audit.self_assessment
    assert own is not None
    assert not isinstance(own, Undefined)
    assert own.n == 30
    assert own.nll_generated.value == pytest.approx(np.mean([s.nll for s in samples.samples]))
    assert own.tokens_generated.value == np.mean([len(s.tokens) for s in samples.samples])
    revisits = [
        int((run.linearizer.token_types(s.tokens) == TokenType.REVISIT).sum())
        for s in samples.samples
    ]
    assert own.back_references_generated.value == np.mean(revisits)
    nll, tokens = _reference(run, samples.graphs, "sent:random", 4, seed=1)
    assert own.nll_resampled.value == pytest.approx(nll.mean(), abs=1e-4)
    again = [sum(kind == TokenType.REVISIT for kind, _, _ in row) / 4 for row in tokens]
    assert own.back_references_resampled.value == pytest.approx(np.mean(again))


def test_predictions_and_the_sweep(audit: LinearizationAudit) -> None:
    size, even, everything = audit.predictions
    assert isinstance(everything, Undefined)
    assert "all 30 graphs are good" in everything.reason
    assert not isinstance(size, Undefined)
    assert not isinstance(even, Undefined)
    by_key = {p.key: p for p in size.predictors}
    assert list(by_key) == ["generation_nll", "mean_nll", "lu", "ece", "bound"]
    assert by_key["mean_nll"].auc.value > 0.8  # small graphs are likely ones
    assert by_key["bound"].auc.value > 0.8
    assert (even.n, even.n_good) == (30, 15)
    assert [point.n_permutations for point in size.sweep] == [2, 4]
    assert size.sweep[-1].predictors == size.predictors
    # The sweep's points share their draws: what does not depend on K stays.
    assert size.sweep[0].predictors[0] == size.predictors[0]


def test_galleries_are_the_ends_of_lu(audit: LinearizationAudit) -> None:
    low = [one.lu for one in audit.lowest_lu]
    high = [one.lu for one in audit.highest_lu]
    assert low == sorted(low)
    assert high == sorted(high, reverse=True)
    assert low[-1] <= high[-1]
    assert audit.n_scatter_of == len(audit.scatter) == 30
    assert {one.good for one in audit.scatter} == {True, False}
    assert audit.scatter_target == "few vertices"


def test_the_first_target_marks_the_graphs_whatever_is_kept(
    run: Run, graphs: GraphSet, samples: SampleSet, tmp_path: Path
) -> None:
    options = LinearizationOptions(permutations=2, strategies=("native",), n_test_graphs=2)
    first = {"even": np.arange(30) % 2 == 0, "all": np.ones(30, dtype=bool)}
    second = dict(reversed(first.items()))
    for targets, good in ((first, {True, False}), (second, {True})):
        found = linearization_audit(
            [run],
            graphs,
            options=options,
            samples=samples,
            targets=targets,
            store=CellStore(tmp_path / "cells"),
            device="cpu",
            threads=1,
        )
        assert found.scatter_target == next(iter(targets))
        assert {one.good for one in found.scatter} == good


def test_records_survive_json(audit: LinearizationAudit) -> None:
    import json

    text = json.dumps(encode(audit), allow_nan=False)
    assert decode(LinearizationAudit, json.loads(text), source="here") == audit


def test_finished_cells_are_not_computed_again(
    run: Run, graphs: GraphSet, samples: SampleSet, tmp_path: Path
) -> None:
    options = dataclasses.replace(OPTIONS, strategies=("native", "random", "anchor"))
    first: list[str] = []
    again: list[str] = []
    found = [
        linearization_audit(
            [run],
            graphs,
            options=options,
            samples=samples,
            store=CellStore(tmp_path / "cells"),
            device="cpu",
            threads=1,
            progress=said.append,
        )
        for said in (first, again)
    ]
    assert found[0] == found[1]
    assert any("scoring" in text for text in first)
    assert not any("scoring" in text or "loading" in text for text in again)


def test_a_subset_of_the_test_graphs_is_seeded_and_said(run: Run, graphs: GraphSet) -> None:
    options = LinearizationOptions(permutations=2, n_test_graphs=10, seed=4)
    first, second = (choose_test_graphs(graphs, options) for _ in range(2))
    assert first.sha256() == second.sha256()
    assert len(first) == 10
    audit = linearization_audit([run], graphs, options=options, device="cpu", threads=1)
    assert audit.test_set == "10 of 40 graphs of test, chosen at random (seed 4)"
    assert audit.self_assessment is None
    assert audit.matrix[0].n_graphs == 10


class TestBadInput:
    def test_fewer_than_two_permutations(self, run: Run, graphs: GraphSet) -> None:
        with pytest.raises(InvalidInput, match="at least 2, for a spread, got 1"):
            linearization_audit([run], graphs, options=LinearizationOptions(permutations=1))

    def test_a_run_without_random_linearizations(self, tmp_path: Path, graphs: GraphSet) -> None:
        run = _train(tmp_path, graphs, serialization="dgmg:canonical", context=256, steps=2)
        with pytest.raises(InvalidInput, match="writes each graph in one way"):
            linearization_audit([run], graphs)

    def test_single_linearizations_have_no_lu(self, run: Run) -> None:
        single = GraphSet.from_graphs([Graph("C", []), Graph("CC", [(0, 1, "-")])])
        model = run.llama(device="cpu")
        scores = score_permutations(model, run.linearizer, single, permutations=4)
        cell = strategy_scores(scores, run="run", trained_on="sent:random", training_seed=0, seed=0)
        assert isinstance(cell.lu.value, Undefined)
        assert "single linearization" in cell.lu.value.reason
        assert (cell.lu.n, cell.n_single, cell.n_graphs) == (0, 2, 2)
        assert cell.bound.importance.value == pytest.approx(-cell.nll_per_graph.value)

    def test_a_graph_too_symmetric_to_count_leaves_the_others(
        self, run: Run, graphs: GraphSet, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        pair = GraphSet.from_graphs([Graph("CC", [(0, 1, "-")])])
        all_graphs = concat([pair, graphs.take(np.flatnonzero(graphs.vertex_counts > 2))])
        options = LinearizationOptions(permutations=4, strategies=("native",))

        def ids(found: GraphSet, *, threads: int | None) -> np.ndarray:
            if (found.vertex_counts == 2).any():
                raise BudgetExceeded("too symmetric")
            return class_ids(found, threads=threads)

        def cell_of(found: GraphSet) -> tuple[StrategyScores, tuple[str, ...]]:
            audit = linearization_audit([run], found, options=options, device="cpu", threads=1)
            return audit.matrix[0], audit.notes

        known, _ = cell_of(all_graphs)
        monkeypatch.setattr("graphassay.automorphisms.class_ids", ids)
        cell, notes = cell_of(all_graphs)
        n = len(all_graphs)
        assert (cell.lu, cell.n_single) == (known.lu, known.n_single)  # not 0: it has one order
        assert cell.lu.n < n
        assert cell.bound.importance.n == cell.bound.mean_log_p.n == n - 1
        assert known.bound.importance.n == n
        (note,) = notes
        assert f"the automorphisms of 1 of {n} graphs cost too much to count" in note
        nothing, notes = cell_of(pair)
        assert "automorphisms of none of 1 graphs" in nothing.bound.reason
        assert (nothing.n_single, notes) == (1, ())

    def test_graphs_that_cannot_be_scored_are_counted(self, run: Run, graphs: GraphSet) -> None:
        strange = GraphSet.from_graphs([Graph("X", [])])
        audit = linearization_audit(
            [run],
            concat([graphs.take([0, 1]), strange]),
            options=LinearizationOptions(permutations=2, strategies=("native",)),
            device="cpu",
        )
        (cell,) = audit.matrix
        assert (cell.n_graphs, cell.n_refused) == (2, 1)
        assert "'X'" in audit.notes[0]

    def test_no_graph_scored_is_undefined(self, run: Run) -> None:
        strange = GraphSet.from_graphs([Graph("X", [])])
        options = LinearizationOptions(permutations=2, strategies=("native",))
        (cell,) = linearization_audit([run], strange, options=options, device="cpu").matrix
        assert isinstance(cell.nll_per_token.value, Undefined)
        assert "none of 1 graphs could be scored" in cell.nll_per_token.value.reason

    @pytest.mark.parametrize(
        ("target", "message"),
        [
            (np.ones(7, dtype=bool), "expected 30 booleans, one per sample"),
            (np.ones(30), "got float64"),
            (lambda graphs: np.ones(3, dtype=bool), "one per graph"),
        ],
    )
    def test_targets_that_do_not_fit(
        self, run: Run, graphs: GraphSet, samples: SampleSet, target, message: str
    ) -> None:
        options = LinearizationOptions(permutations=2, strategies=("native",), n_test_graphs=2)
        with pytest.raises(InvalidInput, match=message):
            linearization_audit(
                [run], graphs, options=options, samples=samples, targets={"x": target}, device="cpu"
            )

    def test_what_is_named_must_exist(self, run: Run, graphs: GraphSet) -> None:
        with pytest.raises(InvalidInput, match="assess_only"):
            linearization_audit([run], graphs, assess_only="validity")
        with pytest.raises(InvalidInput, match="unknown linearization"):
            evaluation_strategies(run, ["sideways"])
        with pytest.raises(InvalidInput, match="at least one run"):
            linearization_audit([], graphs)
        with pytest.raises(InvalidInput, match="at least one test graph"):
            linearization_audit([run], GraphSet.from_graphs([]))

    def test_samples_that_are_no_graphs(self, run: Run, graphs: GraphSet) -> None:
        broken = SampleSet(
            (Sample(0, np.array([1, 2], dtype=np.int32), 3.0, ended=True),), run.linearizer
        )
        options = LinearizationOptions(permutations=2, strategies=("native",), n_test_graphs=2)
        audit = linearization_audit([run], graphs, options=options, samples=broken, device="cpu")
        assert audit.self_assessment == Undefined("none of 1 samples is a graph")


def test_a_model_of_dfs_codes(dfs_run: Run, graphs: GraphSet) -> None:
    """Native codes are canonical: no spread there, but over codes of random searches."""
    samples = sample(dfs_run, SampleJob(n=8, seed=0), device="cpu", threads=1)
    options = LinearizationOptions(permutations=4, n_test_graphs=20)
    audit = linearization_audit(
        [dfs_run], graphs, options=options, samples=samples, device="cpu", threads=1
    )
    native, random = audit.matrix
    assert (native.evaluated_on, native.n_permutations) == ("dfs:factored", 1)
    assert isinstance(native.lu.value, Undefined)
    assert "writes each graph in one way" in native.lu.value.reason
    assert isinstance(native.bound, Undefined)
    assert random.evaluated_on == "dfs:factored:random"
    assert random.lu.value > 0
    assert not isinstance(random.bound, Undefined)
    assert audit.self_assessment is not None
    assert not isinstance(audit.self_assessment, Undefined)
    assert audit.self_assessment.lu.value > 0
    assert [one.strategy for one in audit.saturation] == ["dfs:factored:random"]


@pytest.mark.parametrize("strategy", ["sent:random", "sent:anchor"])
def test_saturation_counts_distinct_sequences(strategy: str, graphs: GraphSet) -> None:
    linearizer = linearizer_from_data(strategy, graphs)
    found = saturation(linearizer, graphs, drawn=(1, 3, 8), seed=2)
    texts = [
        [tuple(batch[row]) for row in range(len(batch))]
        for batch in (linearizer.batch(graphs, seed=2, epoch=e) for e in range(8))
    ]
    for k, distinct in zip(found.drawn, found.distinct, strict=True):
        expected = np.mean([len({texts[e][g] for e in range(k)}) for g in range(len(graphs))])
        assert distinct == pytest.approx(expected)
    assert found.n_graphs == 40


def test_saturation_of_no_graph_has_no_points(graphs: GraphSet) -> None:
    linearizer = linearizer_from_data("sent:random", graphs)
    strange = GraphSet.from_graphs([Graph("XX", [(0, 1, "-")])])
    found = saturation(linearizer, strange)
    assert (found.n_graphs, found.drawn, found.distinct) == (0, (), ())


def test_samples_that_cannot_be_linearized_anew(
    tmp_path: Path, run: Run, graphs: GraphSet, samples: SampleSet
) -> None:
    """Minimum codes over tuples: hardly any random code can be written with them."""
    tuples = _train(tmp_path, graphs, serialization="dfs", context=128, steps=1)
    found = linearization_audit(
        [tuples],
        graphs,
        options=LinearizationOptions(permutations=16, n_test_graphs=10),
        samples=sample(tuples, SampleJob(n=4, seed=3), device="cpu", threads=1),
        targets={"x": np.array([True, False, True, False])},
        device="cpu",
        threads=1,
    )
    native, random = found.matrix
    assert native.n_refused == 0
    assert random.n_refused > 0
    assert "DFS tuple" in found.notes[0]
    assert isinstance(found.self_assessment, Undefined)
    assert "can be linearized anew (graph" in found.self_assessment.reason


def test_self_assessment_of_good_samples_only(run: Run, graphs: GraphSet, samples) -> None:
    options = LinearizationOptions(permutations=2, strategies=("native",), n_test_graphs=2)

    def audit_of(good: np.ndarray) -> LinearizationAudit:
        return linearization_audit(
            [run], graphs, options=options, samples=samples, targets={"good": good},
            assess_only="good", device="cpu", threads=1,
        )  # fmt: skip

    few = audit_of(np.arange(30) < 5)
    assert few.self_assessment.n == 5
    assert "5 of 30 scored samples that are good by good" in few.notes[-1].replace("the ", "")
    none = audit_of(np.zeros(30, dtype=bool)).self_assessment
    assert none == Undefined("none of 30 generated graphs is good")
