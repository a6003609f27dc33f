"""What a training run is: one validated record, read from TOML recipes and command-line options.

`TrainConfig` documents every option; ``recipes/*.toml`` shows complete settings.
"""

import dataclasses
import difflib
import math
import tomllib
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self

from graphassay.errors import InvalidInput, UnreadableFile


@dataclass(frozen=True)
class Shape:
    """Layers, hidden size, attention heads and feed-forward size of a LLaMA."""

    layers: int
    hidden: int
    heads: int
    ffn: int

    def n_parameters(self, vocab_size: int) -> int:
        """Parameters with untied embeddings: 10.5 million for tiny and 12,297 tokens."""
        layer = 4 * self.hidden**2 + 3 * self.hidden * self.ffn + 2 * self.hidden
        return self.layers * layer + self.hidden + 2 * vocab_size * self.hidden


SIZES = {
    "tiny": Shape(4, 256, 4, 1024),
    "medium": Shape(16, 576, 9, 2304),
    "small": Shape(12, 768, 12, 3072),
    "large": Shape(16, 1280, 20, 5120),
}
"""Named shapes (DEFINITIONS 11); they reproduce study M's parameter counts."""


@dataclass(frozen=True, kw_only=True)
class TrainConfig:
    """Everything that decides what a run learns, and nothing else.

    Exactly one of ``steps``, ``tokens`` and ``epochs`` is the budget. Raises `InvalidInput` naming
    the field, what was expected and what was given.
    """

    # data
    serialization: str = "sent:random"
    """How graphs become tokens: see `graphassay.linearize`."""
    train_share: float = 0.8
    """Share of the graphs to train on, in (0, 1]."""
    valid_share: float = 0.1
    """Share held out for validation during training, in [0, 1); what is left is the test split."""
    max_vertices: int | None = None
    """Vertices that the vocabulary can hold; None takes the data's largest graph."""
    long_graphs: Literal["refuse", "skip"] = "refuse"
    """What to do with a graph whose sequence exceeds the context: stop, or leave it out, counted.
    Nothing is ever cut in the middle."""

    # model
    size: str = "tiny"
    """A name in `SIZES`, or "custom" with the four numbers below."""
    layers: int | None = None
    hidden: int | None = None
    heads: int | None = None
    ffn: int | None = None
    context: int | None = None
    """Longest sequence in tokens; None fits the data (and leaves room for unlucky draws)."""
    attention_dropout: float = 0.0
    """In [0, 1)."""

    # optimization (AdamW)
    learning_rate: float = 1e-3
    weight_decay: float = 0.0
    beta1: float = 0.9
    beta2: float = 0.95
    warmup_share: float = 0.01
    """Share of the steps with linear warm-up, in [0, 1)."""
    schedule: Literal["cosine", "linear", "constant"] = "cosine"
    final_learning_rate_share: float = 0.0
    """Where a cosine ends, as a share of the peak, in [0, 1)."""
    clip: float = 1.0
    """Largest gradient norm; 0 leaves gradients alone."""
    batch_size: int = 64
    """Sequences in one forward pass of one device."""
    accumulation: int = 1
    """Forward passes per optimizer step."""
    batching: Literal["auto", "grouped", "packed"] = "auto"
    """``grouped``: rows of similar length, padded. ``packed``: several sequences per row, blind to
    each other. ``auto``: grouped where that pads less than 5 %, otherwise packed."""

    # budget
    steps: int | None = None
    """Optimizer steps."""
    tokens: int | None = None
    """Tokens over all devices; turned into steps by the mean sequence length."""
    epochs: float | None = None
    """Passes over the training split."""
    early_stopping: int | None = None
    """Stop when the validation NLL has not fallen for this many checkpoints, and keep the best."""

    # machine
    precision: Literal["float32", "bf16"] = "float32"
    """bf16 is autocast: the weights and the optimizer stay in float32."""
    attention: Literal["auto", "eager", "sdpa", "flash_attention_2"] = "auto"
    """auto: eager for bf16 on a CPU, where it is faster; sdpa elsewhere."""
    deepspeed: str | None = None
    """A DeepSpeed JSON file; see recipes/deepspeed-zero1.json."""

    # record
    checkpoints: int = 10
    """Evenly spaced over the run; each is a Hugging Face model folder, and is validated."""
    resume_steps: int | None = None
    """Save a resume point this often between the checkpoints; it replaces the one before."""
    log_steps: int = 10
    seed: int = 0
    """Decides the split, the initial weights, the order, the linearizations and the dropout."""

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            self._check_type(field.name)
        self._check_ranges()
        self._check_budget()
        _ = self.shape

    def _check_type(self, name: str) -> None:
        hint, value = _TYPES[name], getattr(self, name)
        if hint is float or (_is_optional(hint, float) and value is not None):
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise InvalidInput(f"{name}: expected a number, got {value!r}")
            object.__setattr__(self, name, float(value))
        elif typing.get_origin(hint) is Literal:
            allowed = typing.get_args(hint)
            if value not in allowed:
                raise InvalidInput(f"{name}: expected one of {', '.join(allowed)}, got {value!r}")
        elif isinstance(value, bool) or not isinstance(value, hint):
            kinds = "a whole number" if hint is int or _is_optional(hint, int) else "text"
            raise InvalidInput(f"{name}: expected {kinds}, got {value!r}")

    def _check_ranges(self) -> None:
        for name, (low, high, low_allowed, high_allowed) in _RANGES.items():
            value = getattr(self, name)
            if value is None:
                continue
            fits_low = value >= low if low_allowed else value > low
            fits_high = value <= high if high_allowed else value < high
            if not (fits_low and fits_high):  # also refuses NaN
                left, right = "(["[low_allowed], ")]"[high_allowed]
                raise InvalidInput(f"{name}: expected {left}{low}, {high}{right}, got {value}")
        if self.train_share + self.valid_share > 1 + 1e-9:
            raise InvalidInput(
                f"train_share + valid_share: expected at most 1, "
                f"got {self.train_share} + {self.valid_share}"
            )

    def _check_budget(self) -> None:
        given = [n for n in ("steps", "tokens", "epochs") if getattr(self, n) is not None]
        if len(given) != 1:
            raise InvalidInput(
                f"expected one budget (steps, tokens or epochs), got {', '.join(given) or 'none'}"
            )
        if self.early_stopping is not None and self.valid_share == 0:
            raise InvalidInput("early_stopping: needs a validation split, got valid_share = 0")
        if self.final_learning_rate_share and self.schedule != "cosine":
            raise InvalidInput("final_learning_rate_share: only a cosine schedule has one")

    @property
    def shape(self) -> Shape:
        """The model's shape: the named size, with any of the four numbers replaced."""
        if self.size != "custom" and self.size not in SIZES:
            raise InvalidInput(
                f"size: expected one of {', '.join(SIZES)} or custom, got {self.size!r}"
            )
        base = SIZES.get(self.size)
        numbers: dict[str, int] = {}
        for field in dataclasses.fields(Shape):
            value = getattr(self, field.name)
            value = getattr(base, field.name) if value is None and base else value
            if value is None:
                raise InvalidInput(f"size = custom: {field.name} is missing")
            numbers[field.name] = value
        shape = Shape(**numbers)
        if shape.hidden % shape.heads or (shape.hidden // shape.heads) % 2:
            raise InvalidInput(
                f"hidden: expected an even multiple of heads ({shape.heads}), got {shape.hidden}"
            )
        return shape

    def replace(self, **changes: Any) -> Self:
        """A copy with some fields changed; a new budget replaces the old one."""
        if any(changes.get(name) is not None for name in ("steps", "tokens", "epochs")):
            changes = {"steps": None, "tokens": None, "epochs": None} | changes
        return dataclasses.replace(self, **changes)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], *, where: str = "config") -> Self:
        """Build from plain data; unknown names are refused with the closest known one.

        Tables group the options for the reader (``[model]``, ``[optimizer]``); names are unique.
        """
        flat: dict[str, Any] = {}
        for key, value in values.items():
            flat |= value if isinstance(value, Mapping) else {key: value}
        for name in flat:
            if name not in _TYPES:
                close = difflib.get_close_matches(name, _TYPES, 1)
                hint = f"; did you mean {close[0]}?" if close else ""
                raise InvalidInput(f"{where}: unknown option {name!r}{hint}")
        try:
            return cls(**flat)
        except InvalidInput as error:
            raise InvalidInput(f"{where}: {error}") from None


