"""What K likelihoods of one graph say together: their spread, and a bound of log p(G)."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from graphassay.errors import InvalidInput

MIN_PERMUTATIONS = 2
"""One number has no spread."""

Float64 = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


def linearization_uncertainty(nll: npt.ArrayLike, *, single: Bools | None = None) -> Float64:
    """LU = sd / mean of the NLL over K linearizations of each graph (population sd, ddof 0).

    Args:
        nll: nats, shape (graphs, K), K >= 2.
        single: graphs that have one linearization only: nothing can vary, so LU is undefined.

    Returns:
        float64, shape (graphs,); NaN, for "undefined", where ``single`` says so or the mean is 0.

    Raises:
        InvalidInput: K below 2.

    Source: L 2.3; DEFINITIONS 9.

    Example:
        >>> linearization_uncertainty([[9.0, 11.0]]).tolist()
        [0.1]
    """
    values = np.asarray(nll, dtype=np.float64)
    _check_shape(values)
    mean = values.mean(axis=1)
    lu: Float64 = np.divide(
        values.std(axis=1), mean, out=np.full(len(mean), np.nan), where=mean > 0
    )
    if single is not None:
        lu[single] = np.nan
    return lu


def log_mean_exp(values: npt.ArrayLike) -> Float64:
    """Logarithm of the mean of exp over the last axis, without overflow."""
    x = np.asarray(values, dtype=np.float64)
    top = x.max(axis=-1, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):
        mean: Float64 = np.log(np.exp(x - top).mean(axis=-1)) + top[..., 0]
    return mean


@dataclass(frozen=True)
class GraphBounds:
    """For each graph, from K draws: nats, shape (graphs,)."""

    mean_log_p: Float64
    plain: Float64
    importance: Float64
    variance: Float64


def importance_bounds(log_p: npt.ArrayLike, log_q: npt.ArrayLike) -> GraphBounds:
    """Lower bounds of log p(G), where p(G) is the sum of p(s) over the linearizations s of G.

    ``importance`` = log (1/K) sum p(s_k) / q(s_k|G) for s_k drawn from q. Its expectation is at
    most log p(G) and grows with K (Burda et al.). ``plain`` leaves q out: also a bound, since
    q <= 1, and a looser one. ``variance`` is that of ``importance``: var(w) / (K mean(w)^2) of the
    K weights (delta method, ddof 1).

    Args:
        log_p: of each drawn sequence, nats, shape (graphs, K), K >= 2.
        log_q: of the linearizer writing that sequence, log |Aut(G)| included.

    Raises:
        InvalidInput: K below 2, or shapes that differ. Never undefined otherwise: a weight of 0
            gives -inf only when all are.

    Source: Burda, Grosse, Salakhutdinov, ICLR 2016 (importance weighting); DEFINITIONS 9.

    Example:
        >>> import math
        >>> both = [[math.log(0.25), math.log(0.125)]]  # two linearizations, each with q = 1/2
        >>> found = importance_bounds(both, [[math.log(0.5)] * 2])
        >>> round(math.exp(found.importance[0]), 3), round(math.exp(found.plain[0]), 4)
        (0.375, 0.1875)
    """
    p, q = np.asarray(log_p, dtype=np.float64), np.asarray(log_q, dtype=np.float64)
    if p.shape != q.shape:
        raise InvalidInput(f"expected log_p and log_q of one shape, got {p.shape} and {q.shape}")
    _check_shape(p)
    weights = p - q
    scaled = np.exp(weights - weights.max(axis=1, keepdims=True))
    variance = scaled.var(axis=1, ddof=1) / (p.shape[1] * scaled.mean(axis=1) ** 2)
    return GraphBounds(p.mean(axis=1), log_mean_exp(p), log_mean_exp(weights), variance)


def has_one_linearization(log_q: npt.NDArray[Any]) -> Bools:
    """Whether each graph has a single linearization: its draws had probability 1.

    Args:
        log_q: shape (graphs, K), log |Aut(G)| included.
    """
    single: Bools = (np.abs(log_q) < 1e-9).all(axis=1)
    return single


def check_permutations(permutations: int) -> None:
    """Refuse fewer linearizations of each graph than the two that a spread needs.

    Raises:
        InvalidInput: fewer than 2.
    """
    if permutations < MIN_PERMUTATIONS:
        raise InvalidInput(
            f"permutations: expected at least {MIN_PERMUTATIONS}, for a spread, got {permutations}"
        )


def _check_shape(values: npt.NDArray[Any]) -> None:
    check_permutations(values.shape[1] if values.ndim == 2 else 1)
