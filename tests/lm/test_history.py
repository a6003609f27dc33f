"""What a run's records say of its weights."""

import dataclasses
import shutil
from pathlib import Path

import pytest

from graphassay.errors import InvalidRun
from graphassay.lm.history import checkpoints_until, step_of, tokens_at, valid_nats_per_token
from graphassay.lm.run import Run, load_run


@pytest.fixture
def copy(run: Run, tmp_path: Path) -> Path:
    """The run, to be damaged."""
    return Path(shutil.copytree(run.root, tmp_path / "run"))


def test_steps_and_checkpoints(run: Run) -> None:
    first, second, last = run.checkpoints()
    assert [step_of(one) for one in (first, second, last, run)] == [2, 4, 6, 6]
    assert [step_of(one) for one in checkpoints_until(run)] == [2, 4, 6]
    assert [step_of(one) for one in checkpoints_until(second)] == [2, 4]


def test_without_checkpoints_the_run_is_its_own(copy: Path) -> None:
    for step in (2, 4, 6):
        shutil.rmtree(copy / f"checkpoint-{step}")
    run = load_run(copy)
    assert checkpoints_until(run) == [run]
    assert step_of(run) == 6


def test_validation_is_that_of_the_step(run: Run) -> None:
    values = [valid_nats_per_token(one) for one in run.checkpoints()]
    assert len(set(values)) == 3
    assert values[-1] == run.record.measured["valid_nats_per_token"] == valid_nats_per_token(run)


def test_a_run_that_has_not_finished_knows_it_too(run: Run, copy: Path) -> None:
    (copy / "history.json").unlink()
    measured = {name: run.record.measured[name] for name in ("context", "n_steps")}
    record = dataclasses.replace(run.record, status="training", measured=measured)
    record.write(copy)
    checkpoint = load_run(copy / "checkpoint-4")
    assert valid_nats_per_token(checkpoint) == valid_nats_per_token(run.checkpoints()[1])
    assert tokens_at(checkpoint, 4, mean_tokens=10.5) == 4 * 8 * 10.5
    (copy / "checkpoint-4" / "trainer_state.json").unlink()
    assert valid_nats_per_token(checkpoint) is None


def test_tokens_of_a_finished_run_are_in_proportion(run: Run) -> None:
    total = run.record.measured["tokens"]
    assert tokens_at(run, 6, mean_tokens=0.0) == total
    assert tokens_at(run, 3, mean_tokens=0.0) == round(total / 2)


@pytest.mark.parametrize("text", ["", "{", "[3]", "null"])
def test_a_damaged_history_is_said(copy: Path, text: str) -> None:
    (copy / "history.json").write_text(text)
    with pytest.raises(InvalidRun, match=r"history\.json: damaged"):
        valid_nats_per_token(load_run(copy))
