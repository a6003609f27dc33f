"""Are top-1 confidences right as often as they say? Expected calibration error, streaming.

Tokens never have to be kept: a table of 15 bins x (tokens, sum of confidence, number correct) says
all, tables add up, and one table per graph lets graphs be resampled afterwards.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from graphassay.errors import InvalidInput
from graphassay.metrics.graph_bootstrap import GraphBootstrap
from graphassay.results import Undefined, Value
from graphassay.results.linearization import Reliability

Float64 = npt.NDArray[np.float64]
Int64 = npt.NDArray[np.int64]

N_BINS = 15
"""Equal bins (lo, hi] of [0, 1]; a confidence of exactly 0 falls into the first."""

_EDGES = np.arange(1, N_BINS) / N_BINS
_EMPTY = Undefined("no token of this kind")


def confidence_bins(confidence: npt.ArrayLike) -> Int64:
    """The bin, 0 to 14, of each confidence.

    Args:
        confidence: probabilities, any shape.

    Raises:
        InvalidInput: outside [0, 1] (rounding of float32 aside), or not a number.

    Example:
        >>> confidence_bins([0.0, 1 / 15, 0.07, 1.0]).tolist()
        [0, 0, 1, 14]
    """
    values = np.asarray(confidence, dtype=np.float64)
    if values.size and not (values.min() >= 0 and values.max() <= 1 + 1e-5):
        raise InvalidInput("expected confidences in 0..1")
    # left: a value on an edge belongs to the bin that ends there.
    bins: Int64 = np.searchsorted(_EDGES, values, side="left").astype(np.int64)
    return bins


def reliability_table(
    confidence: npt.ArrayLike, correct: npt.ArrayLike, groups: npt.ArrayLike, n_groups: int
) -> Float64:
    """Tokens, sum of confidence and number correct, by group and bin.

    Args:
        confidence: top-1 probability of each token, shape (tokens,).
        correct: whether the top-1 token was the right one, shape (tokens,).
        groups: which table each token belongs to, in 0..n_groups - 1.
        n_groups: how many tables.

    Returns:
        float64, shape (n_groups, 15, 3). Tables of disjoint tokens add up.
    """
    values = np.asarray(confidence, dtype=np.float64)
    cell = np.asarray(groups, dtype=np.int64) * N_BINS + confidence_bins(values)
    size = n_groups * N_BINS
    columns = [
        np.bincount(cell, minlength=size),
        np.bincount(cell, weights=values, minlength=size),
        np.bincount(cell, weights=np.asarray(correct, dtype=np.float64), minlength=size),
    ]
    return np.stack(columns, axis=-1).astype(np.float64).reshape(n_groups, N_BINS, 3)


def calibration_errors(tables: npt.NDArray[Any]) -> Float64:
    """Expected calibration error of each table; NaN, for "undefined", where a table is empty.

    Args:
        tables: shape (..., 15, 3), as `reliability_table` makes them.
    """
    counts, confidence, correct = np.moveaxis(np.asarray(tables, dtype=np.float64), -1, 0)
    total = counts.sum(axis=-1)
    gaps = np.abs(confidence - correct).sum(axis=-1)
    errors: Float64 = np.divide(gaps, total, out=np.full(total.shape, np.nan), where=total > 0)
    return errors


def calibration_error(table: npt.NDArray[Any]) -> Value:
    """Expected calibration error: mean gap between confidence and accuracy over 15 bins.

    ECE = sum over bins of (tokens in the bin / all tokens) * |mean confidence - accuracy|.

    Args:
        table: shape (15, 3), as `reliability_table` makes it.

    Returns:
        In [0, 1]; `Undefined` where there is no token.

    Source: Guo et al., ICML 2017, eq. 3; L 2.3 with B = 15; DEFINITIONS 9.

    Example:
        >>> calibration_error(reliability_table([0.9, 0.9], [True, False], [0, 0], 1)[0])
        0.4
    """
    value = float(calibration_errors(table))
    return _EMPTY if np.isnan(value) else value


def reliability_diagram(tables: npt.NDArray[Any], bootstrap: GraphBootstrap) -> Reliability | None:
    """The diagram of all tokens, its ECE with an interval over graphs; None without tokens.

    Args:
        tables: of each graph, shape (graphs, 15, 3).
        bootstrap: which graphs the resamples hold.
    """
    total = tables.sum(axis=0)
    value = calibration_error(total)
    if isinstance(value, Undefined):
        return None

    def statistic(sums: Float64) -> Float64:
        return calibration_errors(sums.reshape(-1, N_BINS, 3))

    # A resample's ECE is biased upwards, more so than the value: |noise| does not cancel.
    estimate = bootstrap.estimate(
        value,
        tables.reshape(len(tables), N_BINS * 3),
        statistic,
        n=int((tables[..., 0].sum(axis=1) > 0).sum()),
        recentred=True,
        bounds=(0.0, 1.0),
    )
    empty = Undefined("no token in this bin")

    def per_token(column: int) -> tuple[Value, ...]:
        return tuple(float(row[column] / row[0]) if row[0] else empty for row in total)

    counts = tuple(int(count) for count in total[:, 0])
    return Reliability(estimate, counts, per_token(1), per_token(2))
