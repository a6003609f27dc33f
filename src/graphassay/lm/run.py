"""The run folder: a Hugging Face model, plus what graphassay must know to use it.

``run.json`` (how it was made, from which data, what was measured), ``linearizer.json`` (how graphs
become its tokens), ``splits.safetensors``, ``history.json``; ``checkpoint-N`` folders are models
too. Nothing in it is a pickle.
"""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from graphassay.errors import InvalidInput, InvalidRun
from graphassay.lm.config import TrainConfig
from graphassay.lm.data import Splits

if TYPE_CHECKING:
    import torch

    from graphassay.linearize import Linearizer
    from graphassay.lm.llama import Llama

FORMAT = "graphassay-run"
VERSION = 1

_SPLITS = "splits.safetensors"
_LINEARIZER = "linearizer.json"
_RUN = "run.json"
_CONFIG = "config.json"
_WEIGHTS = "model.safetensors"
_SHARDS = "model.safetensors.index.json"


@dataclass(frozen=True)
class RunRecord:
    """``run.json``: what a run is. ``config`` is a `TrainConfig` as plain data."""

    status: Literal["training", "complete"]
    config: dict[str, Any]
    data: dict[str, Any]
    """Of the input: ``source``, ``sha256`` (`GraphSet.sha256`), ``n_graphs``, ``molecules``; and
    ``train_sha256`` (`graphassay.lm.data.set_sha256` of the train split), which old runs lack."""
    versions: dict[str, str] = field(default_factory=dict)
    measured: dict[str, Any] = field(default_factory=dict)

    def write(self, folder: Path) -> None:
        """Write it into ``folder``, in one go."""
        content = {"format": FORMAT, "version": VERSION, **self.__dict__}
        write_text(folder / _RUN, json.dumps(content, indent=2) + "\n")

    @classmethod
    def read(cls, folder: Path) -> "RunRecord":
        """Read the record of the run in ``folder``.

        Raises:
            InvalidRun: missing, damaged, or of another version.
        """
        path = folder / _RUN
        try:
            if not folder.is_dir():
                raise InvalidRun(f"{folder}: no such run folder")
            if not path.is_file():
                raise InvalidRun(f"{folder}: not a run of `graphassay train` (no {_RUN} in it)")
            text = path.read_text(encoding="utf-8")
        except OSError as error:
            raise InvalidRun(f"{path}: cannot be read ({error.strerror})") from None
        try:
            content = json.loads(text)
            if content["format"] != FORMAT:
                raise InvalidRun(f"{path}: expected format {FORMAT}, got {content['format']!r}")
            if content["version"] != VERSION:
                raise InvalidRun(
                    f"{path}: expected version {VERSION}, got {content['version']!r}; "
                    "use the graphassay that made it, or train anew"
                )
            names = ("status", "config", "data", "versions", "measured")
            return cls(**_whole({name: content[name] for name in names}))
        except (ValueError, KeyError, TypeError) as error:
            if isinstance(error, InvalidRun):
                raise
            raise InvalidRun(f"{path}: damaged ({error}); train anew into a new folder") from None


def _whole(record: dict[str, Any]) -> dict[str, Any]:
    """The fields of a record that lacks nothing; options that are newer than it, by default.

    Raises:
        InvalidInput: what is wrong.
    """
    status = record["status"]
    if status not in ("training", "complete"):
        raise InvalidInput(f"status: expected training or complete, got {status!r}")
    needed = {
        "config": (),
        "data": ("source", "sha256", "n_graphs"),
        "versions": ("graphassay",),
        "measured": ("context", "n_steps", *(("steps",) if status == "complete" else ())),
    }
    for name, keys in needed.items():
        if not isinstance(record[name], dict):
            raise InvalidInput(f"{name}: expected an object, got {type(record[name]).__name__}")
        for key in keys:
            if key not in record[name]:
                raise InvalidInput(f"{name}: no {key}")
    config = TrainConfig.from_dict(record["config"], where="config").to_dict()
    return {**record, "config": config}


