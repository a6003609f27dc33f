"""`transformers.Trainer` with our checkpoints, our validation, and a stop on NaN."""

import math
import shutil
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from transformers import Trainer, TrainerCallback

from graphassay.errors import TrainingDiverged
from graphassay.lm import checkpoints
from graphassay.lm.data import IGNORED, Int32, length_sorted_batches, padded_inputs
from graphassay.lm.run import checkpoint_folders

VALID_TOKENS = 16384
"""Tokens, padding included, in one validation batch."""


@dataclass(frozen=True)
class TrainProgress:
    """Where a run stands. Loss and validation are in nats per predicted token."""

    step: int
    n_steps: int
    loss: float | None = None
    valid_nats_per_token: float | None = None
    tokens_per_s: float | None = None


class GraphTrainer(Trainer):  # type: ignore[misc]
    """The training loop is Hugging Face's; what happens around a step is ours.

    Args:
        root: the run folder.
        valid: token sequences to validate on; none, no validation.
        pad: the padding token.
        save_at: steps to validate and to save a checkpoint at.
        resume_steps: also save a resume point every so many steps.
        early_stopping: stop after so many validations without improvement.
        progress: called at every log and every validation.
        options: for `transformers.Trainer`.
    """

    def __init__(
        self,
        *,
        root: Path,
        valid: list[Int32],
        pad: int,
        save_at: Iterable[int],
        resume_steps: int | None,
        early_stopping: int | None,
        progress: Callable[[TrainProgress], None] | None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        # With a cache, transformers would ignore that packed sequences are separate.
        self.model.config.use_cache = False
        self.root, self.valid, self.pad = root, valid, pad
        self.save_at = set(save_at)
        self.tokens_seen, self.tokens_computed = 0, 0
        self.add_callback(_Schedule(self, resume_steps, early_stopping, progress))

    def training_step(
        self, model: Any, inputs: dict[str, torch.Tensor], num_items_in_batch: Any = None
    ) -> torch.Tensor:
        """One forward and backward pass; a loss that is not a number ends the run."""
        labels = inputs["labels"]
        self.tokens_seen += int((labels != IGNORED).sum())
        self.tokens_computed += int(labels.numel()) - len(labels)  # the first of a row is given
        loss: torch.Tensor = super().training_step(model, inputs, num_items_in_batch)
        if not math.isfinite(loss.item()):
            raise self._diverged(self.state.global_step + 1, f"the loss is {loss.item()}")
        return loss

    def _diverged(self, step: int, what: str) -> TrainingDiverged:
        saved = checkpoint_folders(self.root)
        # Validated before it was saved, unlike a resume point or where there is no validation.
        good = [folder for at, folder in saved if self.valid and at in self.save_at]
        if good:
            kept = f"{good[-1]} is the last good checkpoint"
        else:
            kept = f"{saved[-1][1]} is the last checkpoint" if saved else "nothing was saved yet"
        return TrainingDiverged(
            f"training diverged at step {step}: {what}; {kept}; "
            "lower learning_rate, clip gradients, or use precision float32"
        )

    def evaluate(self, *_: Any, **__: Any) -> dict[str, float]:
        """Validation NLL: nats per token (EOS counted, BOS given) and per graph.

        Raises:
            TrainingDiverged: it is not a number; nothing was logged or saved of this step.
        """
        if not self.valid:
            return {}
        model = self.model_wrapped if self.model_wrapped is not None else self.model
        model.eval()
        lengths = np.array([len(sequence) for sequence in self.valid])
        batches = list(length_sorted_batches(lengths, max_tokens=VALID_TOKENS))
        world, rank = self.args.world_size, self.args.process_index
        nats = torch.zeros((), dtype=torch.float64, device=self.args.device)
        for start in range(0, len(batches), world):
            # Every process must make the same number of forward passes (FSDP gathers in them).
            mine = min(start + rank, len(batches) - 1)
            batch = padded_inputs([self.valid[i] for i in batches[mine]], self.pad)
            inputs = {k: v.to(self.args.device) for k, v in batch.items()}
            with torch.no_grad(), self.compute_loss_context_manager():
                one = torch.ones((), device=self.args.device)
                loss = model(**inputs, num_items_in_batch=one).loss  # the sum, in nats
            nats += loss.double() * (start + rank < len(batches))
        total = float(self.accelerator.reduce(nats, "sum"))
        if not math.isfinite(total):
            raise self._diverged(self.state.global_step, f"the validation NLL is {total}")
        metrics = {
            "eval_nats_per_token": total / float((lengths - 1).sum()),
            "eval_nats_per_graph": total / len(lengths),
        }
        self.log(metrics)
        self.control: Any = self.callback_handler.on_evaluate(
            self.args, self.state, self.control, metrics
        )
        return metrics

    def _save(self, output_dir: str | None = None, state_dict: Any = None) -> None:
        # Instead of the parent's, which also pickles its arguments.
        if self.args.should_save:
            self.model.config.use_cache = True  # for whoever generates with the saved model
            self.model.save_pretrained(output_dir, state_dict=state_dict)
            self.model.config.use_cache = False
            try:
                self.processing_class.save_pretrained(output_dir)
            except Exception as error:
                if type(error) is Exception:  # all that tokenizers says when it cannot write
                    raise OSError(str(error)) from None
                raise

    def _save_checkpoint(self, model: Any, trial: Any) -> None:
        del model, trial
        step = self.state.global_step
        if not all(bool(p.isfinite().all()) for p in self.model.parameters()):
            raise self._diverged(step, "a weight is no longer finite")
        partial = self.root / f".checkpoint-{step}.partial"
        try:
            if self.args.should_save:
                shutil.rmtree(partial, ignore_errors=True)
                partial.mkdir()
            self.accelerator.wait_for_everyone()
            self.save_model(str(partial), _internal_call=True)
            self._save_state(partial)
            self.accelerator.wait_for_everyone()
            if self.args.should_save:
                final = self.root / f"checkpoint-{step}"
                shutil.rmtree(final, ignore_errors=True)
                partial.rename(final)
                checkpoints.prune(self.root, self.save_at)
        except (OSError, SafetensorError) as error:
            shutil.rmtree(partial, ignore_errors=True)
            raise checkpoints.cannot_save(self.root, error) from None

    def _save_state(self, folder: Path) -> None:
        if self.is_deepspeed_enabled or self.is_fsdp_enabled:
            self._save_optimizer_and_scheduler(str(folder))  # sharded, in their own formats
        elif self.args.should_save:
            state = {
                "scheduler": self.lr_scheduler.state_dict(),
                "tokens_seen": self.tokens_seen,
                "tokens_computed": self.tokens_computed,
            }
            checkpoints.save_optimizer(folder, self.optimizer.state_dict(), state)
        if self.args.should_save:
            self.state.save_to_json(str(folder / checkpoints.TRAINER_STATE))

    def _load_optimizer_and_scheduler(self, checkpoint: str | None) -> None:
        if checkpoint is None or self.is_deepspeed_enabled or self.is_fsdp_enabled:
            super()._load_optimizer_and_scheduler(checkpoint)
            return
        optimizer, state = checkpoints.load_optimizer(Path(checkpoint))
        self.optimizer.load_state_dict(optimizer)
        self.lr_scheduler.load_state_dict(state["scheduler"])
        self.tokens_seen = state["tokens_seen"]
        self.tokens_computed = state["tokens_computed"]

    def _load_rng_state(self, checkpoint: str | None) -> None:
        """Nothing to load: `_Schedule` seeds every step."""


class _Schedule(TrainerCallback):  # type: ignore[misc]
    """Seeds each step; says when to validate, save and stop; reports progress."""

    def __init__(
        self,
        trainer: GraphTrainer,
        resume_steps: int | None,
        early_stopping: int | None,
        progress: Callable[[TrainProgress], None] | None,
    ) -> None:
        self.trainer = trainer
        self.resume_steps, self.early_stopping = resume_steps, early_stopping
        self.progress = progress
        self._last = (time.perf_counter(), 0)

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        del args, state, control
        self._last = (time.perf_counter(), self.trainer.tokens_seen)

    def on_step_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        # Dropout is the only chance in a step. This makes it a function of (seed, step, process).
        del control
        key = np.random.SeedSequence([args.seed, state.global_step, args.process_index])
        torch.manual_seed(int(key.generate_state(1, np.uint64)[0]))

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        del args
        if state.global_step in self.trainer.save_at:
            control.should_evaluate = bool(self.trainer.valid)
            control.should_save = True
        elif self.resume_steps and state.global_step % self.resume_steps == 0:
            control.should_save = True

    def on_evaluate(
        self, args: Any, state: Any, control: Any, metrics: dict[str, float], **_: Any
    ) -> None:
        del args
        # Counted from the history, which checkpoints hold, so that it survives a restart.
        seen = validations(state.log_history)
        best = min(range(len(seen)), key=lambda i: seen[i][1])
        if self.early_stopping and len(seen) - 1 - best >= self.early_stopping:
            control.should_training_stop = True
        if self.progress and state.is_world_process_zero:
            self.progress(
                TrainProgress(
                    state.global_step,
                    state.max_steps,
                    valid_nats_per_token=metrics["eval_nats_per_token"],
                )
            )

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
        del args, control
        if not (logs and "loss" in logs and self.progress and state.is_world_process_zero):
            return
        now, seen = time.perf_counter(), self.trainer.tokens_seen
        rate = (seen - self._last[1]) / (now - self._last[0])
        self._last = (now, seen)
        self.progress(
            TrainProgress(state.global_step, state.max_steps, loss=logs["loss"], tokens_per_s=rate)
        )


def validations(history: list[dict[str, float]]) -> list[tuple[int, float]]:
    """(step, nats per token) of every validation in a `TrainerState.log_history`."""
    return [
        (int(entry["step"]), entry["eval_nats_per_token"])
        for entry in history
        if "eval_nats_per_token" in entry
    ]
