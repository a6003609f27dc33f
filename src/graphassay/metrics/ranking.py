"""Does a number rank good graphs before bad ones? ROC-AUC with DeLong's interval, Spearman."""

import math

import numpy as np
import numpy.typing as npt
from scipy import stats

from graphassay.errors import InvalidInput
from graphassay.metrics.intervals import LEVEL
from graphassay.results import Estimate, Undefined, Value

Bools = npt.NDArray[np.bool_]
Float64 = npt.NDArray[np.float64]


def lower_is_better_auc(values: npt.ArrayLike, good: npt.ArrayLike) -> Estimate:
    """The probability that a random good graph has a lower value than a random bad one, ties half.

    That is the area under the ROC curve of "minus the value". 0.5: no better than chance.

    Args:
        values: one per graph; NaN ("undefined") leaves the graph out.
        good: one per graph.

    Returns:
        In [0, 1] with DeLong's interval; ``n`` graphs have a value. `Undefined` when all of them
        are good or all bad; the interval is when either kind has one graph only, or when they are
        perfectly separated (its variance is 0 whatever the number of graphs).

    Source: DeLong, DeLong, Clarke-Pearson, Biometrics 44 (1988) 837; by midranks as Sun and Xu,
    IEEE Signal Process. Lett. 21 (2014) 1389.

    Example:
        >>> lower_is_better_auc([1.0, 2.0, 3.0, 4.0], [True, False, True, False]).value
        0.75
    """
    x, kind = _defined(values, good)
    method, n = "DeLong", len(x)
    n_good = int(kind.sum())
    n_bad = n - n_good
    if not n_good or not n_bad:
        reason = Undefined(_one_kind(n, n_good))
        return Estimate(reason, reason, reason, n, method, LEVEL)
    ranks = stats.rankdata(-x)
    # Share of bad graphs that each good graph beats, and of good ones that beat each bad one.
    wins = (ranks[kind] - stats.rankdata(-x[kind])) / n_bad
    losses = 1 - (ranks[~kind] - stats.rankdata(-x[~kind])) / n_good
    auc = float(wins.mean())
    if n_good < 2 or n_bad < 2:
        why = Undefined(f"the interval needs 2 good and 2 bad graphs, got {n_good} and {n_bad}")
        return Estimate(auc, why, why, n, method, LEVEL)
    variance = float(wins.var(ddof=1)) / n_good + float(losses.var(ddof=1)) / n_bad
    if variance == 0:
        why = Undefined("perfect separation or all values equal: DeLong's variance is 0")
        return Estimate(auc, why, why, n, method, LEVEL)
    half = float(stats.norm.ppf((1 + LEVEL) / 2)) * math.sqrt(variance)
    return Estimate(auc, max(0.0, auc - half), min(1.0, auc + half), n, method, LEVEL)


def lower_is_better_spearman(values: npt.ArrayLike, good: npt.ArrayLike) -> Value:
    """Spearman's correlation of minus the value with good (1) or bad (0); ties get mean ranks.

    Args:
        values: one per graph; NaN ("undefined") leaves the graph out.
        good: one per graph.

    Returns:
        In [-1, 1]; `Undefined` when all graphs are good or all bad, or all values equal.

    Source: L, figure 7; DEFINITIONS 9.
    """
    x, kind = _defined(values, good)
    n_good = int(kind.sum())
    if n_good in (0, len(x)):
        return Undefined(_one_kind(len(x), n_good))
    if x.min() == x.max():
        return Undefined(f"all {len(x)} values are equal")
    return float(stats.spearmanr(-x, kind.astype(np.float64)).statistic)


def _defined(values: npt.ArrayLike, good: npt.ArrayLike) -> tuple[Float64, Bools]:
    x, kind = np.asarray(values, dtype=np.float64), np.asarray(good)
    if kind.dtype != np.bool_:
        raise InvalidInput(f"good: expected booleans, got {kind.dtype}")
    if x.shape != kind.shape or x.ndim != 1:
        raise InvalidInput(
            f"expected one value and one boolean per graph, got {x.shape} and {kind.shape}"
        )
    kept = ~np.isnan(x)
    return x[kept], kind[kept]


def _one_kind(n: int, n_good: int) -> str:
    if n == 0:
        return "no graph has a value"
    return f"all {n:,} graphs are {'good' if n_good else 'bad'}: there is nothing to tell apart"
