"""The model's own side of an audit, on tiny runs."""

import dataclasses
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from graphassay import io
from graphassay.assay import hits, sample_sets
from graphassay.assay.hits import hits_of
from graphassay.assay.model_side import Questions, draw_generated, model_diagnostics
from graphassay.assay.run_graphs import (
    SEQUENCES,
    RunGraphs,
    check_labels,
    check_training_seeds,
    read_samples,
    run_data,
    sampled_graphs,
    split_run,
)
from graphassay.assay.sample_sets import Mining, Reference
from graphassay.canonical import canonical_codes
from graphassay.errors import InvalidInput, InvalidRun
from graphassay.graph import Graph, GraphSet
from graphassay.lm.decoding import DECODINGS
from graphassay.metrics.alignment import ALIGNMENT_METRICS, SupportPair
from graphassay.mining import mine
from graphassay.results import Undefined
from graphassay.results.files import decode, encode
from graphassay.results.model import ModelDiagnostics
from lm.tiny import TINY, small_graphs

SMALL = Questions(n=40, nll_draws=2)
MINING = Mining(max_vertices=4)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("data") / "graphs.jsonl"
    small = [Graph("C" * n, [(i, i + 1, "-") for i in range(n - 1)]) for n in (2, 3)] * 15
    io.write(GraphSet.from_graphs([*small_graphs(50), *small]), path)
    return path


@pytest.fixture(scope="module")
def runs(data: Path, tmp_path_factory: pytest.TempPathFactory) -> list:
    """One configuration with two training seeds."""
    from graphassay.lm.train import train

    place = tmp_path_factory.mktemp("runs")
    config = dataclasses.replace(
        TINY, train_share=0.8, valid_share=0.1, learning_rate=5e-3, steps=40, log_steps=20
    )
    graphs = io.read(data)
    return [
        train(graphs, place / name, config.replace(seed=seed), source=str(data), device="cpu").run
        for seed, name in enumerate("ab")
    ]


@pytest.fixture(scope="module")
def graphs(runs: list) -> list[RunGraphs]:
    return [split_run(run, run_data(run, io.read)) for run in runs]


@pytest.fixture(scope="module")
def generated(runs: list) -> GraphSet:
    return draw_generated(runs[0], SMALL, device="cpu")


def ask(runs: list, graphs: list, generated: GraphSet, questions: Questions, **more):
    return model_diagnostics(
        runs, graphs, generated, questions, mining=MINING, device="cpu", threads=1, **more
    )


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """How many samples are drawn, sets mined and graphs scored."""
    counts = {"drawn": 0, "mined": 0, "scored": 0}

    def count(module: object, name: str, key: str, size: Callable[..., int]) -> None:
        real = getattr(module, name)

        def counting(*args, **kwargs):
            counts[key] += size(*args)
            return real(*args, **kwargs)

        monkeypatch.setattr(module, name, counting)

    from graphassay.lm import job

    count(job, "_draw", "drawn", lambda run, job, indices: len(indices))
    count(sample_sets, "mine", "mined", lambda databases, *_: len(databases) - 1)
    count(hits, "score", "scored", lambda model, linearizer, graphs: len(graphs))
    return counts


def test_a_run_knows_its_graphs(runs: list, graphs: list, data: Path) -> None:
    whole, splits = io.read(data), runs[0].splits()
    train, holdout = graphs[0].train, graphs[0].holdout
    assert canonical_codes(train) == canonical_codes(whole.take(splits.train))
    assert len(train) + len(holdout) == len(whole)
    assert "train split of" in train.intake.source
    assert holdout.intake.n_kept == len(splits.valid) + len(splits.test) == len(holdout)


