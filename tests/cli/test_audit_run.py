"""`graphassay audit --run` from the outside: what it needs, prints, keeps and refuses."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from graphassay import cli, io, results
from graphassay.graph import Graph, GraphSet
from lm.tiny import TINY, small_graphs

FAST = ("--bootstraps", 10, "--max-vertices", 4, "-n", 60, "--device", "cpu", "--threads", 1)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data file, two runs that differ in their seed, and runs that cannot be used."""
    import dataclasses

    from graphassay.lm.train import train

    place = tmp_path_factory.mktemp("audit-run")
    io.write(small_graphs(120), place / "graphs.jsonl")
    config = dataclasses.replace(TINY, steps=30, checkpoints=2, log_steps=30, learning_rate=5e-3)
    for seed, name in enumerate(("run", "twin")):
        graphs = io.read(place / "graphs.jsonl")
        settings = config.replace(seed=seed)
        train(graphs, place / name, settings, source=str(place / "graphs.jsonl"), device="cpu")
    shutil.copytree(place / "run", place / "half")
    shutil.rmtree(place / "half" / "checkpoint-30")
    for name in ("half", "empty", "moved", "slower"):
        if name != "half":
            shutil.copytree(place / "run", place / name)
        record = json.loads((place / name / "run.json").read_text())
        if name in ("half", "empty"):
            record["status"] = "training"
            (place / name / "model.safetensors").unlink()
        if name == "empty":
            for step in (15, 30):
                shutil.rmtree(place / name / f"checkpoint-{step}")
        if name == "moved":
            record["data"]["source"] = str(place / "gone.jsonl")
        if name == "slower":
            record["config"] |= {"learning_rate": 1e-4, "seed": 7}
        (place / name / "run.json").write_text(json.dumps(record))
    io.write(GraphSet.from_graphs([Graph("CX", [(0, 1, "-")])] * 60), place / "strange.jsonl")
    (place / "damaged").mkdir()
    (place / "damaged" / "run.json").write_text("{")
    return place


@pytest.fixture
def audit(place: Path, monkeypatch, capsys) -> Callable:
    """Runs the command in this process: exit status, and its two streams as lines."""

    def write(result: results.AuditResult, folder: Path) -> Path:
        (folder / "results.json").write_text(results.dumps(result))
        return folder

    monkeypatch.setattr("graphassay.report.write_report", write)
    monkeypatch.chdir(place)

    def run(*arguments: object) -> tuple[int, str, list[str]]:
        monkeypatch.setattr(sys, "argv", ["graphassay", "audit", *map(str, arguments)])
        status = 0
        try:
            cli.main()
        except SystemExit as stopped:
            status = int(stopped.code or 0)
        done = capsys.readouterr()
        return status, done.out, done.err.splitlines()

    return run


def test_a_run_is_all_it_needs(audit, place: Path, tmp_path: Path) -> None:
    out = tmp_path / "report"
    status, printed, _ = audit("--run", "run", "--out", out, *FAST)
    assert status == 0
    result = results.load(out)
    splits = {role: result.inputs[role].n_graphs for role in ("train", "holdout")}
    assert splits == {"train": 96, "holdout": 24}
    assert result.inputs["generated"].intake.n_records == 60
    assert result.name == "run"
    assert result.options["decoding"] == "both_default"
    assert set(result.provenance.versions) >= {"torch", "transformers"}
    model = result.model
    assert model.summary.n_steps == 30
    assert (model.trajectory, model.sweep, model.training_seeds) == ((), (), None)
    assert "Model: run (sent:random" in printed
    assert "AUC" in printed


def test_everything_at_once(audit, place: Path, tmp_path: Path) -> None:
    out = tmp_path / "report"
    status, printed, err = audit(
        "--run", "run", "--run", "twin", "--out", out, "--trajectory", "--sweep",
        "--decoding-seeds", 2, "--nll-draws", 1, *FAST,
    )  # fmt: skip
    assert status == 0
    model = results.load(out).model
    assert [at.step for at in model.trajectory] == [15, 30]
    assert len(model.sweep) == 6
    assert all(len(one.per_seed) == 2 for one in model.sweep)
    assert len(model.training_seeds.runs) == 2
    assert model.variance["rho"].n_decodings == 6
    for title in ("Step", "Decoding", "Share of variance", "Training seeds"):
        assert title in printed
    # 6 decodings x 2 seeds; 6 at the other checkpoint; 2 of the other run.
    assert any(line.startswith("sampling 20 of 20") for line in err)
    assert any((out / "cells").iterdir())


def test_a_checkpoint_and_given_samples(audit, place: Path, tmp_path: Path) -> None:
    checkpoint = place / "run" / "checkpoint-15"
    status, _, _ = audit("--run", checkpoint, "--out", tmp_path / "a", *FAST)
    assert status == 0
    result = results.load(tmp_path / "a")
    assert result.name == "run-checkpoint-15"
    assert result.model.summary.n_steps == 15

    settings = [option for option in FAST if option not in ("-n", 60)]
    status, _, _ = audit(
        "--run", "moved", "--train", "graphs.jsonl", "--samples", "graphs.jsonl",
        "--out", tmp_path / "b", *settings,
    )  # fmt: skip
    assert status == 0
    given = results.load(tmp_path / "b")
    assert given.inputs["train"].n_graphs == 96  # the run's own graphs at another place: its split
    assert given.inputs["generated"].n_graphs == 120
    assert given.model.hit_miss == results.Undefined("every training graph was reproduced")