@dataclass(frozen=True)
class Run:
    """A model that can be used: its folder (the run's, or a checkpoint's), record, linearizer."""

    folder: Path
    """Where the weights are."""
    root: Path
    """Where the record is; ``folder`` or its parent."""
    record: RunRecord
    linearizer: "Linearizer"

    def llama(
        self, *, precision: Literal["float32", "bf16"] = "float32", device: str = "auto"
    ) -> "Llama":
        """The network, loaded.

        Raises:
            InvalidRun: when its weights cannot be read, do not fit their configuration or are not
                finite, or its vocabulary is not the linearizer's.
            InvalidInput: when there is no such device.
        """
        import torch

        from graphassay.lm.llama import Llama

        place = find_device(device)
        model = load_network(self.folder, torch.float32)
        n_tokens = len(self.linearizer.vocabulary.tokens)
        if model.config.vocab_size != n_tokens:
            raise InvalidRun(
                f"{self.folder}: the model has {model.config.vocab_size} tokens and the "
                f"vocabulary in {_LINEARIZER} {n_tokens}: they are not of one run"
            )
        dtype = {"float32": torch.float32, "bf16": torch.bfloat16}[precision]
        return Llama(model, dtype=dtype, device=place)

    def splits(self) -> Splits:
        """Which graphs of the input were used for what."""
        return read_splits(self.root)

    def checkpoints(self) -> list["Run"]:
        """The run's checkpoints, by step: each can be sampled and scored like the run itself."""
        return [
            Run(folder, self.root, self.record, self.linearizer)
            for _, folder in checkpoint_folders(self.root)
        ]

    def fingerprint(self) -> str:
        """Names these weights and vocabulary, from their digests, in 16 hexadecimal digits."""
        import hashlib

        digest = hashlib.sha256((self.root / _LINEARIZER).read_bytes())
        for path in sorted(self.folder.glob("*.safetensors")):
            if path.name.startswith("model"):
                with path.open("rb") as file:
                    digest.update(hashlib.file_digest(file, "sha256").digest())
        return digest.hexdigest()[:16]


def load_run(folder: str | os.PathLike[str]) -> Run:
    """Open a run folder, or a checkpoint inside one.

    Raises:
        InvalidRun: missing, half-written, damaged or of another version; the message says what to
            do.
    """
    folder = Path(folder)
    is_checkpoint = folder.name.startswith("checkpoint-") and not (folder / _RUN).exists()
    root = folder.parent if is_checkpoint else folder
    if not folder.is_dir():
        raise InvalidRun(f"{folder}: no such run folder")
    record = RunRecord.read(root)
    has_weights = any((folder / name).is_file() for name in (_WEIGHTS, _SHARDS))
    if not has_weights or (folder == root and record.status != "complete"):
        saved = checkpoint_folders(root)
        remedy = f"or use {saved[-1][1]}" if saved else "no checkpoint was saved yet"
        raise InvalidRun(
            f"{folder}: training has not finished, so there is no final model; "
            f"start the same `graphassay train` again to go on, {remedy}"
        )
    linearizer = read_linearizer(root)
    _check_tokenizer(folder, linearizer)
    return Run(folder, root, record, linearizer)


def load_network(
    folder: Path, dtype: "torch.dtype", *, unreadable: str = "the weights cannot be read"
) -> Any:
    """The causal language model of Hugging Face's in a folder, on the CPU.

    Every weight is from the folder: transformers would draw at random what is missing there.

    Args:
        folder: where it is.
        dtype: of the weights.
        unreadable: what to say when it cannot be read, before the reason.

    Raises:
        InvalidRun: it cannot be read, config.json and weights do not fit, or a weight is no number.
    """
    from huggingface_hub.errors import StrictDataclassError
    from safetensors import SafetensorError
    from transformers import AutoModelForCausalLM

    try:
        for path in folder.glob("*.safetensors"):  # as in read_splits
            path.open("rb").close()
        with quiet_transformers():
            model, found = AutoModelForCausalLM.from_pretrained(
                folder,
                dtype=dtype,
                local_files_only=True,
                use_safetensors=True,
                ignore_mismatched_sizes=True,  # reported, and refused below
                output_loading_info=True,
            )
    except (
        *(OSError, ValueError, TypeError, KeyError, AttributeError, ArithmeticError, ImportError),
        *(RuntimeError, SafetensorError, StrictDataclassError),
    ) as error:
        raise InvalidRun(f"{folder}: {unreadable} ({first_line(error)})") from None
    if misfits := _misfits(found):
        raise InvalidRun(
            f"{folder}: {_CONFIG} and {_WEIGHTS} do not fit ({misfits}): they are not of one model"
        )
    for name, weight in model.named_parameters():
        if not bool(weight.isfinite().all()):
            raise InvalidRun(f"{folder}: a weight is not a number: {name}")
    return model