def test_summary_trajectory_and_hits(runs: list, graphs: list, generated: GraphSet) -> None:
    asked = dataclasses.replace(SMALL, trajectory=True)
    model = ask(runs[:1], graphs[:1], generated, asked)
    summary = model.summary
    record = runs[0].record
    assert summary.n_parameters == record.measured["n_parameters"]
    assert (summary.n_steps, summary.n_tokens) == (40, record.measured["tokens"])
    assert summary.valid_nats_per_token == record.measured["valid_nats_per_token"]
    assert [at.step for at in model.trajectory] == [14, 27, 40]
    assert model.trajectory[0].valid_nats_per_token > summary.valid_nats_per_token
    assert model.trajectory[-1].valid_nats_per_token == summary.valid_nats_per_token
    assert model.trajectory[-1].n_tokens == summary.n_tokens
    assert (model.sweep, model.variance, model.training_seeds) == ((), None, None)

    from graphassay.lm.score import score

    train = graphs[0].train
    codes, made = canonical_codes(train), set(canonical_codes(generated))
    first = [codes.index(code) for code in dict.fromkeys(codes)]
    (window,) = score(
        runs[0].llama(device="cpu"), runs[0].linearizer, train.take(first), permutations=2, seed=0
    )
    nll = (window.nll / window.n_tokens).mean(axis=1)
    is_hit = np.array([codes[row] in made for row in first])
    expected = stats.mannwhitneyu(nll[is_hit], nll[~is_hit], alternative="two-sided")
    found = model.hit_miss
    assert (found.n_hits, found.n_misses) == (is_hit.sum(), (~is_hit).sum())
    assert found.u == expected.statistic
    assert found.p == pytest.approx(expected.pvalue)
    assert decode(ModelDiagnostics, encode(model), source="a test") == model


def test_scores_equal_separate_mines(runs: list, graphs: list, generated: GraphSet) -> None:
    train = graphs[0].train
    sets = [generated, train, small_graphs(30, seed=9), train[:0]]
    together = Reference(train, MINING).scores(sets)
    codes = canonical_codes(train)
    for graphs_, scores in zip(sets[:3], together, strict=False):
        own = canonical_codes(graphs_)
        assert scores.exact_match.value == np.mean([code in codes for code in own])
        assert scores.unique.value == len(set(own)) / len(own)
        tables = [mine(s, 0.1, max_vertices=4) for s in (train, graphs_)]
        counts = [dict(zip(t.codes, t.counts[:, 0].tolist(), strict=True)) for t in tables]
        union = sorted(counts[0].keys() | counts[1].keys())
        a, b = (np.array([count.get(code, 0) for code in union]) for count in counts)
        pair = SupportPair(a, b, a > 0, b > 0)
        expected = {name: metric(pair) for name, metric in ALIGNMENT_METRICS.items()}
        assert scores.metrics == pytest.approx(expected)
    nothing = together[3]
    assert nothing.n_records == 0
    assert nothing.metrics["jsd"] == Undefined("no sample is a graph")


def test_failures_count_as_records(runs: list, graphs: list) -> None:
    questions = dataclasses.replace(SMALL, constrained=False, decoding="tp_high")
    drawn = draw_generated(runs[0], questions, device="cpu")
    assert drawn.intake.n_records == 40
    assert 0 < drawn.intake.n_refused < 40
    (scores,) = Reference(graphs[0].train, MINING).scores([drawn])
    assert scores.n_records == 40
    assert scores.failed.value == drawn.intake.n_refused / 40


def test_sweep_variance_and_both_kinds_of_seeds(
    runs: list, graphs: list, generated: GraphSet
) -> None:
    asked = Questions(n=20, nll_draws=1, trajectory=True, sweep=True, decoding_seeds=2)
    model = ask(runs[:2], graphs[:2], generated, asked)
    assert [one.name for one in model.sweep] == list(DECODINGS)
    first = model.sweep[0]
    values = [scores.exact_match.value for scores in first.per_seed]
    assert first.spread["exact_match"].values == tuple(values)
    assert first.spread["exact_match"].mean.value == pytest.approx(np.mean(values))
    assert set(first.spread) == {"exact_match", "unique", "failed", *ALIGNMENT_METRICS}
    # A seed is a stream of its own: the first seed of the sweep is the checkpoint's.
    assert model.trajectory[-1].scores == first.per_seed[0]

    share = model.variance["unique"]
    assert (share.n_checkpoints, share.n_decodings) == (3, 6)
    total = share.checkpoint_variance + share.decoding_variance
    assert share.eta_squared == pytest.approx(share.checkpoint_variance / total)

    seeds = model.training_seeds
    assert [run.seed for run in seeds.runs] == [0, 1]
    assert seeds.spread["exact_match"].values[0] == pytest.approx(np.mean(values))
    own = ask(runs[1:2], graphs[1:2], generated, dataclasses.replace(asked, trajectory=False))
    assert seeds.spread["rho"].values[1] == own.sweep[0].spread["rho"].mean.value
    assert "auc" in seeds.spread


def test_a_checkpoint_is_a_run(runs: list, graphs: list, generated: GraphSet) -> None:
    checkpoint = runs[0].checkpoints()[0]
    asked = dataclasses.replace(SMALL, trajectory=True, sweep=True, n=10)
    model = ask([checkpoint], graphs[:1], generated, asked)
    assert model.summary.n_steps == 14
    assert [at.step for at in model.trajectory] == [14]
    assert "at least 2 checkpoints" in model.variance["rho"].eta_squared.reason
    assert model.summary.valid_nats_per_token == model.trajectory[0].valid_nats_per_token


