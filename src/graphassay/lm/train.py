"""Train a LLaMA on graphs, from scratch, into a run folder; a killed run goes on exactly."""

import json
import math
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
import transformers
from accelerate import PartialState

import graphassay
from graphassay.errors import InvalidInput, InvalidRun, NothingToCompare, UnwritableOutput
from graphassay.graph import GraphSet
from graphassay.lm import checkpoints
from graphassay.lm.card import model_card
from graphassay.lm.config import TrainConfig
from graphassay.lm.data import (
    Int32,
    Int64,
    Splits,
    TrainingBatches,
    longest_draws,
    set_sha256,
    split,
)
from graphassay.lm.hugging_face import check_available, log_failures, new_model, training_arguments
from graphassay.lm.run import (
    Run,
    RunRecord,
    checkpoint_folders,
    find_device,
    holds_no_run,
    load_run,
    quiet_transformers,
    read_linearizer,
    read_splits,
    write_linearizer,
    write_splits,
    write_text,
)
from graphassay.lm.trainer import GraphTrainer, TrainProgress, validations

if TYPE_CHECKING:
    from graphassay.linearize import Linearizer

CONTEXT_STEP = 32
RANDOM_MARGIN = 1.25
"""Room for longer draws of random linearizations than those seen at the start."""

VALID_SEED = 0x5EED
"""Validation linearizations are drawn once, from a seed of their own, so that losses compare."""


@dataclass(frozen=True)
class TrainResult:
    """A finished run."""

    run: Run
    measured: dict[str, Any]
    """What the model card says: parameters, steps, tokens, padding, NLL, time."""


def train(
    graphs: GraphSet,
    out: str | os.PathLike[str],
    config: TrainConfig,
    *,
    source: str = "",
    device: str = "auto",
    begin: Callable[[RunRecord], None] | None = None,
    progress: Callable[[TrainProgress], None] | None = None,
) -> TrainResult:
    """Train a model on ``graphs``; if ``out`` holds the same run, killed, go on with it.

    Args:
        graphs: everything; the splits are drawn from it.
        out: the run folder; made when missing.
        config: what to do.
        source: where the graphs come from, for the record.
        device: ``auto``, ``cpu`` or ``cuda`` (several: `accelerate launch`, see the recipes).
        begin: called once, before the first step, with what was decided.
        progress: called now and then.

    Raises:
        InvalidInput: graphs that do not fit the vocabulary or the context; no such device.
        InvalidRun: ``out`` holds another run, or something else.
        MissingDependency: FlashAttention or DeepSpeed is asked for and not installed.
        TrainingDiverged: a loss or a weight that is not a number.
        UnwritableOutput: the folder cannot be written.
    """
    if not len(graphs):
        raise NothingToCompare("expected graphs to train on, got none")
    if device.startswith("cuda:"):
        raise InvalidInput(f"device {device}: expected cuda; choose with CUDA_VISIBLE_DEVICES")
    place = find_device(device)
    check_available(config, place)
    root = Path(out)
    setup = _open(root, graphs, config, source)
    if begin and PartialState().is_main_process:
        begin(setup.record)
    if setup.record.status == "complete":
        return TrainResult(load_run(root), setup.record.measured)
    batches = TrainingBatches(
        graphs.take(setup.splits.train),
        setup.linearizer,
        batch_size=config.batch_size,
        n_batches=setup.n_steps * config.accumulation * _world_size(),
        context=setup.context,
        long_graphs=config.long_graphs,
        batching=config.batching,
        seed=config.seed,
    )
    trainer = _trainer(root, config, setup, batches, graphs, place, progress)
    start = time.perf_counter()
    found = checkpoints.newest_resumable(root)
    if found:
        weights = trainer.model.state_dict()
        checkpoints.check(found[1], {name: weight.shape for name, weight in weights.items()})
    with quiet_transformers(), log_failures(root):
        trainer.train(resume_from_checkpoint=str(found[1]) if found else None)
    elapsed_s = time.perf_counter() - start
    measured = _measure(trainer, batches, setup, elapsed_s, resumed=found is not None)
    if trainer.args.should_save:
        _finish(root, config, setup, trainer, measured)
    trainer.accelerator.wait_for_everyone()
    return TrainResult(load_run(root), measured)


@dataclass(frozen=True)
class _Setup:
    """What is decided before the first step."""

    record: RunRecord
    linearizer: "Linearizer"
    splits: Splits
    context: int
    n_steps: int


