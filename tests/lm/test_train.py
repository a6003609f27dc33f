"""Training: exact resumption, checkpoints that are whole, a usable folder."""

import dataclasses
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import torch

from graphassay.errors import (
    InvalidInput,
    InvalidRun,
)
from graphassay.graph import GraphSet
from graphassay.lm import checkpoints, trainer
from graphassay.lm.data import set_sha256
from graphassay.lm.run import Run, checkpoint_folders, load_run
from graphassay.lm.train import checkpoint_steps, train
from lm.runs import Crash, assert_equal_weights, crash_at, weights
from lm.tiny import TINY


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