def read_recipe(path: Path) -> dict[str, Any]:
    """The options in a TOML recipe, flattened; validated when a `TrainConfig` is made of them.

    Raises:
        UnreadableFile: when there is no such file or it is not TOML.
    """
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UnreadableFile(f"{path}: cannot read the recipe ({error.strerror})") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UnreadableFile(f"{path}: not a TOML file ({error})") from None
    flat: dict[str, Any] = {}
    for key, value in values.items():
        flat |= value if isinstance(value, dict) else {key: value}
    return flat


def _is_optional(hint: Any, kind: type) -> bool:
    return isinstance(hint, types.UnionType) and kind in typing.get_args(hint)


_TYPES: dict[str, Any] = typing.get_type_hints(TrainConfig)

_POSITIVE = (0, math.inf, False, False)
_SHARE = (0, 1, True, False)
_RANGES: dict[str, tuple[float, float, bool, bool]] = {
    "train_share": (0, 1, False, True),
    "valid_share": _SHARE,
    "max_vertices": _POSITIVE,
    "layers": _POSITIVE,
    "hidden": _POSITIVE,
    "heads": _POSITIVE,
    "ffn": _POSITIVE,
    "context": (2, math.inf, False, False),
    "attention_dropout": _SHARE,
    "learning_rate": _POSITIVE,
    "weight_decay": (0, math.inf, True, False),
    "beta1": _SHARE,
    "beta2": _SHARE,
    "warmup_share": _SHARE,
    "final_learning_rate_share": _SHARE,
    "clip": (0, math.inf, True, False),
    "batch_size": _POSITIVE,
    "accumulation": _POSITIVE,
    "steps": _POSITIVE,
    "tokens": _POSITIVE,
    "epochs": _POSITIVE,
    "early_stopping": _POSITIVE,
    "checkpoints": _POSITIVE,
    "resume_steps": _POSITIVE,
    "log_steps": _POSITIVE,
    "seed": (0, 2**32, True, False),
}
