"""`graphassay audit --run RUN --linearization` from the outside."""

import dataclasses
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from graphassay import cli, io, results
from graphassay.results import Undefined
from lm.tiny import TINY, small_graphs

FAST = (
    "--bootstraps", 5, "--max-vertices", 3, "--device", "cpu", "--threads", 1,
    "--linearization", "--permutations", 4,
)  # fmt: skip


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs of different strategies on one file, one without random linearizations."""
    from graphassay.lm.train import train

    place = tmp_path_factory.mktemp("audit-linearization")
    io.write(small_graphs(60), place / "graphs.jsonl")
    graphs = io.read(place / "graphs.jsonl")
    for name, changes in {
        "run": {},
        "anchor": {"serialization": "sent:anchor"},
        "dgmg": {"serialization": "dgmg:canonical", "context": 256},
    }.items():
        config = dataclasses.replace(TINY, steps=10, checkpoints=1, **changes)
        source = str(place / "graphs.jsonl")
        train(graphs, place / name, config, source=source, device="cpu")
    rows = ["sample,good", *(f"{i},{'yes' if i % 3 else 'no'}" for i in range(20))]
    (place / "labels.csv").write_text("\n".join(rows) + "\n")
    (place / "odd.csv").write_text("good\n" + "maybe\n" * 30)
    return place


@pytest.fixture
def call(place: Path, monkeypatch, capsys) -> Callable:
    """Runs a command in this process: exit status, stdout, lines of stderr."""

    def write(result: results.AuditResult, folder: Path) -> Path:
        (folder / "results.json").write_text(results.dumps(result))
        return folder

    monkeypatch.setattr("graphassay.report.write_report", write)
    monkeypatch.chdir(place)

    def run(*arguments: object) -> tuple[int, str, list[str]]:
        monkeypatch.setattr(sys, "argv", ["graphassay", *map(str, arguments)])
        status = 0
        try:
            cli.main()
        except SystemExit as stopped:
            status = int(stopped.code or 0)
        done = capsys.readouterr()
        return status, done.out, done.err.splitlines()

    return run


def test_a_matrix_of_runs_with_samples_and_a_target(call, place: Path, tmp_path: Path) -> None:
    command = (
        "audit", "--run", "run", "-n", 20, "--out", tmp_path / "a", *FAST,
        "--strategies", "native,random", "--matrix-run", "anchor", "--target", "labels.csv:good",
    )  # fmt: skip
    status, printed, said = call(*command)
    assert status == 0, said
    result = results.load(tmp_path / "a")
    audit = result.linearization
    assert audit.models[0] == result.model.summary
    cells = [(cell.run, cell.evaluated_on) for cell in audit.matrix]
    assert cells == [
        ("run", "sent:random"), ("anchor", "sent:anchor"), ("anchor", "sent:random"),
    ]  # fmt: skip
    assert audit.test_set == "12 graphs of the valid and test split of run"
    assert audit.self_assessment.n == 20
    (prediction,) = audit.predictions
    assert (prediction.target, prediction.n, prediction.n_good) == ("good", 20, 13)
    assert [point.n_permutations for point in prediction.sweep] == [2, 4]
    for text in ("NLL/token", "Linearized anew", "AUC for good (13 of 20 good)", "K 4"):
        assert text in printed
    # Of the good ones only; every cell of the matrix is kept.
    status, printed, said = call(*command, "--force", "--assess-only", "good")
    assert status == 0
    assert not any(line.startswith("scoring run") for line in said)
    good = results.load(tmp_path / "a")
    assert good.linearization.self_assessment.n == 13
    assert good.options["assess_only"] == "good"
    assert "over the 13 of 20 scored samples that are good by good" in " ".join(printed.split())
    # Again: every cell is kept.
    status, _, said = call(*command, "--force")
    assert status == 0
    assert not any(line.startswith("scoring run") for line in said)
    again = results.load(tmp_path / "a").linearization
    assert again == audit


def test_given_samples_need_their_sequences(call, place: Path, tmp_path: Path) -> None:
    assert call("sample", "run", "-n", 15, "--out", "gen.jsonl", "--device", "cpu")[0] == 0
    (place / "bare.jsonl").write_text((place / "gen.jsonl").read_text())
    for name in ("gen", "bare"):
        out = tmp_path / name
        command = ("audit", "--run", "run", "--samples", f"{name}.jsonl", "--test-graphs", 5)
        assert call(*command, "--out", out, *FAST)[0] == 0
    own = results.load(tmp_path / "gen").linearization
    assert own.self_assessment.n == 15
    assert own.test_set.startswith("5 of 12 graphs")
    import pyarrow.parquet as pq

    nll = pq.read_table(place / "gen.jsonl.samples.parquet")["nll_nats"].to_pylist()
    assert own.self_assessment.nll_generated.value == pytest.approx(np.mean(nll))
    bare = results.load(tmp_path / "bare").linearization
    assert bare.self_assessment is None
    assert "come without their token sequences" in bare.notes[0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--run run --permutations 1", "--permutations: expected at least 2, for a spread, got 1"),
        ("--run dgmg", "writes each graph in one way"),
        ("--run run --strategies sideways", "unknown linearization 'sent:sideways'"),
        ("--run run --test-graphs 0", "n_test_graphs: expected at least 1, got 0"),
        ("--train graphs.jsonl --generated graphs.jsonl", "--linearization: asks about a trained"),
        ("--run run --matrix-run absent", "absent: no such run folder"),
        ("--run run --strategies ,", "--strategies: expected names (native, random, …, or all)"),
        ("--run run --target labels.csv", "--target: expected FILE:COLUMN, got 'labels.csv'"),
        ("--run run --target labels.csv:bad", "no column 'bad'; the columns are: sample, good"),
        ("--run run -n 30 --target odd.csv:good", "row 1 of column good: expected true or false"),
        ("--run run --target absent.csv:good", "absent.csv: cannot read this table"),
        (
            "--run run -n 30 --target labels.csv:good",
            "has 20 rows; expected one per sample, failures included: 30",
        ),
        (
            "--run run --target labels.csv:good --target odd.csv:good",
            "--target: two columns are called 'good' (labels.csv:good, odd.csv:good)",
        ),
        (
            "--run run --samples graphs.jsonl --target labels.csv:good",
            "--target: graphs.jsonl comes without its token sequences",
        ),
        ("--run run --assess-only good", "assess_only: expected one of the targets (none given)"),
        (
            "--run run --samples graphs.jsonl --assess-only good",
            "--assess-only: graphs.jsonl comes without its token sequences",
        ),
    ],
)
def test_bad_input_is_one_line(call, tmp_path: Path, arguments: str, message: str) -> None:
    options = [*FAST[:4], "--linearization"]
    status, _, said = call("audit", *arguments.split(), "--out", tmp_path / "r", *options)
    ours = [line for line in said if line.startswith("graphassay: ")]
    assert status == 2
    assert len(ours) == 1
    assert message in ours[0]
    assert not (tmp_path / "r").exists()  # said before anything is sampled and kept


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("labels.csv", "expected FILE:COLUMN"),
        ("labels.csv:bad", "no column 'bad'; the columns are: sample, good"),
        ("odd.csv:good", "row 1 of column good: expected true or false"),
        ("absent.csv:good", "absent.csv: cannot read this table"),
        ("labels.csv:good", "has 20 rows; expected one per sample, failures included: 30"),
    ],
)
def test_targets_that_do_not_fit(place: Path, monkeypatch, target: str, message: str) -> None:
    from graphassay.assay.targets import read_target
    from graphassay.errors import InvalidInput

    monkeypatch.chdir(place)
    with pytest.raises(InvalidInput, match=message):
        read_target(target, n_samples=30)


def test_targets_from_parquet(tmp_path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    from graphassay.assay.targets import read_target

    parquet.write_table(pa.table({"ok": [True, False, True]}), tmp_path / "t.parquet")
    name, good = read_target(f"{tmp_path / 't.parquet'}:ok", n_samples=3)
    assert (name, good.tolist()) == ("ok", [True, False, True])


@pytest.mark.parametrize(
    "option", [("--permutations", 4), ("--assess-only", "good"), ("--precision", "bf16")]
)
def test_options_without_linearization_are_refused(call, tmp_path: Path, option: tuple) -> None:
    status, _, said = call("audit", "--run", "run", *option, "--out", tmp_path / "r")
    assert status == 2
    assert f"{option[0]}: belongs to --linearization" in said[-1]


def test_the_matrix_in_bf16(call, tmp_path: Path) -> None:
    command = ("audit", "--run", "run", "-n", 5, "--test-graphs", 3, "--precision", "bf16")
    status, _, said = call(*command, "--out", tmp_path / "r", *FAST)
    assert status == 0, said
    found = results.load(tmp_path / "r")
    assert found.options["precision"] == "bf16"
    assert found.linearization.matrix[0].n_graphs == 3


def test_a_run_that_held_nothing_back(call, place: Path, tmp_path: Path) -> None:
    from graphassay.lm.train import train

    config = dataclasses.replace(TINY, steps=1, checkpoints=1, valid_share=0.0, train_share=1.0)
    train(
        io.read(place / "graphs.jsonl"),
        place / "whole",
        config,
        source=str(place / "graphs.jsonl"),
        device="cpu",
    )
    status, _, said = call("audit", "--run", "whole", "--out", tmp_path / "r", *FAST)
    assert status == 2
    assert "held no graphs back" in said[-1]


def test_undefined_is_a_reason(call, place: Path, tmp_path: Path) -> None:
    (place / "all.csv").write_text("fine\n" + "true\n" * 20)
    status, printed, _ = call(
        "audit", "--run", "run", "-n", 20, "--out", tmp_path / "r", *FAST,
        "--target", "all.csv:fine", "--test-graphs", 3,
    )  # fmt: skip
    assert status == 0
    (prediction,) = results.load(tmp_path / "r").linearization.predictions
    assert isinstance(prediction, Undefined)
    assert "fine: all 20 graphs are good" in printed
