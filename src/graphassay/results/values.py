"""What all results are made of: numbers with their intervals, or the reason why there is none."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Undefined:
    """A number that does not exist for this input, and why."""

    reason: str


Value = float | Undefined


@dataclass(frozen=True)
class Estimate:
    """A value with its interval.

    ``low`` and ``high`` bound the ``level`` interval made by ``method``; ``n`` is the denominator
    (graphs, records or patterns, as the field that holds the estimate says).
    """

    value: Value
    low: Value
    high: Value
    n: int
    method: str
    level: float = 0.95


@dataclass(frozen=True)
class Distribution:
    """Values of one metric over draws of a reference; summaries leave out undefined draws."""

    values: tuple[Value, ...]
    median: Value
    mean: Value
    sd: Value
    low: Value
    """2.5 % quantile."""
    high: Value
    """97.5 % quantile."""


@dataclass(frozen=True)
class DrawnGraph:
    """A graph small enough to draw; ``smiles`` where it is a whole molecule."""

    vertex_labels: tuple[str, ...]
    edges: tuple[tuple[int, int, str], ...]
    smiles: str | None = None
