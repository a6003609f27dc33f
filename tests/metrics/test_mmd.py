import numpy as np
import pytest
from scipy.stats import wasserstein_distance

from graphassay.errors import InvalidInput
from graphassay.metrics.mmd import KERNELS, Kernel, draw_weights, mmd_estimate, mmd_squared
from graphassay.results import Undefined


def _histograms(rng: np.random.Generator, n: int, width: int) -> np.ndarray:
    return rng.dirichlet(np.full(width, 0.5), size=n)


def _value(kernel: Kernel, x: np.ndarray, y: np.ndarray) -> float:
    """One kernel value the long way."""
    width = max(len(x), len(y))
    x, y = (np.pad(row, (0, width - len(row))) for row in (x, y))
    if kernel.name == "gaussian_emd":
        places = np.arange(width) / kernel.distance_scale
        distance = wasserstein_distance(places, places, x, y)
    elif kernel.name == "gaussian_tv":
        distance = max(x[s].sum() - y[s].sum() for s in (x > y, y > x)) if (x != y).any() else 0
    else:
        distance = np.linalg.norm(x - y)
    return float(np.exp(-(distance**2) / (2 * kernel.sigma**2)))


@pytest.mark.parametrize("family", KERNELS)
@pytest.mark.parametrize("unbiased", [False, True])
def test_a_double_loop_gives_the_same(family, unbiased: bool) -> None:
    rng = np.random.default_rng(1)
    x, y = _histograms(rng, 5, 7), _histograms(rng, 6, 9)  # of different lengths
    for statistic in ("degree", "clustering", "spectral"):
        kernel = KERNELS[family][statistic]
        means = [
            np.mean(
                [
                    _value(kernel, p, q)
                    for i, p in enumerate(a)
                    for j, q in enumerate(b)
                    if not (unbiased and a is b and i == j)
                ]
            )
            for a, b in ((x, x), (y, y), (x, y))
        ]
        found = mmd_squared(
            kernel.matrix(x, x), kernel.matrix(y, y), kernel.matrix(x, y), unbiased=unbiased
        )
        assert found == pytest.approx(means[0] + means[1] - 2 * means[2], abs=1e-12)


def test_total_variation_of_orbit_means() -> None:
    kernel = KERNELS["gaussian_tv"]["orbit"]
    x, y = np.array([[10.0, 0.0, 2.0]]), np.array([[4.0, 6.0, 0.0]])
    assert kernel.matrix(x, y)[0, 0] == pytest.approx(np.exp(-((14 / 2) ** 2) / (2 * 30**2)))


def test_hand_computed_case() -> None:
    x, y = np.array([[1, 0.5], [0.5, 1]]), np.array([[1, 0.2], [0.2, 1]])
    between = np.full((2, 2), 0.3)
    assert mmd_squared(x, y, between, unbiased=True) == pytest.approx(0.5 + 0.2 - 0.6)
    assert mmd_squared(x, y, between, unbiased=False) == pytest.approx(0.75 + 0.6 - 0.6)


def test_the_u_statistic_is_unbiased_and_the_v_statistic_is_not() -> None:
    rng = np.random.default_rng(2)
    kernel = Kernel("rbf", 0.5)
    unbiased, biased, truth = [], [], []
    for _ in range(400):
        x, y, z = (_histograms(rng, 8, 4) for _ in range(3))
        y[:, [0, 1]] = y[:, [1, 0]]  # the same distribution
        matrices = kernel.matrix(x, x), kernel.matrix(y, y), kernel.matrix(x, y)
        unbiased.append(mmd_squared(*matrices, unbiased=True))
        biased.append(mmd_squared(*matrices, unbiased=False))
        truth.append(kernel.matrix(x, z).mean())
    error = np.std(unbiased) / np.sqrt(len(unbiased))
    assert abs(np.mean(unbiased)) < 3 * error
    assert min(unbiased) < 0 < max(unbiased)
    expected = 2 * (1 - np.mean(truth)) / 8  # two diagonals of ones
    assert np.mean(biased) == pytest.approx(expected, rel=0.1)
    assert np.mean(biased) > 10 * error


def test_equal_sets_have_a_v_statistic_of_zero() -> None:
    x = _histograms(np.random.default_rng(3), 9, 5)
    for family in KERNELS.values():
        for kernel in family.values():
            k = kernel.matrix(x, x)
            assert mmd_squared(k, k, k, unbiased=False) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("unbiased", [False, True])
def test_intervals_cover_the_expected_value(unbiased: bool) -> None:
    rng = np.random.default_rng(4)
    kernel = Kernel("gaussian_tv", 1.0)
    y = _histograms(rng, 60, 4)
    yy = kernel.matrix(y, y)

    def draw():
        x = rng.dirichlet(np.full(4, 1.0), size=30)
        return kernel.matrix(x, x), yy, kernel.matrix(x, y)

    expected = np.mean([mmd_squared(*draw(), unbiased=unbiased) for _ in range(1000)])
    estimates = [mmd_estimate(*draw(), unbiased=unbiased, rng=rng) for _ in range(200)]
    covered = [e.low <= expected <= e.high for e in estimates]
    assert 0.88 <= np.mean(covered) <= 0.99


def test_a_sampled_reference_widens_the_interval() -> None:
    rng = np.random.default_rng(5)
    kernel = Kernel("gaussian_tv", 1.0)
    x, y = _histograms(rng, 200, 4), rng.dirichlet(np.full(4, 1.0), size=20)
    widths = []
    for sampled in (False, True):
        e = mmd_estimate(
            kernel.matrix(x, x), kernel.matrix(y, y), kernel.matrix(x, y),
            unbiased=True, rng=np.random.default_rng(0), sampled_reference=sampled,
        )  # fmt: skip
        widths.append(e.high - e.low)
    assert widths[1] > 2 * widths[0]


def test_small_sets_are_undefined_not_zero() -> None:
    one, two, none = np.ones((1, 1)), np.ones((2, 2)), np.ones((0, 0))
    assert mmd_squared(one, two, np.ones((1, 2)), unbiased=True) == Undefined(
        "the unbiased MMD needs at least 2 generated graphs, got 1"
    )
    assert mmd_squared(two, one, np.ones((2, 1)), unbiased=True) == Undefined(
        "the unbiased MMD needs at least 2 reference graphs, got 1"
    )
    assert mmd_squared(one, two, np.ones((1, 2)), unbiased=False) == 0
    assert isinstance(mmd_squared(none, two, np.ones((0, 2)), unbiased=False), Undefined)
    rng = np.random.default_rng(0)
    estimate = mmd_estimate(one, two, np.ones((1, 2)), unbiased=False, rng=rng)
    assert estimate.value == 0
    assert estimate.low == Undefined("the interval needs at least 2 generated graphs, got 1")
    assert isinstance(
        mmd_estimate(none, two, np.ones((0, 2)), unbiased=True, rng=rng).value, Undefined
    )


def test_resamples_hold_two_different_graphs() -> None:
    weights = draw_weights(2, 500, np.random.default_rng(0))
    assert (weights.sum(axis=1) == 2).all()
    assert (weights == 1).all()


def test_kernels_say_what_they_are() -> None:
    assert str(KERNELS["gaussian_emd"]["clustering"]) == (
        "Gaussian of earth mover's distance, sigma 0.1, 100 bins per unit"
    )
    with pytest.raises(InvalidInput, match="kernel rbf: expected sigma and distance_scale above 0"):
        Kernel("rbf", 0.0)