def _open(root: Path, graphs: GraphSet, config: TrainConfig, source: str) -> _Setup:
    try:
        with PartialState().main_process_first():
            if root.exists() and not root.is_dir():
                raise UnwritableOutput(f"{root}: expected a folder, got a file; choose another")
            if (root / "run.json").exists():
                return _reopen(root, graphs, config)
            if root.exists() and not holds_no_run(root):
                raise InvalidRun(f"{root}: not empty, and not a run; choose another folder")
            setup = _decide(graphs, config, source)
            root.mkdir(parents=True, exist_ok=True)
            write_linearizer(root, setup.linearizer)
            write_splits(root, setup.splits)
            setup.record.write(root)  # last: from here on the folder is a run
            return setup
    except OSError as error:
        if isinstance(error, UnwritableOutput):
            raise
        raise UnwritableOutput(f"{root}: cannot write ({error.strerror or error})") from None


def _decide(graphs: GraphSet, config: TrainConfig, source: str) -> _Setup:
    from graphassay.linearize import linearizer_from_data

    linearizer = linearizer_from_data(
        config.serialization, graphs, max_vertices=config.max_vertices
    )
    longest = longest_draws(linearizer, graphs, seed=config.seed)
    margin = RANDOM_MARGIN if linearizer.is_random else 1.0
    fitting = math.ceil(int(longest.max()) * margin / CONTEXT_STEP) * CONTEXT_STEP
    context = config.context or fitting
    splits = split(
        len(graphs),
        train_share=config.train_share,
        valid_share=config.valid_share,
        seed=config.seed,
    )
    splits = _without_long(splits, longest, context, config)
    train_lengths = longest[splits.train]
    record = RunRecord(
        status="training",
        config=config.to_dict(),
        data={
            "source": source,
            "sha256": graphs.sha256(),
            "train_sha256": set_sha256(graphs.take(splits.train)),
            "n_graphs": len(graphs),
            "molecules": None if graphs.molecules is None else vars(graphs.molecules),
            "longest_tokens": int(longest.max()),
            "n_too_long": len(splits.too_long),
        },
        versions={
            "graphassay": graphassay.__version__,
            "torch": torch.__version__,
            "transformers": transformers.__version__,
            "processes": str(_world_size()),
        },
        measured={
            "context": context,
            "n_steps": _n_steps(config, train_lengths),
        },
    )
    return _Setup(record, linearizer, splits, context, record.measured["n_steps"])


def _without_long(splits: Splits, longest: Int64, context: int, config: TrainConfig) -> Splits:
    too_long = np.flatnonzero(longest > context)
    if not len(too_long):
        return splits
    if config.long_graphs == "refuse":
        raise InvalidInput(
            f"{len(too_long)} of {len(longest)} graphs are longer than the context of {context} "
            f"tokens (graph {too_long[0] + 1}: {longest[too_long[0]]}, longest {longest.max()}): "
            "raise context, or set long_graphs = skip"
        )
    kept = {
        name: np.setdiff1d(part, too_long)
        for name, part in vars(splits).items()
        if name != "too_long"
    }
    if not len(kept["train"]) or (config.valid_share and not len(kept["valid"])):
        raise InvalidInput(
            f"no graph is left to train or validate on: {len(too_long)} of {len(longest)} are "
            f"longer than the context of {context} tokens"
        )
    return Splits(**kept, too_long=too_long)


def _n_steps(config: TrainConfig, lengths: Int64) -> int:
    sequences = config.batch_size * config.accumulation * _world_size()
    if config.steps is not None:
        return config.steps
    if config.tokens is not None:
        return max(1, math.ceil(config.tokens / (sequences * float(lengths.mean()))))
    assert config.epochs is not None  # TrainConfig: exactly one budget
    return max(1, math.ceil(config.epochs * len(lengths) / sequences))


def _reopen(root: Path, graphs: GraphSet, config: TrainConfig) -> _Setup:
    record = RunRecord.read(root)
    known = record.config
    for name, value in config.to_dict().items():
        if known.get(name) != value:
            raise InvalidRun(
                f"{root}: holds a run with {name} = {known.get(name)!r}, asked for {value!r}; "
                "repeat its options to go on, or choose another folder"
            )
    if record.data["sha256"] != graphs.sha256():
        raise InvalidRun(
            f"{root}: holds a run on other graphs ({record.data['source']}); choose another folder"
        )
    processes = record.versions.get("processes", "1")
    if processes != str(_world_size()):
        raise InvalidRun(
            f"{root}: the run used {processes} processes, now there are "
            f"{_world_size()}: to go on exactly, use as many"
        )
    checkpoints.clean(root)
    measured = record.measured
    return _Setup(
        record, read_linearizer(root), read_splits(root), measured["context"], measured["n_steps"]
    )


