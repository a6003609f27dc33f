"""Training that cannot go on: one line each, nothing lost, nothing half-made taken for whole."""

import importlib.util
import json
import math
import resource
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file

from graphassay.errors import (
    InvalidInput,
    InvalidRun,
    MissingDependency,
    TrainingDiverged,
    UnreadableFile,
    UnwritableOutput,
)
from graphassay.graph import GraphSet
from graphassay.lm import hugging_face, trainer
from graphassay.lm.run import Run, RunRecord, checkpoint_folders
from graphassay.lm.train import train
from lm.runs import Crash, assert_equal_weights, crash_at, weights
from lm.tiny import TINY, small_graphs


def test_a_nan_loss_stops_and_keeps_the_last_good_checkpoint(
    graphs: GraphSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = trainer.GraphTrainer.compute_loss

    def poisoned(self, *args, **kwargs):
        loss = real(self, *args, **kwargs)
        return loss * float("nan") if self.state.global_step == 4 else loss

    monkeypatch.setattr(trainer.GraphTrainer, "compute_loss", poisoned)
    with pytest.raises(TrainingDiverged, match=r"at step 5: the loss is nan; .*checkpoint-4 is"):
        train(graphs, tmp_path / "r", TINY, device="cpu")
    assert all(bool(t.isfinite().all()) for t in weights(tmp_path / "r/checkpoint-4").values())


def test_weights_that_are_not_finite_are_never_saved(
    graphs: GraphSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = trainer._Schedule.on_step_end

    def poison(self, args, state, control, **options):
        if state.global_step == 4:
            with torch.no_grad():
                options["model"].lm_head.weight[0, 0] = float("inf")
        real(self, args, state, control, **options)

    monkeypatch.setattr(trainer._Schedule, "on_step_end", poison)
    monkeypatch.setattr(trainer.GraphTrainer, "evaluate", lambda *_, **__: {})
    with pytest.raises(TrainingDiverged, match=r"at step 4: a weight is no .*; .*checkpoint-2"):
        train(graphs, tmp_path / "r", TINY, device="cpu")
    assert [s for s, _ in checkpoint_folders(tmp_path / "r")] == [2]


def test_a_validation_that_is_not_a_number_stops_before_it_is_saved(
    graphs: GraphSet, tmp_path: Path
) -> None:
    config = TINY.replace(learning_rate=1e30, warmup_share=0.9, checkpoints=6)
    with pytest.raises(TrainingDiverged, match=r"at step \d: the (validation NLL|loss) is nan;"):
        train(graphs, tmp_path / "r", config, device="cpu")
    for _, folder in checkpoint_folders(tmp_path / "r"):
        state = json.loads((folder / "trainer_state.json").read_text())
        assert all(math.isfinite(nll) for _, nll in trainer.validations(state["log_history"]))


def test_a_run_that_ends_in_nan_is_not_complete(graphs: GraphSet, tmp_path: Path) -> None:
    config = TINY.replace(learning_rate=1e30, steps=1, checkpoints=1)
    message = r"at step 1: the validation NLL is nan; nothing was saved yet"
    with pytest.raises(TrainingDiverged, match=message):
        train(graphs, tmp_path / "r", config, device="cpu")
    assert RunRecord.read(tmp_path / "r").status == "training"
    assert "NaN" not in (tmp_path / "r" / "run.json").read_text()
    assert not list((tmp_path / "r").rglob("*.safetensors.partial"))


def test_a_resume_point_that_was_not_validated_is_not_called_good(
    graphs: GraphSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = trainer.GraphTrainer.compute_loss

    def poisoned(self, *args, **kwargs):
        loss = real(self, *args, **kwargs)
        return loss * float("nan") if self.state.global_step == 5 else loss

    monkeypatch.setattr(trainer.GraphTrainer, "compute_loss", poisoned)
    config = TINY.replace(resume_steps=5, checkpoints=2)  # saved at 3, 6; resume point at 5
    with pytest.raises(TrainingDiverged, match=r"at step 6: .*checkpoint-3 is the last good"):
        train(graphs, tmp_path / "r", config, device="cpu")
    assert [step for step, _ in checkpoint_folders(tmp_path / "r")] == [3, 5]


def test_a_full_disk_loses_no_checkpoint(
    run: Run, graphs: GraphSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = trainer.GraphTrainer._save_checkpoint
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)

    def save(self, *args):
        if self.state.global_step == 4:  # a real failure to write: no file may pass 20 kB
            resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, hard))
        try:
            real(self, *args)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    with monkeypatch.context() as patch:
        patch.setattr(trainer.GraphTrainer, "_save_checkpoint", save)
        message = r"cannot save a checkpoint \(.*checkpoint-2 is intact: make room and start"
        with pytest.raises(UnwritableOutput, match=message):
            train(graphs, tmp_path / "r", TINY, device="cpu")
    assert [s for s, _ in checkpoint_folders(tmp_path / "r")] == [2]
    assert not list((tmp_path / "r").glob(".checkpoint*"))
    train(graphs, tmp_path / "r", TINY, device="cpu")
    assert_equal_weights(run.folder, tmp_path / "r")


@pytest.fixture
def full_disk() -> Iterator[Callable[[int], None]]:
    """Call it with n: from then on no file may grow past n bytes, a real failure to write."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    yield lambda n: resource.setrlimit(resource.RLIMIT_FSIZE, (n, hard))
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.skipif(not importlib.util.find_spec("tensorboard"), reason="it writes the log")
def test_a_disk_too_full_for_the_log(
    run: Run, graphs: GraphSet, tmp_path: Path, full_disk: Callable[[int], None]
) -> None:
    """One error, and no traceback of the thread that writes the log (a warning in pytest)."""
    full_disk(2_000)
    message = r"cannot save the training log \(File too large\); no earlier .*make room and start"
    with pytest.raises(UnwritableOutput, match=message):
        train(graphs, tmp_path / "r", TINY, device="cpu")
    full_disk(resource.RLIM_INFINITY)
    train(graphs, tmp_path / "r", TINY, device="cpu")
    assert_equal_weights(run.folder, tmp_path / "r")


def test_a_disk_too_full_for_the_tokenizer(
    graphs: GraphSet,
    tmp_path: Path,
    full_disk: Callable[[int], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its library, tokenizers, raises no OSError."""
    real = transformers.LlamaForCausalLM.save_pretrained

    def save(self, *args, **options):
        real(self, *args, **options)
        full_disk(500)

    monkeypatch.setattr(transformers.LlamaForCausalLM, "save_pretrained", save)
    with pytest.raises(UnwritableOutput, match=r"cannot save a checkpoint \(File too large"):
        train(graphs, tmp_path / "r", TINY, device="cpu")
    assert not list((tmp_path / "r").glob(".checkpoint*"))


@pytest.mark.parametrize("n_bytes", [100, 300, 500])
def test_a_disk_too_full_for_a_run_at_all(
    run: Run, graphs: GraphSet, tmp_path: Path, full_disk: Callable[[int], None], n_bytes: int
) -> None:
    """With room again, the same command starts anew: what was written first blocks nothing."""
    full_disk(n_bytes)
    with pytest.raises(UnwritableOutput, match=r"r: cannot write \(File too large\)"):
        train(graphs, tmp_path / "r", TINY, device="cpu")
    full_disk(resource.RLIM_INFINITY)
    assert not (tmp_path / "r" / "run.json").exists()
    train(graphs, tmp_path / "r", TINY, device="cpu")
    assert_equal_weights(run.folder, tmp_path / "r")


def test_what_a_killed_start_leaves_blocks_no_restart(
    run: Run, graphs: GraphSet, tmp_path: Path
) -> None:
    out = tmp_path / "r"
    out.mkdir()
    for name in ("linearizer.json", "splits.safetensors", ".run.json.partial"):
        (out / name).write_text("half")
    train(graphs, out, TINY, device="cpu")
    assert_equal_weights(run.folder, out)
    assert not list(out.glob(".*"))


def test_an_unwritable_folder(graphs: GraphSet, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UnwritableOutput, match="cannot write"):
        train(graphs, tmp_path / "file" / "run", TINY, device="cpu")
    with pytest.raises(UnwritableOutput, match=r"file: expected a folder, got a file"):
        train(graphs, tmp_path / "file", TINY, device="cpu")
    with pytest.raises(UnwritableOutput, match=r"x: cannot write \(File name too long\)"):
        train(graphs, tmp_path / ("x" * 300), TINY, device="cpu")


@pytest.mark.parametrize(
    ("config", "kind", "message"),
    [
        ({"deepspeed": "none.json"}, UnreadableFile, r"^deepspeed: none.json: No such file"),
        (
            {"deepspeed": "half.json"},
            UnreadableFile,
            r"^deepspeed: half.json: not a JSON object \(",
        ),
        ({"deepspeed": "list.json"}, UnreadableFile, r"^deepspeed: list.json: not a JSON object"),
        (
            {"deepspeed": "good.json"},
            MissingDependency,
            r"deepspeed is not installed: pip install deepspeed$",
        ),
        ({"attention": "flash_attention_2"}, InvalidInput, "expected a CUDA device, got cpu"),
    ],
)
def test_what_is_missing_is_said_before_a_folder_is_made(
    graphs: GraphSet,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    config: dict[str, str],
    kind: type[Exception],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(hugging_face, "find_spec", lambda name: None)
    for name, content in {"half": "{", "list": "[]", "good": "{}"}.items():
        (tmp_path / f"{name}.json").write_text(content)
    with pytest.raises(kind, match=message):
        train(graphs, "r", TINY.replace(**config), device="cpu")
    assert not (tmp_path / "r").exists()


def test_flash_attention(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu, config = torch.device("cuda"), TINY.replace(attention="flash_attention_2")
    with pytest.raises(InvalidInput, match="expected precision bf16, got float32"):
        hugging_face.check_available(config, gpu)
    config = config.replace(precision="bf16")
    monkeypatch.setattr(hugging_face, "find_spec", lambda name: None)
    with pytest.raises(MissingDependency, match="pip install flash-attn --no-build-isolation"):
        hugging_face.check_available(config, gpu)
    monkeypatch.setattr(hugging_face, "find_spec", lambda name: name == "flash_attn")
    hugging_face.check_available(config, gpu)


def test_another_run_is_not_overwritten(run: Run, graphs: GraphSet, tmp_path: Path) -> None:
    with pytest.raises(InvalidRun, match=r"a run with learning_rate = 0\.001, asked for 0\.1"):
        train(graphs, run.root, TINY.replace(learning_rate=0.1), device="cpu")
    with pytest.raises(InvalidRun, match="holds a run on other graphs"):
        train(small_graphs(seed=1), run.root, TINY, device="cpu")
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(InvalidRun, match="not empty, and not a run"):
        train(graphs, tmp_path, TINY, device="cpu")


class TestDamagedCheckpoint:
    """What a crash of the machine left of the newest checkpoint is refused before a step."""

    @pytest.fixture
    def killed(self, graphs: GraphSet, tmp_path: Path) -> Path:
        config = TINY.replace(resume_steps=3, checkpoints=3)  # resume point at 3, checkpoint at 2
        with pytest.raises(Crash):
            train(graphs, tmp_path / "r", config, device="cpu", progress=crash_at(4))
        return tmp_path / "r"

    @pytest.mark.parametrize("name", ["model.safetensors", "trainer_state.json", "state.json"])
    @pytest.mark.parametrize("content", [b"", b"{}", b"half", b"cut"])
    def test_is_one_line(self, killed: Path, graphs: GraphSet, name: str, content: bytes) -> None:
        path = killed / "checkpoint-3" / name
        whole = path.read_bytes()
        path.write_bytes(whole[: len(whole) // 2] if content == b"cut" else content)
        config = TINY.replace(resume_steps=3, checkpoints=3)
        with pytest.raises(
            InvalidRun, match=r"checkpoint-3: damaged checkpoint .*; no earlier one"
        ):
            train(graphs, killed, config, device="cpu")

    def test_of_another_step(self, killed: Path, graphs: GraphSet) -> None:
        shutil.copy(killed / "checkpoint-2/trainer_state.json", killed / "checkpoint-3")
        config = TINY.replace(resume_steps=3, checkpoints=3)
        with pytest.raises(InvalidRun, match=r"trainer_state\.json is of step 2"):
            train(graphs, killed, config, device="cpu")

    def test_of_another_shape(self, killed: Path, graphs: GraphSet) -> None:
        path = killed / "checkpoint-3" / "model.safetensors"
        tensors = load_file(path)
        del tensors["model.layers.1.mlp.up_proj.weight"]
        save_file(tensors, path, metadata={"format": "pt"})
        config = TINY.replace(resume_steps=3, checkpoints=3)
        with pytest.raises(
            InvalidRun, match=r"damaged checkpoint \(weights of another shape: .*up_proj"
        ):
            train(graphs, killed, config, device="cpu")
