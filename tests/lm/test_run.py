"""A run folder that was damaged or put together of two is refused in one line that says where."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from graphassay.errors import InvalidRun
from graphassay.lm.run import Run, load_run


@pytest.fixture
def copy(run: Run, tmp_path: Path) -> Path:
    return Path(shutil.copytree(run.root, tmp_path / "copy"))


def edit(path: Path, **values: object) -> None:
    """Change names of a JSON file."""
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


def edit_weights(folder: Path, change: Callable[[dict[str, torch.Tensor]], Any]) -> None:
    tensors = load_file(folder / "model.safetensors")
    change(tensors)
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"num_hidden_layers": 3}, r"missing model\.layers\.2\.input_layernorm\.weight and 8 more"),
        ({"num_hidden_layers": 1}, r"unexpected model\.layers\.1\.input_layern.* and 8 more"),
        (
            {"intermediate_size": 80},
            r"model\.layers\.0\.mlp\.down.* is 32 x 64, expected 32 x 80 and 5 more",
        ),
        ({"hidden_size": 64}, r"lm_head\.weight is 21 x 32, expected 21 x 64 and \d+ more"),
        ({"vocab_size": 50}, r"lm_head\.weight is 21 x 32, expected 50 x 32 and 1 more"),
    ],
)
def test_weights_that_do_not_fit_their_config(
    copy: Path, config: dict[str, int], message: str
) -> None:
    edit(copy / "config.json", **config)
    with pytest.raises(InvalidRun, match=f"copy: config.json and .* do not fit \\({message}\\)"):
        load_run(copy).llama(device="cpu")


@pytest.mark.parametrize(
    "config", [{"num_hidden_layers": -1}, {"hidden_size": -8}, {"hidden_size": "32"}]
)
def test_a_config_that_makes_no_model(copy: Path, config: dict[str, object]) -> None:
    edit(copy / "config.json", **config)
    with pytest.raises(InvalidRun, match="copy: "):
        load_run(copy).llama(device="cpu")


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_weight_that_is_not_a_number(copy: Path, value: float) -> None:
    name = "model.layers.1.mlp.up_proj.weight"
    edit_weights(copy, lambda tensors: tensors[name].view(-1)[5:6].fill_(value))
    with pytest.raises(InvalidRun, match=rf"copy: a weight is not a number: {name}$"):
        load_run(copy).llama(device="cpu")
