"""Similarity of parts, and distances of properties, against scipy and by hand."""

import numpy as np
import pytest
from scipy import stats
from scipy.spatial import distance

from graphassay.errors import InvalidInput
from graphassay.metrics.fragments import part_similarity
from graphassay.metrics.properties import common_histogram, property_distance
from graphassay.results import Undefined


def test_cosine_by_hand_and_by_scipy() -> None:
    found = part_similarity([["a", "b"], ["a"]], [["a"], ["c"]], seed=0)
    assert found.value == pytest.approx(1 - distance.cosine([2, 1, 0], [1, 0, 1]))
    assert found.n == 2
    assert found.low <= found.value <= found.high


def test_parts_that_nobody_has_leave_it_undefined() -> None:
    found = part_similarity([[], []], [["a"]], seed=0)
    assert found.value == Undefined("no generated molecule has such a part")
    found = part_similarity([["a"]], [], seed=0)
    assert found.value == Undefined("no reference molecule has such a part")
    assert isinstance(part_similarity([], [["a"]], seed=0).value, Undefined)


def test_same_and_different_parts() -> None:
    parts = [["a", "b"], ["b"], ["c"]]
    assert part_similarity(parts, parts, seed=0).value == 1.0
    assert part_similarity(parts, [["x"]], seed=0).value == 0.0
    twice = part_similarity(parts * 2, parts, seed=0)
    assert twice.value == 1.0
    assert part_similarity(parts, parts, seed=3) == part_similarity(parts, parts, seed=3)
    with pytest.raises(InvalidInput, match="at least 10"):
        part_similarity(parts, parts, seed=0, n_resamples=2)


def test_wasserstein_is_scipys_and_its_interval_covers_a_shift() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.normal(0, 1, 500), rng.normal(1, 1, 800)
    found = property_distance(a, b, seed=0)
    assert found.value == stats.wasserstein_distance(a, b)
    assert found.low < 1 < found.high
    assert property_distance(a, a, seed=0).value == 0.0


def test_properties_without_values() -> None:
    a = np.array([1.0])
    empty = np.zeros(0)
    assert property_distance(empty, a, seed=0).value == Undefined(
        "no generated molecule has a value"
    )
    assert property_distance(a, empty, seed=0).value == Undefined(
        "no reference molecule has a value"
    )
    with pytest.raises(InvalidInput, match="finite"):
        property_distance(np.array([np.nan]), a, seed=0)


def test_shares_over_common_bins() -> None:
    bins = common_histogram(np.array([0.0, 1.0, 1.0]), np.array([2.0]), n_bins=4)
    assert bins.edges == (0.0, 0.5, 1.0, 1.5, 2.0)
    assert bins.generated == pytest.approx((1 / 3, 0, 2 / 3, 0))
    assert bins.reference == (0.0, 0.0, 0.0, 1.0)
    assert common_histogram(np.zeros(0), np.zeros(0)).edges == ()
