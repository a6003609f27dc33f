"""Axes: from values to percentages of a plot's width or height, and where the ticks stand."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol


class Axis(Protocol):
    """From values to per cent of a width or height, and the ticks."""

    def at(self, value: float) -> float:
        """Position in per cent of the axis."""

    def ticks(self, n: int = 5) -> list[tuple[float, str]]:
        """Round values and their text, about ``n`` of them."""


@dataclass(frozen=True)
class Linear:
    """A linear axis from low to high; it may descend (low above high)."""

    low: float
    high: float

    def at(self, value: float) -> float:
        """Position in per cent of the axis, clipped to it."""
        share = (value - self.low) / (self.high - self.low)
        return 100 * min(1.0, max(0.0, share))

    def ticks(self, n: int = 5) -> list[tuple[float, str]]:
        """Round values and their text, about ``n`` of them."""
        low, high = min(self.low, self.high), max(self.low, self.high)
        step = _round_step((high - low) / n)
        first = math.ceil(low / step - 1e-9)
        last = math.floor(high / step + 1e-9)
        digits = max(0, -math.floor(math.log10(step) + 1e-9))
        values = [i * step for i in range(first, last + 1)]
        return [(v, f"{v + 0.0:.{digits}f}".replace("-", "\N{MINUS SIGN}")) for v in values]


@dataclass(frozen=True)
class Shares(Linear):
    """A linear axis of shares, written as percentages."""

    def ticks(self, n: int = 5) -> list[tuple[float, str]]:
        """Round shares and their text."""
        scaled = Linear(100 * self.low, 100 * self.high).ticks(n)
        return [(value / 100, f"{text} %") for value, text in scaled]


@dataclass(frozen=True)
class Doubling:
    """A logarithmic axis whose ticks are the values measured (K = 2, 4, 8 ...)."""

    values: tuple[float, ...]

    def at(self, value: float) -> float:
        """Position in per cent of the axis, with room at both ends."""
        low, high = math.log(min(self.values)), math.log(max(self.values))
        if high == low:
            return 50.0
        return 4 + 92 * min(1.0, max(0.0, (math.log(value) - low) / (high - low)))

    def ticks(self, n: int = 5) -> list[tuple[float, str]]:
        """The values themselves, at most about ``2 n`` of them."""
        step = max(1, math.ceil(len(self.values) / (2 * n)))
        return [(v, f"{v:g}") for v in sorted(self.values)[::step]]


@dataclass(frozen=True)
class LogWithZero:
    """A logarithmic axis over [low, 1] with a place of its own for zero, left of the axis.

    Supports of 0 are what the reader looks for (patterns never made), and a log axis has none.
    """

    low: float
    gutter: float = 7.0

    def at(self, value: float) -> float:
        """Position in per cent of the axis."""
        if value <= 0:
            return self.gutter / 3
        share = 1 - math.log(max(value, self.low)) / math.log(self.low)
        return self.gutter + (100 - self.gutter) * min(1.0, share)

    def ticks(self) -> list[tuple[float, str]]:
        """Zero and the round shares on the axis."""
        shares = [m * 10.0**-d for d in range(6) for m in (1, 3)]
        chosen = sorted(s for s in shares if self.low <= s * (1 + 1e-9) and s <= 1)
        if len(chosen) > 6:
            chosen = [s for s in chosen if f"{s:.0e}".startswith("1")]
        return [(0.0, "0")] + [(s, f"{100 * s:g} %") for s in chosen]


def covering(values: Iterable[float], *, least: float, most: float, minimum: float) -> Linear:
    """A linear axis that shows all values with a margin, inside [least, most], at least
    ``minimum`` long (so that noise is not blown up to fill the page).
    """
    known = list(values) or [least, most]
    low, high = min(known), max(known)
    length = max(high - low, minimum)
    middle = (low + high) / 2
    low, high = middle - 0.55 * length, middle + 0.55 * length
    if high > most:
        low, high = low - (high - most), most
    if low < least:
        low, high = least, min(high + (least - low), most)
    return Linear(low, high)


def _round_step(raw: float) -> float:
    power = 10.0 ** math.floor(math.log10(raw))
    for factor in (1, 2, 5):
        if raw <= factor * power * (1 + 1e-9):
            return factor * power
    return 10 * power
