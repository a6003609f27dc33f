"""Resamples as weights over one set of graphs: no graph is copied (DEFINITIONS 3 and 6)."""

import numpy as np
import numpy.typing as npt

from graphassay.errors import InvalidInput

Weights = npt.NDArray[np.int64]


def bootstrap_weights(
    n_graphs: int, size: int, n_draws: int, *, rng: np.random.Generator
) -> Weights:
    """Multiplicities of draws with replacement (the photocopier of M 4.3).

    Args:
        n_graphs: graphs to draw from, at least 1.
        size: graphs per draw.
        n_draws: draws.
        rng: source of randomness.

    Returns:
        int64, shape (n_draws, n_graphs); every row sums to ``size``.
    """
    _check(n_graphs, size, n_draws)
    weights = np.empty((n_draws, n_graphs), dtype=np.int64)
    for row in weights:
        row[:] = np.bincount(rng.integers(n_graphs, size=size), minlength=n_graphs)
    return weights


def subset_weights(n_graphs: int, size: int, n_draws: int, *, rng: np.random.Generator) -> Weights:
    """0/1 weights of draws without replacement; shape (n_draws, n_graphs), rows sum to ``size``.

    Raises:
        InvalidInput: when ``size`` exceeds ``n_graphs``.
    """
    _check(n_graphs, size, n_draws)
    if size > n_graphs:
        raise InvalidInput(f"expected a subset of at most {n_graphs} graphs, got {size}")
    weights = np.zeros((n_draws, n_graphs), dtype=np.int64)
    for row in weights:
        row[rng.choice(n_graphs, size=size, replace=False)] = 1
    return weights


def sample_weights(n_graphs: int, size: int, n_draws: int, *, rng: np.random.Generator) -> Weights:
    """Draws of ``size`` graphs, without replacement where there are at least twice as many.

    From fewer, draws without replacement would be nearly the same one again and again.
    """
    draw = subset_weights if 2 * size <= n_graphs else bootstrap_weights
    return draw(n_graphs, size, n_draws, rng=rng)


def _check(n_graphs: int, size: int, n_draws: int) -> None:
    if n_graphs < 1 or size < 0 or n_draws < 0:
        raise InvalidInput(
            f"expected n_graphs >= 1, size >= 0, n_draws >= 0, got {n_graphs}, {size}, {n_draws}"
        )
