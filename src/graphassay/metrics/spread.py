"""What a number owes to the checkpoint, the decoding and the seed (DEFINITIONS 8; M, F and O)."""

import math
from collections.abc import Sequence

import numpy as np
from scipy import stats

from graphassay.metrics.calibration import defined, mean_value
from graphassay.metrics.intervals import LEVEL
from graphassay.results import Estimate, Undefined, Value
from graphassay.results.model import SeedSpread, VarianceShare

_ROUNDING = 1e-12


ANYWHERE = (-math.inf, math.inf)


def student_mean(
    values: Sequence[Value], *, bounds: tuple[float, float] = ANYWHERE, level: float = LEVEL
) -> Estimate:
    """Mean of the defined values with Student's interval: mean +- t * sd / sqrt(n).

    Args:
        values: the values.
        bounds: range of the number; the interval is clipped to it.
        level: coverage.

    Returns:
        ``n`` counts the defined values. The mean is `Undefined` when none is, the bounds when fewer
        than 2 are.

    Source: Student, Biometrika 6 (1908) 1; M, appendix O.
    """
    kept = defined(values)
    mean = mean_value(values)
    method = "Student t"
    if isinstance(mean, Undefined):
        return Estimate(mean, mean, mean, 0, method, level)
    if len(kept) < 2:
        alone = Undefined("one value has no spread")
        return Estimate(mean, alone, alone, len(kept), method, level)
    t = float(stats.t.ppf((1 + level) / 2, len(kept) - 1))
    half = t * float(kept.std(ddof=1)) / math.sqrt(len(kept))
    low, high = max(mean - half, bounds[0]), min(mean + half, bounds[1])
    return Estimate(mean, low, high, len(kept), method, level)


def seed_spread(values: Sequence[Value], *, bounds: tuple[float, float] = ANYWHERE) -> SeedSpread:
    """One number over several seeds: values, mean with Student's interval, sd (ddof 1).

    Args:
        values: one per seed.
        bounds: range of the number; the interval is clipped to it.

    Returns:
        Undefined values are listed and left out of mean and sd; the sd is `Undefined` with fewer
        than 2 defined ones.

    Source: M, appendix O.
    """
    kept = defined(values)
    sd: Value = (
        float(kept.std(ddof=1))
        if len(kept) > 1
        else Undefined(f"a spread needs at least 2 defined values, got {len(kept)}")
    )
    return SeedSpread(tuple(values), student_mean(values, bounds=bounds), sd)


def variance_share(grid: Sequence[Sequence[Value]]) -> VarianceShare:
    """eta^2: which share of a number's variance lies between checkpoints, the rest being decoding.

    M names a one-way decomposition and gives no formula for its two terms. They are taken so that
    they add up to the total variance of the grid (law of total variance, all with divisor n):
    Var_ckpt is the variance over checkpoints of the mean over decodings; Var_decode is the mean
    over checkpoints of the variance over decodings. So eta^2 is the one-way analysis of variance's
    SS_between / SS_total with checkpoints as groups, and what depends on both, and the noise of a
    finite sample, count as decoding.

    Args:
        grid: one row per checkpoint, one column per decoding. A checkpoint with an undefined value
            is left out.

    Returns:
        ``n_checkpoints`` counts the rows used. A variance is `Undefined` with fewer than 2
        checkpoints or decodings, and eta^2 too when nothing varies.

    Source: M, appendix F.

    Example:
        >>> variance_share([[1.0, 3.0], [5.0, 7.0]]).eta_squared
        0.8
    """
    whole = [row for row in grid if not any(isinstance(value, Undefined) for value in row)]
    n_decodings = len(grid[0]) if grid else 0
    table = np.array(whole, dtype=np.float64).reshape(len(whole), n_decodings)
    left_out = (
        f" ({len(grid) - len(whole)} with an undefined value)" if len(whole) < len(grid) else ""
    )
    checkpoint: Value = Undefined(
        f"needs at least 2 checkpoints, got {len(whole)} of {len(grid)}{left_out}"
    )
    decoding: Value = Undefined(f"needs at least 2 decodings, got {n_decodings}")
    if len(whole) > 1 and n_decodings:
        checkpoint = float(table.mean(axis=1).var())
    if n_decodings > 1:
        decoding = float(table.var(axis=1).mean()) if whole else checkpoint
    return VarianceShare(
        checkpoint, decoding, _share(checkpoint, decoding, table), len(whole), n_decodings
    )


def _share(
    checkpoint: Value, decoding: Value, table: np.ndarray[tuple[int, int], np.dtype[np.float64]]
) -> Value:
    for value in (checkpoint, decoding):
        if isinstance(value, Undefined):
            return value
    assert not isinstance(checkpoint, Undefined)
    assert not isinstance(decoding, Undefined)
    total = checkpoint + decoding
    # Equal values differ by the rounding of their mean at most; that is no variance to share out.
    if total <= (_ROUNDING * float(np.abs(table).max())) ** 2:
        return Undefined("the value is the same at every checkpoint and decoding")
    return checkpoint / total