def test_other_graphs_as_train_are_said_to_be_others(audit, place: Path, tmp_path: Path) -> None:
    from graphassay.lm.run import load_run

    graphs = io.read(place / "graphs.jsonl")
    own = load_run(place / "run").splits().train
    io.write(graphs.take(own[::-1]), place / "own.jsonl")  # the order says nothing
    io.write(graphs.take(own[:50]), place / "part.jsonl")
    record = json.loads((place / "moved" / "run.json").read_text())
    for name, source in (("old", str(place / "graphs.jsonl")), ("old-moved", "gone.jsonl")):
        shutil.copytree(place / "run", place / name)
        del record["data"]["train_sha256"]  # as runs were before it was kept
        old = record | {"data": record["data"] | {"source": source}}
        record["data"]["train_sha256"] = ""
        (place / name / "run.json").write_text(json.dumps(old))
    settings = ("--samples", "graphs.jsonl", *[o for o in FAST if o not in ("-n", 60)])

    def notes(train: str, run: str) -> list[str]:
        out = tmp_path / f"{run}-{train}"
        status, printed, _ = audit("--run", run, "--train", train, "--out", out, *settings)
        assert status == 0
        result = results.load(out)
        found = [note for note in result.notes if "given as train" in note]
        assert [note for note in result.model.notes if "given as train" in note] == found
        assert list(result.notes[: len(found)]) == found
        assert all(f"note: {note}" in printed for note in found)
        return found

    assert notes("own.jsonl", "run") == notes("own.jsonl", "old") == []
    assert notes("part.jsonl", "run") == [
        "the 50 graphs given as train are not the training graphs of run (96 graphs): hits, misses "
        "and exact matches are about the given graphs, not about what the model was trained on"
    ]
    assert "not the training graphs of old (96 graphs)" in notes("part.jsonl", "old")[0]
    assert "of old-moved is not known" in notes("own.jsonl", "old-moved")[0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--train graphs.jsonl", "expected --generated (or --run)"),
        ("--generated graphs.jsonl --sweep", "expected --train (or --run)"),
        (
            "--train graphs.jsonl --generated graphs.jsonl --sweep",
            "--sweep: asks about a trained model: give --run",
        ),
        (
            "--train graphs.jsonl --generated graphs.jsonl -n 5",
            "-n: asks about a trained model: give --run",
        ),
        ("--run run --samples graphs.jsonl -n 5", "-n: the samples are given"),
        ("--run run --decoding-seeds 1", "--decoding-seeds: expected at least 2, for a spread"),
        ("--run run --decoding beam", "decoding: expected one of both_default"),
        ("--run run --device tpu", "device 'tpu': expected auto or one of cpu"),
        ("--run run --hydrogens explicit-h", "the run was trained with"),
        ("--run absent", "absent: no such run folder"),
        ("--run half", "training has not finished"),
        ("--run empty", "no checkpoint was saved yet"),
        ("--run damaged", "run.json: damaged"),
        ("--run run/checkpoint-7", "no such run folder"),
        ("--run moved", "its graphs are no longer at"),
        ("--run run --train strange.jsonl", "not what that model was trained on"),
        ("--run run --samples strange.jsonl", "vertex label 'X' is not in the vocabulary"),
        ("--run run --samples absent.jsonl", "absent.jsonl"),
        ("--run run --run slower", "slower: differs from run in learning_rate"),
        ("--run run --run run", "2 of the runs have the training seed 0"),
    ],
)
def test_bad_input_is_one_line(
    audit, place: Path, tmp_path: Path, arguments: str, message: str
) -> None:
    status, printed, err = audit(*arguments.split(), "--out", tmp_path / "report")
    said = [line for line in err if line.startswith("graphassay: ")]
    assert status == 2
    assert printed == ""
    assert len(said) == 1
    assert message in said[0]
    assert not (tmp_path / "report").exists()


def test_the_data_of_the_run_changed(audit, place: Path, tmp_path: Path) -> None:
    (place / "gone.jsonl").write_text((place / "graphs.jsonl").read_text().split("\n", 1)[1])
    try:
        status, _, err = audit("--run", "moved", "--out", tmp_path / "report")
    finally:
        (place / "gone.jsonl").unlink()
    assert status == 2
    assert "holds other graphs (119) than those it was trained on (120): give --train" in err[-1]


@pytest.mark.slow
def test_killed_it_goes_on_where_it_was(audit, place: Path, tmp_path: Path, monkeypatch) -> None:
    out = tmp_path / "report"
    command = ["audit", "--run", "run", "--trajectory", "--sweep", "--out", out, *FAST]
    with subprocess.Popen(
        [sys.executable, "-u", "-m", "graphassay", *map(str, command)],
        stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, cwd=place,
    ) as process:  # fmt: skip
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith("sampling 10 of"):
                os.kill(process.pid, signal.SIGKILL)
                break
    assert process.returncode == -signal.SIGKILL
    assert [path.name for path in out.iterdir()] == ["cells"]

    from graphassay.lm import job

    drawn, real = [0], job._draw

    def counting(run, what, indices, **options):
        drawn[0] += len(indices)
        return real(run, what, indices, **options)

    monkeypatch.setattr(job, "_draw", counting)
    status, _, _ = audit(*command[1:])
    assert status == 0
    # Of 12 sets 9 were finished, the audit's own among them; the tenth had begun.
    assert 0 < drawn[0] <= 3 * 60
    resumed = results.load(out)
    monkeypatch.setattr(job, "_draw", real)
    status, _, _ = audit(*[tmp_path / "whole" if part == out else part for part in command[1:]])
    whole = results.load(tmp_path / "whole")
    assert resumed.model == whole.model
    assert resumed.copying == whole.copying