def test_nothing_finished_is_computed_again(
    runs: list, graphs: list, generated: GraphSet, tmp_path: Path, counted: dict[str, int]
) -> None:
    asked = dataclasses.replace(SMALL, trajectory=True, decoding_seeds=2)
    first = ask(runs[:2], graphs[:2], generated, asked, keep=tmp_path)
    # 3 checkpoints and a further seed of the first run; both seeds of the second.
    assert counted["drawn"] == 6 * 40
    assert counted["mined"] == 6
    assert counted["scored"] > 0
    counted.update(drawn=0, mined=0, scored=0)
    assert ask(runs[:2], graphs[:2], generated, asked, keep=tmp_path) == first
    assert counted == {"drawn": 0, "mined": 0, "scored": 0}
    model_diagnostics(
        runs[:1], graphs[:1], generated, asked, mining=Mining(max_vertices=3), keep=tmp_path
    )  # other patterns of the same samples
    assert counted["drawn"] == 0
    assert counted["mined"] == 4
    assert ask(runs[:2], graphs[:2], generated, asked) == first


def test_the_threads_do_not_matter(runs: list, graphs: list, generated: GraphSet) -> None:
    asked = dataclasses.replace(SMALL, trajectory=True)
    one, two = (
        model_diagnostics(
            runs[:1], graphs[:1], generated, asked, mining=MINING, device="cpu", threads=threads
        )
        for threads in (1, 2)
    )
    assert one == two


@pytest.mark.parametrize("wanted", ["sampling 2 of 3", "mining", "likelihood"])
def test_an_interrupted_study_goes_on(
    runs: list, graphs: list, generated: GraphSet, tmp_path: Path, counted, wanted: str
) -> None:
    def stop(phase: str) -> None:
        if phase.startswith(wanted):
            raise KeyboardInterrupt

    asked = dataclasses.replace(SMALL, trajectory=True)
    with pytest.raises(KeyboardInterrupt):
        ask(runs[:1], graphs[:1], generated, asked, keep=tmp_path, progress=stop)
    drawn = counted["drawn"]
    whole = ask(runs[:1], graphs[:1], generated, asked)
    counted["drawn"] = 0
    assert ask(runs[:1], graphs[:1], generated, asked, keep=tmp_path) == whole
    assert counted["drawn"] == 3 * 40 - drawn


def test_many_training_graphs_are_represented_by_some(
    runs: list, graphs: list, generated: GraphSet
) -> None:
    mining = Mining(max_vertices=3, subsample=10)
    asked = dataclasses.replace(SMALL, trajectory=True)
    model = model_diagnostics(runs[:1], graphs[:1], generated, asked, mining=mining, device="cpu")
    assert max(model.hit_miss.n_hits, model.hit_miss.n_misses) <= 10
    assert any("random subset of 10 of the" in note for note in model.notes)
    assert any("likelihoods are of" in note for note in model.notes)


def test_without_hits_or_misses_the_reason_is_given(runs: list, graphs: list) -> None:
    train = graphs[0].train
    for generated, reason in (
        (GraphSet.from_graphs([Graph("O" * 9)]), "no training graph was reproduced"),
        (train, "every training graph was reproduced"),
    ):
        model = ask(runs[:1], graphs[:1], generated, SMALL)
        assert model.hit_miss == Undefined(reason)


def test_draws_of_a_deterministic_serialization_are_said_to_be_one(
    data: Path, tmp_path: Path
) -> None:
    from graphassay.lm.train import train

    config = dataclasses.replace(
        TINY, serialization="dgmg:canonical", context=256, steps=1, checkpoints=1
    )
    run = train(io.read(data), tmp_path / "run", config, source=str(data), device="cpu").run
    own = [split_run(run, io.read(data))]
    nothing = GraphSet.from_graphs([Graph("O" * 9)])
    for draws, expected in ((4, 1), (None, 0)):
        asked = dataclasses.replace(SMALL, nll_draws=draws)
        notes = ask([run], own, nothing, asked).notes
        assert sum("dgmg:canonical writes each graph in one way" in n for n in notes) == expected


def test_hits_are_classes_of_train() -> None:
    ab, ba, c = Graph("AB", [(0, 1, "-")]), Graph("BA", [(0, 1, "-")]), Graph("C")
    rows, is_hit = hits_of(GraphSet.from_graphs([c, ab, ba, c]), GraphSet.from_graphs([ba, ba]))
    assert rows.tolist() == [0, 1]
    assert is_hit.tolist() == [False, True]


