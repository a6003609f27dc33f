"""What Hugging Face is told: a model with random weights, and the trainer's arguments."""

import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import torch
import transformers

from graphassay.errors import GraphAssayError, InvalidInput, MissingDependency, UnreadableFile
from graphassay.lm.checkpoints import cannot_save
from graphassay.lm.config import TrainConfig

if TYPE_CHECKING:
    from graphassay.linearize import Linearizer


def check_available(config: TrainConfig, place: torch.device) -> None:
    """Refuse, before a run folder is made, what new_model and training_arguments would fail on.

    Raises:
        InvalidInput: FlashAttention without CUDA or bf16.
        UnreadableFile: the DeepSpeed file is missing or not JSON.
        MissingDependency: FlashAttention or DeepSpeed is not installed.
    """
    if config.attention == "flash_attention_2":
        asked = "attention flash_attention_2"
        if place.type != "cuda":
            raise InvalidInput(f"{asked}: expected a CUDA device, got {place.type}")
        if config.precision != "bf16":
            raise InvalidInput(f"{asked}: expected precision bf16, got {config.precision}")
        _need("flash_attn", asked, "flash-attn --no-build-isolation")
    if config.deepspeed is not None:
        path = Path(config.deepspeed)
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise UnreadableFile(f"deepspeed: {path}: {error.strerror}") from None
        except ValueError as error:
            raise UnreadableFile(f"deepspeed: {path}: not a JSON object ({error})") from None
        if not isinstance(content, dict):
            raise UnreadableFile(f"deepspeed: {path}: not a JSON object")
        _need("deepspeed", "deepspeed", "deepspeed")


def _need(package: str, asked: str, install: str) -> None:
    if find_spec(package) is None:
        raise MissingDependency(f"{asked}: {package} is not installed: pip install {install}")


def new_model(
    config: TrainConfig, linearizer: "Linearizer", context: int, place: torch.device
) -> transformers.LlamaForCausalLM:
    """A LLaMA with random weights, a function of the configuration and its seed."""
    shape, vocabulary = config.shape, linearizer.vocabulary
    attention = config.attention
    if attention == "auto":
        on_cpu_in_bf16 = place.type == "cpu" and config.precision == "bf16"
        attention = "eager" if on_cpu_in_bf16 else "sdpa"
    torch.manual_seed(config.seed)
    return transformers.LlamaForCausalLM(
        transformers.LlamaConfig(
            vocab_size=len(vocabulary.tokens),
            hidden_size=shape.hidden,
            intermediate_size=shape.ffn,
            num_hidden_layers=shape.layers,
            num_attention_heads=shape.heads,
            max_position_embeddings=context,
            attention_dropout=config.attention_dropout,
            bos_token_id=vocabulary.bos,
            eos_token_id=vocabulary.eos,
            pad_token_id=vocabulary.pad,
            tie_word_embeddings=False,
            attn_implementation=attention,
        )
    )


def training_arguments(
    root: Path, config: TrainConfig, n_steps: int, place: torch.device
) -> transformers.TrainingArguments:
    """How the trainer runs: ours says when to save and to validate, theirs does the rest."""
    to_share = config.final_learning_rate_share > 0
    args = transformers.TrainingArguments(
        output_dir=str(root),
        max_steps=n_steps,
        per_device_train_batch_size=1,  # an item of the dataset is a batch already
        gradient_accumulation_steps=config.accumulation,
        train_sampling_strategy="sequential",
        learning_rate=config.learning_rate,
        weight_decay=config.weight_decay,
        adam_beta1=config.beta1,
        adam_beta2=config.beta2,
        max_grad_norm=config.clip,
        lr_scheduler_type="cosine_with_min_lr" if to_share else config.schedule,
        lr_scheduler_kwargs={"min_lr_rate": config.final_learning_rate_share} if to_share else None,
        warmup_steps=round(config.warmup_share * n_steps),
        bf16=config.precision == "bf16",
        deepspeed=config.deepspeed,
        use_cpu=place.type == "cpu",
        seed=config.seed,
        save_strategy="no",  # `trainer._Schedule` says when
        eval_strategy="no",
        logging_steps=config.log_steps,
        logging_nan_inf_filter=False,  # we stop instead
        report_to=_trackers(),
        disable_tqdm=True,
        remove_unused_columns=False,
        dataloader_pin_memory=place.type == "cuda",
    )
    if args.n_gpu > 1:  # one process, several GPUs: DataParallel would split our batches
        args._n_gpu = 1
    return args


@contextmanager
def log_failures(root: Path) -> Iterator[None]:
    """Turn what the system says while the training log is written into one error.

    TensorBoard writes it in a thread of its own, which would print a traceback beside that.

    Raises:
        UnwritableOutput: the log cannot be written.
    """
    report = threading.excepthook

    def hook(arguments: threading.ExceptHookArgs) -> None:
        if not issubclass(arguments.exc_type, OSError):
            report(arguments)

    threading.excepthook = hook
    try:
        yield
    except OSError as error:
        if isinstance(error, GraphAssayError | BrokenPipeError):
            raise
        for thread in threading.enumerate():
            if type(thread).__module__.startswith("tensorboard"):
                thread.join(1)  # it fails now, while nothing is printed
        raise cannot_save(root, error, "the training log") from None
    finally:
        threading.excepthook = report


def _trackers() -> list[str]:
    trackers = ["tensorboard"] if find_spec("tensorboard") else []
    # Installed is not enough: without an account, wandb would stop and ask.
    wandb_ready = {"WANDB_API_KEY", "WANDB_MODE"} & set(os.environ)
    return trackers + (["wandb"] if wandb_ready and find_spec("wandb") else [])