def _trainer(
    root: Path,
    config: TrainConfig,
    setup: _Setup,
    batches: TrainingBatches,
    graphs: GraphSet,
    place: torch.device,
    progress: Callable[[TrainProgress], None] | None,
) -> GraphTrainer:
    from graphassay.linearize.tokenizer import to_hugging_face

    model = new_model(config, setup.linearizer, setup.context, place)
    trainer = GraphTrainer(
        root=root,
        valid=_validation(graphs, setup),
        pad=setup.linearizer.vocabulary.pad,
        save_at=checkpoint_steps(setup.n_steps, config.checkpoints),
        resume_steps=config.resume_steps,
        early_stopping=config.early_stopping,
        progress=progress,
        model=model,
        args=training_arguments(root, config, setup.n_steps, place),
        train_dataset=batches,
        data_collator=_only,
        processing_class=to_hugging_face(setup.linearizer.vocabulary, max_length=setup.context),
    )
    trainer.remove_callback(transformers.PrinterCallback)  # stdout is for results
    return trainer


def _validation(graphs: GraphSet, setup: _Setup) -> list[Int32]:
    if not len(setup.splits.valid):
        return []
    batch = setup.linearizer.batch(graphs.take(setup.splits.valid), seed=VALID_SEED)
    sequences = np.split(batch.tokens, batch.offsets[1:-1])
    return [s for s in sequences if len(s) <= setup.context]


def checkpoint_steps(n_steps: int, n_checkpoints: int) -> list[int]:
    """Evenly spaced steps, the last one included: 4 of 10 are 3, 5, 8, 10."""
    n = min(n_steps, n_checkpoints)
    return [math.ceil(n_steps * (i + 1) / n) for i in range(n)]


def _only(items: list[dict[str, torch.Tensor]]) -> dict[str, torch.Tensor]:
    (item,) = items
    return item


def _world_size() -> int:
    return int(PartialState().num_processes)


def _measure(
    trainer: GraphTrainer,
    batches: TrainingBatches,
    setup: _Setup,
    elapsed_s: float,
    *,
    resumed: bool,
) -> dict[str, Any]:
    counts = torch.tensor(
        [trainer.tokens_seen, trainer.tokens_computed, batches.n_skipped],
        dtype=torch.float64,
        device=trainer.args.device,
    )
    seen, computed, skipped = trainer.accelerator.reduce(counts, "sum").tolist()
    measured = setup.record.measured | {
        "n_parameters": trainer.model.num_parameters(),
        "steps": trainer.state.global_step,
        "tokens": int(seen),
        "padding": 1 - seen / computed if computed else 0.0,
        "batching": "packed" if batches.packed else "grouped",
        "n_too_long_draws_skipped": int(skipped),
        "device": str(trainer.args.device),
    }
    if not resumed:  # a resumed run's clock did not see the first part
        measured["elapsed_s"] = round(elapsed_s, 1)
    return measured


def _finish(
    root: Path, config: TrainConfig, setup: _Setup, trainer: GraphTrainer, measured: dict[str, Any]
) -> None:
    steps = dict(checkpoint_folders(root))
    history = trainer.state.log_history
    seen = [(step, value) for step, value in validations(history) if step in steps]
    final = max(steps)
    if config.early_stopping and seen:
        final = min(seen, key=lambda entry: entry[1])[0]
    measured["final_checkpoint"] = final
    for entry in history:
        if entry["step"] == final and "eval_nats_per_token" in entry:
            measured["valid_nats_per_token"] = entry["eval_nats_per_token"]
            measured["valid_nats_per_graph"] = entry["eval_nats_per_graph"]
    record = replace(setup.record, status="complete", measured=measured)
    try:
        write_text(root / "history.json", json.dumps(history, indent=1) + "\n")
        write_text(root / "README.md", model_card(record, setup.linearizer, setup.splits))
        checkpoints.export(steps[final], root)
        record.write(root)  # last: now the run is complete
    except OSError as error:
        raise checkpoints.cannot_save(root, error) from None
