"""Fréchet ChemNet distance, from the activations of ChemNet."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
from scipy import linalg

from graphassay.errors import InvalidInput
from graphassay.metrics.intervals import resampled
from graphassay.results import Estimate, Undefined

Floats = npt.NDArray[np.float64]

MIN_MOLECULES = 513
"""With fewer molecules than this, the covariance of ChemNet's 512 activations is singular."""

RELIABLE = 10_000
"""Below this many molecules the distance is visibly inflated (its authors' advice)."""


def frechet_distance(
    generated: npt.NDArray[np.floating],
    reference: npt.NDArray[np.floating],
    *,
    seed: int,
    n_resamples: int = 20,
    least: int = MIN_MOLECULES,
) -> Estimate:
    """Fréchet distance of two samples of activations, each taken as a Gaussian.

    ``|m1 - m2|^2 + tr(S1 + S2 - 2 (S1 S2)^(1/2))``. It is inflated by some 1/n: compare values of
    one number of molecules.

    Args:
        generated: shape (n, d).
        reference: shape (n_reference, d).
        seed: of the resamples.
        n_resamples: of the generated molecules, for the interval; 0 leaves it out.
        least: fewer molecules than this on one side give no number.

    Returns:
        At least 0; `Undefined` below ``least`` molecules on either side.

    Source: Preuer et al., J. Chem. Inf. Model. 58 (2018) 1736; the package ``fcd`` is the oracle.
    """
    if generated.ndim != 2 or generated.shape[1:] != reference.shape[1:]:
        raise InvalidInput(
            f"expected as many activations on both sides, got {generated.shape} and "
            f"{reference.shape}"
        )
    n = len(generated)
    nothing = too_few({"generated": n, "reference": len(reference)}, least=least)
    if nothing is not None:
        return Estimate(nothing, nothing, nothing, n, "bootstrap of the generated set")
    activations: Floats = generated.astype(np.float64)
    target = _Gaussian(reference.astype(np.float64))
    value = target.distance(activations, np.ones(n))
    rng = np.random.default_rng(seed)
    if not n_resamples:
        missing = Undefined("no resamples were asked for")
        return Estimate(value, missing, missing, n, "none")
    draws = [
        target.distance(activations, rng.multinomial(n, np.full(n, 1 / n)).astype(np.float64))
        for _ in range(n_resamples)
    ]
    return resampled(value, draws, n=n, bounds=(0.0, np.inf))


def too_few(sizes: Mapping[str, int], *, least: int = MIN_MOLECULES) -> Undefined | None:
    """Why there is no distance between sets of these sizes; None where there is one."""
    for side, n in sizes.items():
        if n < max(least, 2):
            return Undefined(f"needs at least {max(least, 2)} {side} molecules, got {n}")
    return None


class _Gaussian:
    """Mean, covariance and the root of it, of the set that stays the same."""

    def __init__(self, rows: Floats) -> None:
        self.mean, self.covariance = _moments(rows, np.ones(len(rows)))
        values, vectors = linalg.eigh(self.covariance)
        self.root = (vectors * np.sqrt(np.maximum(values, 0))) @ vectors.T

    def distance(self, rows: Floats, weights: Floats) -> float:
        mean, covariance = _moments(rows, weights)
        # tr (S1 S2)^(1/2) by the symmetric matrix of the same eigenvalues: no complex roots
        roots = np.sqrt(np.maximum(linalg.eigvalsh(self.root @ covariance @ self.root), 0))
        traces = np.trace(covariance) + np.trace(self.covariance) - 2 * roots.sum()
        gap = mean - self.mean
        return max(0.0, float(gap @ gap + traces))


def _moments(rows: Floats, weights: Floats) -> tuple[Floats, Floats]:
    total = weights.sum()
    mean = weights @ rows / total
    centred = (rows - mean) * np.sqrt(weights)[:, None]
    return mean, centred.T @ centred / (total - 1)