def _misfits(found: dict[str, Any]) -> str:
    """Which weights a configuration asks for and which there are, where these differ."""
    sizes = [
        f"{name} is {' x '.join(map(str, there))}, expected {' x '.join(map(str, asked))}"
        for name, there, asked in sorted(found["mismatched_keys"])
    ]
    kinds = {
        "missing ": sorted(found["missing_keys"]),
        "unexpected ": sorted(found["unexpected_keys"]),
        "": sizes,
    }
    named = [
        f"{kind}{names[0]}" + (f" and {len(names) - 1} more" if len(names) > 1 else "")
        for kind, names in kinds.items()
        if names
    ]
    return "; ".join(named)


def first_line(error: Exception) -> str:
    """The start of another library's message, for one of ours."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if len(lines) > 1 and lines[0].endswith(":"):
        return " ".join(lines[:2])
    return lines[0] if lines else type(error).__name__


def _check_tokenizer(folder: Path, linearizer: "Linearizer") -> None:
    from graphassay.linearize.tokenizer import load_vocabulary

    try:
        tokens = load_vocabulary(folder).tokens
    except (OSError, InvalidInput) as error:
        raise InvalidRun(f"{folder}: its tokenizer cannot be read ({error})") from None
    if tokens != linearizer.vocabulary.tokens:
        raise InvalidRun(
            f"{folder}: the tokenizer has {len(tokens)} tokens that are not those of "
            f"{_LINEARIZER} ({len(linearizer.vocabulary.tokens)}): they are not of one run"
        )


def read_linearizer(root: Path) -> "Linearizer":
    """The linearizer saved with a run."""
    from graphassay.linearize import Linearizer

    path = root / _LINEARIZER
    try:
        return Linearizer.from_json(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InvalidRun(f"{path}: cannot be read ({error.strerror})") from None
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidRun(f"{path}: damaged ({error}); train anew") from None


def write_linearizer(root: Path, linearizer: "Linearizer") -> None:
    """Save the linearizer with a run."""
    write_text(root / _LINEARIZER, linearizer.to_json())


def write_splits(root: Path, splits: Splits) -> None:
    """Save the splits with a run."""
    from safetensors.numpy import save

    arrays = {name: np.ascontiguousarray(array) for name, array in splits.__dict__.items()}
    write_bytes(root / _SPLITS, save(arrays))


def read_splits(root: Path) -> Splits:
    """The splits saved with a run."""
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    path = root / _SPLITS
    try:
        path.open("rb").close()  # "no such file", says safetensors of a refusal
        return Splits(**load_file(path))
    except OSError as error:
        raise InvalidRun(f"{path}: cannot be read ({error.strerror})") from None
    except (SafetensorError, TypeError) as error:
        raise InvalidRun(f"{path}: damaged ({error}); train anew") from None


def holds_no_run(root: Path) -> bool:
    """Whether a folder is empty, or a start of training ended before there was a run in it."""
    before = (_LINEARIZER, _SPLITS)  # written before the record
    partial = [f".{name}.partial" for name in (*before, _RUN)]
    return {path.name for path in root.iterdir()} <= {*before, *partial}


def checkpoint_folders(root: Path) -> list[tuple[int, Path]]:
    """(step, folder) of every finished checkpoint, ascending."""
    found = []
    for path in root.glob("checkpoint-*"):
        step = path.name.removeprefix("checkpoint-")
        if step.isdigit() and (path / _WEIGHTS).is_file():
            found.append((int(step), path))
    return sorted(found)


def find_device(name: str) -> "torch.device":
    """The device of that name; ``auto`` is CUDA where there is one, otherwise the CPU.

    Raises:
        InvalidInput: when PyTorch has no such device here; the message lists what there is.
    """
    import torch

    n_cuda = torch.cuda.device_count() if torch.cuda.is_available() else 0
    here = ["cpu", *(f"cuda:{i}" for i in range(n_cuda))]
    if torch.backends.mps.is_available():
        here.append("mps")
    if name == "auto":
        return torch.device("cuda:0" if n_cuda else "cpu")
    chosen = "cuda:0" if name == "cuda" else name
    if chosen not in here:
        raise InvalidInput(f"device {name!r}: expected auto or one of {', '.join(here)}")
    return torch.device(chosen)


@contextmanager
def quiet_transformers() -> Iterator[None]:
    """Keep transformers' progress bars and remarks (not its warnings as such) off the terminal."""
    from transformers.utils import logging

    bars, level = logging.is_progress_bar_enabled(), logging.get_verbosity()
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


def write_text(path: Path, text: str) -> None:
    """Replace a file in one go: readers see the old one or the new one."""
    write_bytes(path, text.encode())


def write_bytes(path: Path, content: bytes) -> None:
    """Replace a file in one go: readers see the old one or the new one."""
    partial = path.with_name(f".{path.name}.partial")
    try:
        partial.write_bytes(content)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
