"""Training: exact resumption, checkpoints that are whole, errors in one line, a usable folder."""

import dataclasses
import importlib.util
import json
import math
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
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
from graphassay.lm import checkpoints, hugging_face, trainer
from graphassay.lm.data import set_sha256
from graphassay.lm.run import Run, RunRecord, checkpoint_folders, load_run
from graphassay.lm.train import checkpoint_steps, train
from graphassay.lm.trainer import TrainProgress
from lm.tiny import TINY, small_graphs


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return load_file(folder / "model.safetensors")


def assert_equal_weights(a: Path, b: Path) -> None:
    left, right = weights(a), weights(b)
    assert left.keys() == right.keys()
    for name, tensor in left.items():
        assert torch.equal(tensor, right[name]), name


class Crash(Exception):
    """What the tests throw into a training run."""


def crash_at(step: int):
    def progress(at: TrainProgress) -> None:
        if at.step >= step and at.loss is not None:
            raise Crash

    return progress


def test_the_folder_is_a_hugging_face_model(run: Run, graphs: GraphSet) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    for folder in (run.folder, run.folder / "checkpoint-2"):
        model = AutoModelForCausalLM.from_pretrained(folder)
        tokenizer = AutoTokenizer.from_pretrained(folder)
        assert type(model).__name__ == "LlamaForCausalLM"
        assert model.config.use_cache
        assert tokenizer.is_fast
        tokens = run.linearizer.batch(graphs, [3], seed=0)[0].tolist()
        text = run.linearizer.vocabulary.text(tokens)
        assert tokenizer(text).input_ids == tokens
        generated = model.generate(
            torch.tensor([[tokenizer.bos_token_id]]), max_new_tokens=3, do_sample=True
        )
        assert generated.shape[1] <= 4


def test_nothing_is_a_pickle(run: Run) -> None:
    suffixes = {path.suffix for path in run.root.rglob("*") if path.is_file()}
    events = {path.name for path in run.root.rglob("events*")}
    assert all(name.startswith("events.out.tfevents") for name in events)
    assert not suffixes & {".bin", ".pt", ".pth", ".pkl", ".pickle", ".ckpt"}
    for path in run.root.rglob("*"):
        if path.is_file():
            assert path.read_bytes()[:2] not in (b"PK", b"\x80\x02", b"\x80\x04"), path


def test_what_is_recorded(run: Run, graphs: GraphSet) -> None:
    assert run.record.status == "complete"
    assert run.record.data["sha256"] == graphs.sha256()
    assert run.record.data["train_sha256"] == set_sha256(graphs.take(run.splits().train))
    assert run.record.measured["tokens"] > 0
    assert 0 <= run.record.measured["padding"] < 0.05
    parts = run.splits()
    assert sorted(np.concatenate([parts.train, parts.valid, parts.test])) == list(range(60))
    card = (run.root / "README.md").read_text()
    assert f"{run.record.measured['valid_nats_per_graph']:.4g}" in card
    assert [step for step, _ in checkpoint_folders(run.root)] == [2, 4, 6]
    history = json.loads((run.root / "history.json").read_text())
    assert [e["step"] for e in history if "eval_nats_per_token" in e] == [2, 4, 6]


def test_validation_nll_is_what_a_plain_loop_finds(run: Run, graphs: GraphSet) -> None:
    from transformers import AutoModelForCausalLM

    from graphassay.lm.train import VALID_SEED

    model = AutoModelForCausalLM.from_pretrained(run.folder)
    valid = graphs.take(run.splits().valid)
    batch = run.linearizer.batch(valid, seed=VALID_SEED)
    total = 0.0
    for i in range(len(valid)):
        ids = torch.from_numpy(batch[i].copy()).long()[None]
        with torch.no_grad():
            total += float(model(ids, labels=ids).loss) * (ids.shape[1] - 1)
    assert run.record.measured["valid_nats_per_graph"] == pytest.approx(total / len(valid), 1e-5)
    n_tokens = len(batch.tokens) - len(valid)
    assert run.record.measured["valid_nats_per_token"] == pytest.approx(total / n_tokens, 1e-5)


