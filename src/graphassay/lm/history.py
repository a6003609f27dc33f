"""What a run's records say of its weights: which step they are of, tokens seen, validation."""

import json
from pathlib import Path

from graphassay.errors import InvalidRun
from graphassay.lm.run import Run

_HISTORY = "history.json"
_STATE = "trainer_state.json"


def step_of(run: Run) -> int:
    """The optimizer step that the weights are of."""
    if run.folder != run.root:
        return int(run.folder.name.removeprefix("checkpoint-"))
    measured = run.record.measured
    return int(measured.get("final_checkpoint", measured["steps"]))


def checkpoints_until(run: Run) -> list[Run]:
    """The run's checkpoints; of a run that is a checkpoint, those up to it. At least one."""
    found = run.checkpoints()
    if run.folder != run.root:
        found = [one for one in found if step_of(one) <= step_of(run)]
    return found or [run]


def tokens_at(run: Run, step: int, *, mean_tokens: float) -> int:
    """Tokens seen until a step: of a finished run its total in proportion, else an expectation.

    Args:
        run: the run.
        step: the step.
        mean_tokens: predicted tokens in a training sequence, for a run that has not finished.
    """
    measured, config = run.record.measured, run.record.config
    if "tokens" in measured:
        return round(float(measured["tokens"]) * step / float(measured["steps"]))
    processes = int(run.record.versions.get("processes", 1))
    sequences = int(config["batch_size"]) * int(config["accumulation"]) * processes
    return round(step * sequences * mean_tokens)


def valid_nats_per_token(run: Run) -> float | None:
    """Validation NLL at the step of these weights; None when the run did not validate there.

    Raises:
        InvalidRun: its history is damaged.
    """
    step = step_of(run)
    for entry in _history(run):
        if entry.get("step") == step and "eval_nats_per_token" in entry:
            return float(entry["eval_nats_per_token"])
    return None


def _history(run: Run) -> list[dict[str, float]]:
    path = (
        run.root / _HISTORY
    )  # written at the end; until then each checkpoint has the story so far
    if not path.is_file():
        path = run.folder / _STATE
    if not path.is_file():
        return []
    return _entries(path)


def _entries(path: Path) -> list[dict[str, float]]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        entries: list[dict[str, float]] = (
            content if path.name == _HISTORY else content["log_history"]
        )
        return [dict(entry) for entry in entries]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidRun(f"{path}: damaged ({error})") from None
