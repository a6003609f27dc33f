"""How the next token is drawn: the study's six decoding configurations, and any other."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from graphassay.errors import InvalidInput


@dataclass(frozen=True)
class Decoding:
    """Temperature, then top-k, then top-p, in Hugging Face's order and with its meaning.

    Args:
        temperature: above 0; divides the logits.
        top_p: in (0, 1]; keeps the likeliest tokens until their mass reaches this.
        top_k: keeps this many of the likeliest tokens; None keeps all.
    """

    temperature: float = 1.0
    top_p: float = 1.0
    top_k: int | None = None

    def __post_init__(self) -> None:
        if not 0 < self.temperature < math.inf:
            raise InvalidInput(f"temperature: expected a number above 0, got {self.temperature}")
        if not 0 < self.top_p <= 1:
            raise InvalidInput(f"top_p: expected a share in (0, 1], got {self.top_p}")
        if self.top_k is not None and self.top_k < 1:
            raise InvalidInput(f"top_k: expected at least 1, got {self.top_k}")


DECODINGS = {
    "both_default": Decoding(1.0, 0.95, 50),
    "nucleus_only": Decoding(1.0, 0.95),
    "topk_only": Decoding(1.0, 1.0, 50),
    "pure_sample": Decoding(),
    "tp_high": Decoding(1.2, 0.95, 50),
    "tp_low": Decoding(0.8, 0.95, 50),
}
"""The configurations of DEFINITIONS 8."""


HEAD = 256
"""How many of the likeliest tokens of a large vocabulary are sorted first for top-p."""


def decoding_named(name: str) -> Decoding:
    """The configuration of that name.

    Raises:
        InvalidInput: unknown; lists them.
    """
    if name not in DECODINGS:
        raise InvalidInput(f"decoding: expected one of {', '.join(DECODINGS)}, got {name!r}")
    return DECODINGS[name]


def draw(logits: torch.Tensor, decoding: Decoding, uniform: torch.Tensor) -> torch.Tensor:
    """The next token of each row, by inversion: what ``uniform`` points at.

    Rows do not touch each other, so a row's token is a function of its logits and its number.

    Args:
        logits: float32 (rows, vocabulary); -inf where a token is forbidden.
        decoding: the configuration.
        uniform: float64 (rows,), in [0, 1).

    Returns:
        int64 (rows,).
    """
    if decoding.temperature != 1:
        logits = logits / decoding.temperature
    vocabulary = logits.shape[-1]
    if decoding.top_k is not None and decoding.top_k < vocabulary:
        likeliest, tokens = logits.topk(decoding.top_k)
        return _point_at(likeliest.softmax(-1), tokens, decoding.top_p, uniform)
    mass = logits.softmax(-1)
    if decoding.top_p == 1:
        return _point_at(mass, None, 1, uniform)
    if vocabulary > HEAD:  # sorting all of a large vocabulary takes longer than the model
        likeliest, tokens = mass.topk(HEAD)
        enough = likeliest.cumsum(-1)[:, -1] >= decoding.top_p
        chosen = _point_at(likeliest, tokens, decoding.top_p, uniform)
        if bool(enough.all()):
            return chosen
        rest = ~enough
        likeliest, tokens = mass[rest].sort(dim=-1, descending=True, stable=True)
        chosen[rest] = _point_at(likeliest, tokens, decoding.top_p, uniform[rest])
        return chosen
    likeliest, tokens = mass.sort(dim=-1, descending=True, stable=True)
    return _point_at(likeliest, tokens, decoding.top_p, uniform)


def _point_at(
    mass: torch.Tensor, tokens: torch.Tensor | None, top_p: float, uniform: torch.Tensor
) -> torch.Tensor:
    if top_p < 1:  # sorted: keep a token while the mass of likelier ones is below top_p
        likelier = mass.cumsum(-1) - mass
        mass = mass.masked_fill(likelier >= top_p, 0)
    upto = mass.cumsum(-1, dtype=torch.float64)
    total = upto[:, -1]
    # Strictly below the total, so that the place found always has mass, whatever the rounding.
    target = torch.minimum(uniform * total, torch.nextafter(total, torch.zeros_like(total)))
    place = (upto <= target[:, None]).sum(-1)
    return place if tokens is None else tokens.gather(1, place[:, None])[:, 0]


def uniforms(seed: int, samples: Sequence[int], n: int) -> npt.NDArray[np.float64]:
    """``n`` numbers in [0, 1) for each sample, a function of (seed, sample, place) alone.

    Counter-based: the finalizer of SplitMix64 (Steele, Lea and Flood 2014) over a mix of the three.

    Returns:
        float64, shape (len(samples), n).
    """
    key = np.random.SeedSequence(seed).generate_state(1, np.uint64)
    rows = _mix(key ^ _mix(np.asarray(samples, dtype=np.uint64)))
    cells = rows[:, None] + np.arange(1, n + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return (_mix(cells) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def _mix(z: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
