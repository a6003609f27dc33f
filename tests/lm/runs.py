"""Runs that crash, and runs that must be equal."""

from pathlib import Path

import torch
from safetensors.torch import load_file

from graphassay.lm.trainer import TrainProgress


def weights(folder: Path) -> dict[str, torch.Tensor]:
    """The tensors of a model folder."""
    return load_file(folder / "model.safetensors")


def assert_equal_weights(a: Path, b: Path) -> None:
    """That two model folders hold the same numbers, bit for bit."""
    left, right = weights(a), weights(b)
    assert left.keys() == right.keys()
    for name, tensor in left.items():
        assert torch.equal(tensor, right[name]), name


class Crash(Exception):
    """What the tests throw into a training run."""


def crash_at(step: int):
    """A ``progress`` for `train` that ends it like a crash, from a step on."""

    def progress(at: TrainProgress) -> None:
        if at.step >= step and at.loss is not None:
            raise Crash

    return progress
