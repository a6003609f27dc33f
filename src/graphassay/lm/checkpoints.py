"""Checkpoints without pickles, written in one go, from which a killed run goes on exactly.

A checkpoint folder is a Hugging Face model, with ``trainer_state.json`` beside it. The newest one
also holds the optimizer (``optimizer.safetensors``, ``state.json``). Random numbers need no saving:
each step draws from a generator seeded by (seed, step, process).
"""

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file

from graphassay.errors import InvalidRun, UnwritableOutput
from graphassay.lm.run import checkpoint_folders, write_text

OPTIMIZER = "optimizer.safetensors"
STATE = "state.json"
TRAINER_STATE = "trainer_state.json"

_MODEL_FILES = ("config.json", "generation_config.json", "token*.json", "special_tokens*.json")
_WEIGHT_FILES = ("model*.safetensors", "model*.safetensors.index.json")


def save_optimizer(folder: Path, optimizer: dict[str, Any], state: dict[str, Any]) -> None:
    """Write an optimizer's ``state_dict`` as tensors and JSON, with other plain ``state``."""
    tensors: dict[str, torch.Tensor] = {}
    scalars: dict[str, Any] = {}
    for index, values in optimizer["state"].items():
        for name, value in values.items():
            if isinstance(value, torch.Tensor):
                tensors[f"{index}.{name}"] = value.detach().contiguous().clone()
            else:
                scalars[f"{index}.{name}"] = value
    save_file(tensors, folder / OPTIMIZER)
    content = {"param_groups": optimizer["param_groups"], "scalars": scalars, **state}
    write_text(folder / STATE, json.dumps(content))


def load_optimizer(folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The optimizer's ``state_dict`` and the other state that `save_optimizer` wrote.

    Raises:
        InvalidRun: when the files are damaged.
    """
    try:
        content = json.loads((folder / STATE).read_text(encoding="utf-8"))
        values: dict[int, dict[str, Any]] = {}
        with safe_open(folder / OPTIMIZER, framework="pt") as file:
            for key in file.keys():  # noqa: SIM118 (not a mapping)
                index, name = key.split(".", 1)
                values.setdefault(int(index), {})[name] = file.get_tensor(key)
        for key, value in content.pop("scalars").items():
            index, name = key.split(".", 1)
            values.setdefault(int(index), {})[name] = value
        return {"state": values, "param_groups": content.pop("param_groups")}, content
    except (OSError, ValueError, KeyError, TypeError, AttributeError, SafetensorError) as error:
        raise _damaged(folder, error) from None


def check(folder: Path, shapes: Mapping[str, Sequence[int]]) -> None:
    """Refuse a checkpoint that training cannot go on from, before anything is loaded.

    Args:
        folder: the checkpoint.
        shapes: of each weight of the model.

    Raises:
        InvalidRun: a file is damaged, or the weights or the step are not those of the run.
    """
    try:
        with safe_open(folder / "model.safetensors", framework="pt") as file:
            found = {name: file.get_slice(name).get_shape() for name in file.keys()}  # noqa: SIM118
        step = json.loads((folder / TRAINER_STATE).read_text(encoding="utf-8"))["global_step"]
    except (OSError, ValueError, KeyError, TypeError, SafetensorError) as error:
        raise _damaged(folder, error) from None
    if folder.name != f"checkpoint-{step}":
        raise _damaged(folder, f"{TRAINER_STATE} is of step {step}")
    asked = {name: list(shape) for name, shape in shapes.items()}
    # Other optimizers' own formats may shard the weights: not ours to judge.
    if found != asked and (folder / STATE).is_file():
        name = min(n for n in found | asked if found.get(n) != asked.get(n))
        raise _damaged(folder, f"weights of another shape: {name}")


def _damaged(folder: Path, error: Exception | str) -> InvalidRun:
    return InvalidRun(
        f"{folder}: damaged checkpoint ({error}); no earlier one holds an optimizer to go on with: "
        "train anew into another folder"
    )


def newest_resumable(root: Path) -> tuple[int, Path] | None:
    """The newest checkpoint that training can go on from, or None."""
    found = [(s, p) for s, p in checkpoint_folders(root) if (p / STATE).is_file()]
    # Other optimizers' own formats (DeepSpeed, FSDP) have no state.json; trust their newest.
    found = found or [(s, p) for s, p in checkpoint_folders(root) if (p / TRAINER_STATE).is_file()]
    return found[-1] if found else None


def prune(root: Path, keep: set[int]) -> None:
    """Drop what a newer checkpoint made useless: old optimizers, resume points not in ``keep``."""
    *older, _ = checkpoint_folders(root)
    for step, folder in older:
        if step in keep:
            (folder / STATE).unlink(missing_ok=True)
            (folder / OPTIMIZER).unlink(missing_ok=True)
        else:
            # Renamed first: a half-deleted folder must not look like a checkpoint.
            doomed = folder.with_name(f".{folder.name}.old")
            folder.rename(doomed)
            shutil.rmtree(doomed)


def clean(root: Path) -> None:
    """Remove what a killed process left half-written or half-deleted."""
    for pattern in (".checkpoint-*.partial", ".checkpoint-*.old"):
        for folder in root.glob(pattern):
            shutil.rmtree(folder)


def export(checkpoint: Path, root: Path) -> None:
    """Copy a checkpoint's model into the run folder itself; the weights appear last, at once."""
    for patterns in (_MODEL_FILES, _WEIGHT_FILES):
        for pattern in patterns:
            for source in sorted(checkpoint.glob(pattern)):
                partial = root / f".{source.name}.partial"
                shutil.copyfile(source, partial)
                partial.replace(root / source.name)


def cannot_save(
    root: Path, error: Exception, what: Literal["a checkpoint", "the training log"] = "a checkpoint"
) -> UnwritableOutput:
    """The error to raise when part of a run could not be written."""
    saved = checkpoint_folders(root)
    kept = f"{saved[-1][1].name} is intact" if saved else "no earlier checkpoint exists"
    reason = str(getattr(error, "strerror", None) or error)
    return UnwritableOutput(
        f"{root}: cannot save {what} ({reason}); {kept}: make room and start the same "
        "command again to go on"
    )
