"""A run folder that was damaged or put together of two is refused in one line that says where."""

import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from graphassay.errors import InvalidRun
from graphassay.lm.run import Run, RunRecord, load_run


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


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"data": None}, "data: expected an object, got NoneType"),
        ({"config": []}, "config: expected an object, got list"),
        ({"versions": "1"}, "versions: expected an object, got str"),
        ({"measured": 3}, "measured: expected an object, got int"),
        ({"config": {}}, "config: expected one budget"),
        ({"config": {"steps": 5, "learning_rate": "high"}}, "config: learning_rate: expected"),
        ({"config": {"steps": 5, "speed": 1}}, "config: unknown option 'speed'"),
        ({"data": {"sha256": "0", "source": ""}}, "data: no n_graphs"),
        ({"measured": {"context": 32, "n_steps": 6}}, "measured: no steps"),
        ({"status": "training", "measured": {"n_steps": 6}}, "measured: no context"),
        ({"status": "done"}, "status: expected training or complete, got 'done'"),
    ],
)
def test_a_record_that_lacks_what_it_must_hold(
    copy: Path, change: dict[str, object], message: str
) -> None:
    edit(copy / "run.json", **change)
    with pytest.raises(InvalidRun, match=rf"run\.json: damaged \({message}"):
        RunRecord.read(copy)


def test_a_record_that_lacks_an_option_has_its_default(copy: Path, run: Run) -> None:
    config = {k: v for k, v in run.record.config.items() if k != "early_stopping"}
    edit(copy / "run.json", config=config)
    assert RunRecord.read(copy).config == run.record.config


def test_a_record_that_cannot_be_read(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> str:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_text", refuse)
    with pytest.raises(InvalidRun, match=r"run\.json: cannot be read \(Permission denied\)"):
        load_run(copy)


@pytest.mark.parametrize("name", ["splits.safetensors", "model.safetensors", "linearizer.json"])
def test_a_file_that_may_not_be_read(
    copy: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of which safetensors says that it does not exist."""
    real = io.open

    def refuse(path: str | Path, *arguments: Any, **options: Any) -> Any:
        if Path(path).name == name:
            raise PermissionError(13, "Permission denied", str(path))
        return real(path, *arguments, **options)

    monkeypatch.setattr(io, "open", refuse)
    message = r"cannot be read \(.*Permission denied[^;]*$"
    with pytest.raises(InvalidRun, match=message):  # noqa: PT012
        opened = load_run(copy)
        opened.splits()
        opened.llama(device="cpu")


class TestBrokenFolders:
    """Each way a run folder can be wrong has its own line."""

    def test_missing(self, tmp_path: Path) -> None:
        with pytest.raises(InvalidRun, match="no such run folder"):
            load_run(tmp_path / "absent")
        with pytest.raises(InvalidRun, match=r"not a run of `graphassay train` \(no run.json"):
            load_run(tmp_path)

    def test_another_version(self, copy: Path) -> None:
        text = (copy / "run.json").read_text().replace('"version": 1', '"version": 7')
        (copy / "run.json").write_text(text)
        with pytest.raises(InvalidRun, match="expected version 1, got 7"):
            load_run(copy)

    @pytest.mark.parametrize("content", ["{", "[]", '{"format": "graphassay-run"}'])
    def test_damaged_record(self, copy: Path, content: str) -> None:
        (copy / "run.json").write_text(content)
        with pytest.raises(InvalidRun, match="damaged"):
            load_run(copy)

    def test_no_weights(self, copy: Path) -> None:
        (copy / "model.safetensors").unlink()
        with pytest.raises(InvalidRun, match="training has not finished"):
            load_run(copy)

    def test_damaged_weights(self, copy: Path) -> None:
        half = (copy / "model.safetensors").read_bytes()[:5000]
        (copy / "model.safetensors").write_bytes(half)
        with pytest.raises(InvalidRun, match="the weights cannot be read"):
            load_run(copy).llama(device="cpu")

    def test_damaged_linearizer(self, copy: Path) -> None:
        (copy / "linearizer.json").write_text("{}")
        with pytest.raises(InvalidRun, match=r"linearizer.json: damaged"):
            load_run(copy)

    def test_a_tokenizer_of_another_run(self, copy: Path) -> None:
        path = copy / "tokenizer.json"
        path.write_text(path.read_text().replace('"e:-"', '"e:#"'))
        with pytest.raises(InvalidRun, match="not of one run"):
            load_run(copy)

    def test_weights_of_another_run(self, copy: Path) -> None:
        config = json.loads((copy / "config.json").read_text())
        config["vocab_size"] += 1
        (copy / "config.json").write_text(json.dumps(config))
        tensors = load_file(copy / "model.safetensors")
        for name in ("lm_head.weight", "model.embed_tokens.weight"):
            tensors[name] = torch.cat([tensors[name], tensors[name][:1]])
        save_file(tensors, copy / "model.safetensors", metadata={"format": "pt"})
        with pytest.raises(InvalidRun, match="they are not of one run"):
            load_run(copy).llama(device="cpu")

    def test_half_written_record_is_never_seen(self, copy: Path) -> None:
        record = RunRecord.read(copy)
        record.write(copy)
        assert RunRecord.read(copy) == record
        assert not list(copy.glob(".*"))