def test_a_crashed_run_goes_on_exactly(run: Run, graphs: GraphSet, tmp_path: Path) -> None:
    with pytest.raises(Crash):
        train(graphs, tmp_path / "r", TINY, device="cpu", progress=crash_at(4))
    assert [s for s, _ in checkpoint_folders(tmp_path / "r")] == [2]
    with pytest.raises(InvalidRun, match=r"has not finished.*go on, or use .*checkpoint-2"):
        load_run(tmp_path / "r")
    load_run(tmp_path / "r" / "checkpoint-2")
    torch.manual_seed(12345)  # whatever else the process drew does not matter
    result = train(graphs, tmp_path / "r", TINY, device="cpu")
    assert_equal_weights(run.folder, tmp_path / "r")
    for name in ("tokens", "padding", "valid_nats_per_token"):
        assert result.measured[name] == run.record.measured[name]


def test_a_complete_run_is_left_alone(run: Run, graphs: GraphSet) -> None:
    before = (run.folder / "model.safetensors").stat().st_mtime_ns
    assert train(graphs, run.folder, TINY, device="cpu").measured == run.record.measured
    assert (run.folder / "model.safetensors").stat().st_mtime_ns == before


def test_resume_points_replace_each_other(graphs: GraphSet, tmp_path: Path) -> None:
    config = dataclasses.replace(TINY, checkpoints=1, resume_steps=2, log_steps=5)
    with pytest.raises(Crash):
        train(graphs, tmp_path / "r", config, device="cpu", progress=crash_at(5))
    assert [s for s, _ in checkpoint_folders(tmp_path / "r")] == [4]
    train(graphs, tmp_path / "r", config, device="cpu")
    assert [s for s, _ in checkpoint_folders(tmp_path / "r")] == [6]


_KILLED = """
import sys
from lm.tiny import TINY, small_graphs
from graphassay.lm.train import train
import dataclasses
config = dataclasses.replace(TINY, steps=60, checkpoints=3, resume_steps=4)
train(small_graphs(), sys.argv[1], config, device="cpu")
"""


@pytest.mark.slow
def test_killed_at_random_moments_it_ends_with_the_same_weights(
    graphs: GraphSet, tmp_path: Path
) -> None:
    config = dataclasses.replace(TINY, steps=60, checkpoints=3, resume_steps=4)
    train(graphs, tmp_path / "whole", config, device="cpu")
    rng = np.random.default_rng()  # a random moment; the seed is irrelevant to the claim
    root, n_kills, codes = tmp_path / "killed", 0, []
    # As many threads as this process: sums are taken in another order with more.
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(__file__).parents[1]),
        "OMP_NUM_THREADS": "1",
    }
    for _ in range(9):
        process = subprocess.Popen(
            [sys.executable, "-c", _KILLED, str(root)],
            env=environment,
            stderr=subprocess.DEVNULL,
        )
        if n_kills < 3:
            known = len(list(root.glob("checkpoint-*"))) and checkpoint_folders(root)[-1][0]
            deadline = time.monotonic() + 60
            while process.poll() is None and time.monotonic() < deadline:
                found = checkpoint_folders(root) if root.is_dir() else []
                if found and found[-1][0] > known:
                    break
                time.sleep(0.002)
            time.sleep(float(rng.uniform(0, 0.15)))
            process.send_signal(signal.SIGKILL)
        codes.append(process.wait(timeout=120))
        n_kills += codes[-1] == -signal.SIGKILL
        if codes[-1] == 0:
            break
    assert codes[-1] == 0
    assert n_kills >= 2
    assert_equal_weights(tmp_path / "whole", root)
    assert not list(root.glob(".*partial*"))


def test_early_stopping_keeps_the_best(graphs: GraphSet, tmp_path: Path) -> None:
    config = dataclasses.replace(
        TINY, steps=40, checkpoints=40, learning_rate=0.5, clip=0.0, early_stopping=3
    )
    result = train(graphs, tmp_path / "r", config, device="cpu")
    seen = trainer.validations(json.loads((tmp_path / "r" / "history.json").read_text()))
    assert result.measured["steps"] < 40
    best_step, best = min(seen, key=lambda entry: entry[1])
    assert result.measured["final_checkpoint"] == best_step == seen[-4][0]
    assert result.measured["valid_nats_per_token"] == best
    assert_equal_weights(tmp_path / "r", tmp_path / "r" / f"checkpoint-{best_step}")


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