def test_the_data_of_a_run_gone_or_changed(runs: list, data: Path, tmp_path: Path) -> None:
    run = runs[0]

    def elsewhere(source: str):
        record = dataclasses.replace(run.record, data={**run.record.data, "source": source})
        return dataclasses.replace(run, record=record)

    with pytest.raises(InvalidRun, match=r"no longer at .*absent.*: give --train"):
        run_data(elsewhere(str(tmp_path / "absent.smi")), io.read)
    with pytest.raises(InvalidRun, match=r"does not say where .*: give --train"):
        run_data(elsewhere(""), io.read)
    changed = tmp_path / "changed.jsonl"
    io.write(io.read(data)[1:], changed)
    with pytest.raises(InvalidRun, match=r"holds other graphs \(79\).*\(80\): give --train"):
        run_data(elsewhere(str(changed)), io.read)
    with pytest.raises(InvalidRun, match="was trained on other graphs"):
        split_run(run, io.read(changed))


def test_runs_of_a_comparison_differ_in_their_seed_alone(runs: list) -> None:
    check_training_seeds(runs)
    record = runs[1].record
    for change, message in (
        ({"config": {**record.config, "batch_size": 9}}, r"b: differs .* batch_size \(8 against 9"),
        ({"data": {**record.data, "sha256": "0"}}, "b: differs from .* in data"),
    ):
        other = dataclasses.replace(runs[1], record=dataclasses.replace(record, **change))
        with pytest.raises(InvalidRun, match=message):
            check_training_seeds([runs[0], other])
    with pytest.raises(InvalidRun, match="2 of the runs have the training seed 0"):
        check_training_seeds([runs[0], runs[0]])


def test_samples_from_files(runs: list, tmp_path: Path) -> None:
    from graphassay.lm.job import SampleJob, sample
    from graphassay.lm.output import write_graphs, write_sequences

    run, job = runs[0], SampleJob(n=12, constrained=False, seed=4)
    drawn = sample(run, job, device="cpu")
    out = tmp_path / "gen.jsonl"
    write_graphs(drawn, out)
    write_sequences(drawn, tmp_path / f"gen.jsonl{SEQUENCES}", run, job)
    expected = sampled_graphs(drawn, "here")
    for place in (tmp_path, tmp_path / f"gen.jsonl{SEQUENCES}", out):
        found = read_samples(run, place, io.read)
        assert canonical_codes(found) == canonical_codes(expected)
        assert (found.intake.n_records, found.intake.n_kept) == (12, len(expected))
    for place in (tmp_path, out):
        with pytest.raises(InvalidInput, match="drawn from other weights"):
            read_samples(runs[1], place, io.read)
    (tmp_path / f"more{SEQUENCES}").write_bytes(b"")
    with pytest.raises(InvalidInput, match="holds 2 sample sets"):
        read_samples(run, tmp_path, io.read)
    with pytest.raises(InvalidInput, match="not a Parquet file"):
        read_samples(run, tmp_path / f"more{SEQUENCES}", io.read)


def test_samples_of_another_vocabulary(runs: list, tmp_path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    strange = tmp_path / "strange.jsonl"
    io.write(GraphSet.from_graphs([Graph("CX", [(0, 1, "-")])]), strange)
    with pytest.raises(InvalidInput, match=r"vertex label 'X' is not in the vocabulary .* samples"):
        read_samples(runs[0], strange, io.read)
    with pytest.raises(InvalidInput, match="edge label '~' is not in the vocabulary"):
        check_labels(runs[0], GraphSet.from_graphs([Graph("CC", [(0, 1, "~")])]), "memory")
    for column, message in (("tokens", "token 'QQ' is not in"), ("words", "no column tokens")):
        path = tmp_path / f"{column}{SEQUENCES}"
        parquet.write_table(pa.table({column: ["<bos> QQ <eos>"]}), path)
        with pytest.raises(InvalidInput, match=message):
            read_samples(runs[0], path, io.read)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"decoding": "beam"}, "decoding: expected one of both_default"),
        ({"n": 0}, "n: expected at least 1, got 0"),
        ({"decoding_seeds": 0}, "decoding_seeds: expected at least 1"),
        ({"nll_draws": 0}, "nll_draws: expected at least 1"),
    ],
)
def test_questions_out_of_range(options: dict, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        Questions(**options)
