"""Validity, uniqueness, novelty and their product."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphassay.errors import InvalidInput
from graphassay.metrics.generation import (
    GenerationCounts,
    distinct_novelty,
    uniqueness,
    valid_unique_novel,
    validity,
)
from graphassay.metrics.intervals import rate
from graphassay.results import Undefined


def test_counts_by_hand() -> None:
    counts = GenerationCounts.of(["a", "a", "b", "c"], {"c", "z"}, n_records=8)
    assert counts == GenerationCounts(8, 4, 3, 2)
    assert validity(counts).value == 0.5
    assert uniqueness(counts).value == 0.75
    assert distinct_novelty(counts).value == pytest.approx(2 / 3)
    assert valid_unique_novel(counts).value == 0.25
    assert valid_unique_novel(counts) == rate(2, 8)  # a binomial interval over all records


@given(st.lists(st.integers(0, 9), max_size=30), st.sets(st.integers(0, 9)), st.integers(0, 5))
def test_the_product_is_the_product(valid: list[int], known: set[int], n_failed: int) -> None:
    counts = GenerationCounts.of(valid, known, n_records=len(valid) + n_failed)
    factors = [f(counts).value for f in (validity, uniqueness, distinct_novelty)]
    if any(isinstance(factor, Undefined) for factor in factors):
        assert not valid
        return
    v, u, n = factors
    assert valid_unique_novel(counts).value == pytest.approx(v * u * n)


def test_nothing_valid_leaves_uniqueness_undefined() -> None:
    counts = GenerationCounts.of([], {"a"}, n_records=5)
    assert (validity(counts).value, valid_unique_novel(counts).value) == (0.0, 0.0)
    assert isinstance(uniqueness(counts).value, Undefined)
    assert isinstance(distinct_novelty(counts).value, Undefined)
    none = GenerationCounts.of([], {"a"}, n_records=0)
    assert isinstance(validity(none).value, Undefined)
    assert isinstance(valid_unique_novel(none).value, Undefined)


def test_more_valid_than_records_is_refused() -> None:
    with pytest.raises(InvalidInput, match="at most 1 valid"):
        GenerationCounts.of(["a", "b"], set(), n_records=1)
