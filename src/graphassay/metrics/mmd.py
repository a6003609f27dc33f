"""Maximum mean discrepancy between two sets of graphs, on rows of numbers or on kernel values.

MMD^2 = mean k(x, x') + mean k(y, y') - 2 mean k(x, y) (Gretton et al., JMLR 13 (2012) 723). The
literature of graph generation reports the biased V-statistic, whose means run over all pairs, a
graph with itself included; the unbiased U-statistic leaves those out and can be below 0.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from graphassay.errors import InvalidInput
from graphassay.metrics.graph_statistics import Rows, same_width
from graphassay.metrics.intervals import resampled
from graphassay.results import Estimate, Undefined, Value

Matrix = npt.NDArray[np.float64]
KernelName = Literal["gaussian_tv", "gaussian_emd", "rbf"]

BOUNDS = (-2.0, 2.0)
"""Of any MMD^2 with a kernel in [0, 1]."""

_REFERENCE_RESAMPLES = 50
"""Enough for a standard deviation."""
_BLOCK = 1 << 24
"""Distances computed at a time."""


@dataclass(frozen=True)
class Kernel:
    """exp(-d(x, y)^2 / (2 sigma^2)) for one of three distances.

    - ``gaussian_tv``: total variation, half the sum of absolute differences (Liao et al. 2019);
      what SPECTRE, DiGress and their successors report.
    - ``gaussian_emd``: earth mover's distance between histograms whose neighbouring bins lie
      ``1 / distance_scale`` apart (You et al. 2018).
    - ``rbf``: Euclidean distance.

    The first two are not positive definite (O'Bray et al., ICLR 2022), so that a V-statistic may
    fall below 0 by a hair; rbf is.

    Args:
        name: the distance.
        sigma: bandwidth, in the distance's unit.
        distance_scale: bins per unit, for ``gaussian_emd`` alone.
    """

    name: KernelName
    sigma: float
    distance_scale: float = 1.0

    def __post_init__(self) -> None:
        if not (self.sigma > 0 and self.distance_scale > 0):
            raise InvalidInput(
                f"kernel {self.name}: expected sigma and distance_scale above 0, got "
                f"{self.sigma:g} and {self.distance_scale:g}"
            )

    def __str__(self) -> str:
        distance = {
            "gaussian_tv": "Gaussian of total variation",
            "gaussian_emd": "Gaussian of earth mover's distance",
            "rbf": "Gaussian of Euclidean distance",
        }[self.name]
        scale = f", {self.distance_scale:g} bins per unit" if self.distance_scale != 1 else ""
        return f"{distance}, sigma {self.sigma:g}{scale}"

    def matrix(self, a: Rows, b: Rows) -> Matrix:
        """Kernel values of all pairs, shape (len(a), len(b)); the narrower rows are padded."""
        from scipy.spatial.distance import cdist

        a, b = same_width(a, b)
        metric: Literal["cityblock", "sqeuclidean"] = (
            "sqeuclidean" if self.name == "rbf" else "cityblock"
        )
        if self.name == "gaussian_emd":
            # On a line, the mass that crosses the gap after bin i is the difference of the sums up
            # to i. The last sum differs only where an all-zero row meets a histogram.
            a, b = np.cumsum(a, axis=1), np.cumsum(b, axis=1)
        # Small graphs share their rows (there are few degree histograms of molecules).
        a, place_a = np.unique(a, axis=0, return_inverse=True)
        b, place_b = np.unique(b, axis=0, return_inverse=True)
        values = np.empty((len(a), len(b)))
        step = max(1, _BLOCK // max(len(b), 1))
        for start in range(0, len(a), step):
            rows = slice(start, start + step)
            distances = cdist(a[rows], b, metric)
            if self.name == "gaussian_tv":
                distances = (distances / 2) ** 2
            elif self.name == "gaussian_emd":
                distances = (distances / self.distance_scale) ** 2
            values[rows] = np.exp(-distances / (2 * self.sigma * self.sigma))
        # (numpy 2.0 gives the places a second axis.)
        return values[place_a.reshape(-1, 1), place_b.ravel()]


KERNELS: dict[KernelName, dict[str, Kernel]] = {
    "gaussian_tv": {
        "degree": Kernel("gaussian_tv", 1.0),
        "clustering": Kernel("gaussian_tv", 0.1),
        "orbit": Kernel("gaussian_tv", 30.0),
        "spectral": Kernel("gaussian_tv", 1.0),
    },
    "gaussian_emd": {
        "degree": Kernel("gaussian_emd", 1.0),
        "clustering": Kernel("gaussian_emd", 0.1, 100.0),
        # Orbit means are no histograms: there the literature takes the Euclidean distance.
        "orbit": Kernel("rbf", 30.0),
        "spectral": Kernel("gaussian_emd", 1.0),
    },
    "rbf": {
        "degree": Kernel("rbf", 1.0),
        "clustering": Kernel("rbf", 0.1),
        "orbit": Kernel("rbf", 30.0),
        "spectral": Kernel("rbf", 1.0),
    },
}
"""The bandwidths of the literature, per family and statistic (GraphRNN, GRAN, SPECTRE, DiGress)."""


@dataclass(frozen=True)
class PairMeans:
    """Means of a kernel within and between two sets, from which every MMD is made.

    ``same_x`` is the mean of k(x, x) over the first set, ``within_x`` that of k(x, x') over pairs
    of two different graphs (0 where there is no pair); likewise for y. Arrays hold one value per
    resample of the first set.
    """

    n_x: int
    n_y: int
    same_x: Matrix
    within_x: Matrix
    same_y: float
    within_y: float
    between: Matrix

    def squared(self, *, unbiased: bool) -> Matrix:
        """MMD^2 per resample."""
        if unbiased:
            return self.within_x + self.within_y - 2 * self.between
        x = (self.same_x + (self.n_x - 1) * self.within_x) / self.n_x
        y = (self.same_y + (self.n_y - 1) * self.within_y) / self.n_y
        return x + y - 2 * self.between


def undefined_mmd(n_x: int, n_y: int, *, unbiased: bool) -> Undefined | None:
    """Why there is no MMD between sets of these sizes; None where there is one."""
    least = 2 if unbiased else 1
    for n, what in ((n_x, "generated"), (n_y, "reference")):
        if n < least:
            kind = "the unbiased MMD" if unbiased else "MMD"
            return Undefined(f"{kind} needs at least {least} {what} graphs, got {n}")
    return None


def mmd_squared(x: Matrix, y: Matrix, between: Matrix, *, unbiased: bool) -> Value:
    """MMD^2 from kernel values.

    Args:
        x: within the first set, shape (n_x, n_x).
        y: within the second set, shape (n_y, n_y).
        between: shape (n_x, n_y).
        unbiased: the U-statistic; else the V-statistic.

    Returns:
        In [-2, 2] for kernels in [0, 1]; 0 for equal distributions, in the mean and if unbiased.
        `Undefined` for an empty set, and for a set of one graph if unbiased.

    Source: Gretton et al. 2012, equations 3 and 5.

    Example:
        >>> import numpy as np
        >>> mmd_squared(np.eye(2), np.eye(2), np.eye(2), unbiased=True)
        -1.0
    """
    reason = undefined_mmd(len(x), len(y), unbiased=unbiased)
    if reason is not None:
        return reason
    once = np.ones((1, len(x)))
    return float(_pair_means(x, y, between, once).squared(unbiased=unbiased)[0])


def mmd_estimate(
    x: Matrix,
    y: Matrix,
    between: Matrix,
    *,
    unbiased: bool,
    rng: np.random.Generator,
    n_resamples: int = 200,
    sampled_reference: bool = False,
) -> Estimate:
    """`mmd_squared` with an interval over the generated graphs, from the same kernel values.

    The first set is resampled. Two copies of one graph in a resample make no pair: they would count
    its kernel with itself among those of different graphs, and inflate every resample.

    Args:
        x: within the generated set, shape (n_x, n_x).
        y: within the reference, shape (n_y, n_y).
        between: shape (n_x, n_y).
        unbiased: the U-statistic; else the V-statistic.
        rng: source of the resamples.
        n_resamples: how many.
        sampled_reference: the reference is itself a sample of a larger one; its own spread is then
            added in quadrature.
    """
    n = len(x)
    value = mmd_squared(x, y, between, unbiased=unbiased)
    if isinstance(value, Undefined) or n < 2:
        return interval_of(value, np.zeros(0), n)
    draws = _pair_means(x, y, between, draw_weights(n, n_resamples, rng)).squared(unbiased=unbiased)
    extra = 0.0
    if sampled_reference and len(y) > 1:
        weights = draw_weights(len(y), _REFERENCE_RESAMPLES, rng)
        turned = _pair_means(y, x, between.T, weights)
        extra = float(turned.squared(unbiased=unbiased).std())
    # Below 0 a biased MMD is by a hair only, and only if the kernel is not positive definite.
    low = BOUNDS[0] if unbiased else min(0.0, value)
    return interval_of(value, draws, n, bounds=(low, BOUNDS[1]), extra_sd=extra)


def interval_of(
    value: Value,
    draws: npt.NDArray[np.float64],
    n: int,
    *,
    bounds: tuple[float, float] = BOUNDS,
    extra_sd: float = 0.0,
) -> Estimate:
    """The value with the spread of its resamples; a set of one graph has no interval."""
    if not isinstance(value, Undefined) and n < 2:
        reason = Undefined(f"the interval needs at least 2 generated graphs, got {n}")
        return Estimate(value, reason, reason, n, "none")
    listed = [float(draw) for draw in draws]
    return resampled(value, listed, n=n, bounds=bounds, extra_sd=extra_sd)


def draw_weights(n: int, n_resamples: int, rng: np.random.Generator) -> Matrix:
    """How often each of ``n`` graphs occurs in each resample, shape (n_resamples, n).

    Every resample holds at least two different graphs.
    """
    weights = rng.multinomial(n, np.full(n, 1 / n), size=n_resamples).astype(np.float64)
    lone = np.flatnonzero((weights > 0).sum(axis=1) < 2)
    for row in lone.tolist():  # one graph drawn n times: happens in sets of a few graphs
        at = int(weights[row].argmax())
        weights[row, at] -= 1
        weights[row, (at + 1) % n] += 1
    return weights


def weighted_pairs(
    weights: Matrix, self_values: Matrix, quadratic: Matrix
) -> tuple[Matrix, Matrix]:
    """Means of k(x, x) and of k(x, x') over pairs of different graphs, for weighted graphs.

    Args:
        weights: shape (n_resamples, n).
        self_values: k(x, x), shape (n,).
        quadratic: sum of w_i w_j k(x_i, x_j), shape (n_resamples,).
    """
    total = weights.sum(axis=1)
    squares = (weights * weights).sum(axis=1)
    own = (weights * weights * self_values).sum(axis=1)
    n_pairs = total * total - squares
    within = np.where(n_pairs > 0, (quadratic - own) / np.maximum(n_pairs, 1), 0.0)
    return (weights * self_values).sum(axis=1) / total, within


def _pair_means(x: Matrix, y: Matrix, between: Matrix, weights: Matrix) -> PairMeans:
    from scipy.sparse import csr_array

    # Sparse times dense: unlike BLAS, its sums do not depend on the number of threads.
    spread = csr_array(weights)
    products = np.asarray(spread @ x)
    quadratic = (products * weights).sum(axis=1)
    same_x, within_x = weighted_pairs(weights, np.diagonal(x), quadratic)
    once = np.ones((1, len(y)))
    same_y, within_y = weighted_pairs(once, np.diagonal(y), y.sum(keepdims=True)[0])
    crossed = np.asarray(spread @ between.mean(axis=1)) / weights.sum(axis=1)
    return PairMeans(
        len(x), len(y), same_x, within_x, float(same_y[0]), float(within_y[0]), crossed
    )
