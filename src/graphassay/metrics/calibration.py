"""Where a value stands among the draws of a reference (DEFINITIONS 6; M 4.3)."""

from collections.abc import Sequence

import numpy as np

from graphassay.results import Distribution, Undefined, Value


def summarize(values: Sequence[Value]) -> Distribution:
    """Median, mean, sd (n - 1) and central 95 % range of the defined draws.

    Returns:
        Summaries are `Undefined` when no draw is defined; ``sd`` also when only one is.
    """
    kept = defined(values)
    if not len(kept):
        first = next((v for v in values if isinstance(v, Undefined)), Undefined("no draws"))
        return Distribution(tuple(values), first, first, first, first, first)
    low, median, high = (float(q) for q in np.quantile(kept, [0.025, 0.5, 0.975]))
    sd: Value = float(kept.std(ddof=1)) if len(kept) > 1 else Undefined("only one draw")
    return Distribution(tuple(values), median, float(kept.mean()), sd, low, high)


def percentile_rank(value: Value, values: Sequence[Value]) -> Value:
    """Share of draws strictly below the value, ties half, times 100.

    Returns:
        In [0, 100]; `Undefined` when the value is, or no draw is defined.

    Source: M 4.3; scipy's ``percentileofscore(kind="mean")`` is the oracle.

    Example:
        >>> percentile_rank(2.0, [1.0, 2.0, 3.0, 4.0])
        37.5
    """
    if isinstance(value, Undefined):
        return value
    kept = defined(values)
    if not len(kept):
        return Undefined("no draw of the reference is defined")
    return float(100 * (np.sum(kept < value) + np.sum(kept == value) / 2) / len(kept))


def z_score(value: Value, values: Sequence[Value]) -> Value:
    """(value - mean of the draws) / sd of the draws (n - 1).

    Returns:
        `Undefined` when the value is, with fewer than 2 defined draws, or when they do not vary.

    Source: M 4.3.
    """
    if isinstance(value, Undefined):
        return value
    kept = defined(values)
    if len(kept) < 2:
        return Undefined(f"needs at least 2 defined draws, got {len(kept)}")
    sd = float(kept.std(ddof=1))
    # Equal draws differ by rounding of their mean at most; that is no spread to divide by.
    if sd <= 1e-12 * max(1.0, float(np.abs(kept).max())):
        return Undefined("the draws of the reference do not vary")
    return (value - float(kept.mean())) / sd


def delta(value: Value, values: Sequence[Value]) -> Value:
    """Value minus the median draw; `Undefined` when either is.

    Source: M 4.3.
    """
    if isinstance(value, Undefined):
        return value
    kept = defined(values)
    if not len(kept):
        return Undefined("no draw of the reference is defined")
    return value - float(np.median(kept))


def mean_value(values: Sequence[Value]) -> Value:
    """Mean of the defined values; the first reason when none is."""
    kept = defined(values)
    if len(kept):
        return float(kept.mean())
    return next((v for v in values if isinstance(v, Undefined)), Undefined("no values"))


def defined(values: Sequence[Value]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """The values that exist, in order."""
    return np.array([v for v in values if not isinstance(v, Undefined)], dtype=np.float64)
