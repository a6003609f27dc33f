"""Distinct sequences against sets, draw by draw."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from graphassay.metrics.saturation import distinct_sequences


@given(hnp.arrays(np.uint64, (4, 9), elements=st.integers(0, 5)))
def test_equals_counting_with_sets(hashes: np.ndarray) -> None:
    found = distinct_sequences(hashes, (1, 2, 5, 9))
    assert list(found) == [
        np.mean([len(set(row[:k].tolist())) for row in hashes]) for k in (1, 2, 5, 9)
    ]
    assert found[0] == 1
    assert list(found) == sorted(found)


def test_no_graph_is_undefined() -> None:
    assert distinct_sequences(np.empty((0, 3), dtype=np.uint64), (1, 2)) == ()