def test_graphs_longer_than_the_context(graphs: GraphSet, tmp_path: Path) -> None:
    config = dataclasses.replace(TINY, context=32, steps=2, checkpoints=1)
    message = r"\d+ of 60 graphs are longer than the context of 32 tokens \(graph \d+: .*skip"
    with pytest.raises(InvalidInput, match=message):
        train(graphs, tmp_path / "a", config, device="cpu")
    assert not (tmp_path / "a").exists()
    result = train(graphs, tmp_path / "b", config.replace(long_graphs="skip"), device="cpu")
    too_long = result.run.splits().too_long
    assert len(too_long) == result.run.record.data["n_too_long"] > 0
    kept = graphs.take(np.setdiff1d(np.arange(60), too_long))
    assert result.run.linearizer.batch(kept, seed=0).lengths.max() <= 32


def test_a_device_that_does_not_exist(graphs: GraphSet, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"device 'cuda': expected auto or one of cpu"):
        train(graphs, tmp_path / "r", TINY, device="cuda" if not torch.cuda.is_available() else "x")
    with pytest.raises(InvalidInput, match="choose with CUDA_VISIBLE_DEVICES"):
        train(graphs, tmp_path / "r", TINY, device="cuda:3")


def test_budgets_become_steps(graphs: GraphSet, tmp_path: Path) -> None:
    base = TINY.replace(epochs=2.0, checkpoints=1)  # 48 training graphs, 8 a step
    assert train(graphs, tmp_path / "e", base, device="cpu").measured["steps"] == 12
    by_tokens = train(graphs, tmp_path / "t", base.replace(tokens=2000), device="cpu").measured
    assert 2000 * 0.8 < by_tokens["tokens"] < 2000 * 1.2


def test_accumulation_weighs_tokens_equally(graphs: GraphSet, tmp_path: Path) -> None:
    plain = dataclasses.replace(TINY, attention_dropout=0.0, checkpoints=1, steps=3)
    train(graphs, tmp_path / "a", plain.replace(batch_size=16, batching="packed"), device="cpu")
    halves = plain.replace(batch_size=8, accumulation=2, batching="packed")
    train(graphs, tmp_path / "b", halves, device="cpu")
    left, right = weights(tmp_path / "a"), weights(tmp_path / "b")
    for name, tensor in left.items():
        torch.testing.assert_close(tensor, right[name], rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize(
    ("n_steps", "n", "expected"),
    [(10, 4, [3, 5, 8, 10]), (3, 20, [1, 2, 3]), (100, 1, [100]), (40, 20, list(range(2, 41, 2)))],
)
def test_checkpoints_are_evenly_spaced(n_steps: int, n: int, expected: list[int]) -> None:
    assert checkpoint_steps(n_steps, n) == expected


def test_optimizer_round_trip(tmp_path: Path) -> None:
    model = torch.nn.Linear(3, 2)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1, betas=(0.9, 0.95))
    model(torch.ones(1, 3)).sum().backward()
    optimizer.step()
    checkpoints.save_optimizer(tmp_path, optimizer.state_dict(), {"extra": 1.1})
    loaded, rest = checkpoints.load_optimizer(tmp_path)
    assert rest == {"extra": 1.1}
    other = torch.optim.AdamW(model.parameters())
    other.load_state_dict(loaded)
    ours, theirs = other.state_dict(), optimizer.state_dict()
    assert ours["param_groups"] == json.loads(json.dumps(theirs["param_groups"]))
    torch.testing.assert_close(ours["state"], theirs["state"], rtol=0, atol=0)
    (tmp_path / "optimizer.safetensors").write_bytes(b"half")
    with pytest.raises(InvalidRun, match="damaged checkpoint"):
        checkpoints.load_optimizer(tmp_path)


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


class TestBrokenFolders:
    """Each way a run folder can be wrong has its own line."""

    @pytest.fixture
    def copy(self, run: Run, tmp_path: Path) -> Path:
        return Path(shutil.copytree(run.root, tmp_path / "copy"))

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
        tensors = weights(copy)
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
