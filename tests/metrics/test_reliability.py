"""Calibration error against the definition in a loop; tables add up; intervals cover."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphassay.errors import InvalidInput
from graphassay.metrics.graph_bootstrap import GraphBootstrap
from graphassay.metrics.reliability import (
    N_BINS,
    calibration_error,
    calibration_errors,
    confidence_bins,
    reliability_diagram,
    reliability_table,
)
from graphassay.results import Undefined


def _by_definition(confidence: list[float], correct: list[bool]) -> float:
    """Guo et al. 2017, equation 3, bin by bin, with bounds as fractions."""
    total = 0.0
    for b in range(15):
        inside = [
            i for i, c in enumerate(confidence) if b / 15 < c <= (b + 1) / 15 or (b == 0 and c == 0)
        ]
        if inside:
            gap = np.mean([confidence[i] for i in inside]) - np.mean([correct[i] for i in inside])
            total += len(inside) / len(confidence) * abs(gap)
    return total


tokens = st.lists(
    st.tuples(
        st.one_of(st.floats(0, 1), st.sampled_from([k / 15 for k in range(16)])), st.booleans()
    ),
    min_size=1,
    max_size=60,
)


@given(tokens)
def test_equals_the_definition(drawn: list[tuple[float, bool]]) -> None:
    confidence, correct = zip(*drawn, strict=True)
    (table,) = reliability_table(confidence, correct, np.zeros(len(drawn), int), 1)
    value = calibration_error(table)
    assert value == pytest.approx(_by_definition(list(confidence), list(correct)), abs=1e-12)
    assert 0 <= value <= 1


def test_bins_are_open_below_and_closed_above() -> None:
    edges = np.arange(16) / 15
    assert confidence_bins(edges).tolist() == [0, *range(15)]
    assert confidence_bins(np.nextafter(edges[:-1], 2)).tolist() == list(range(15))


def test_confidences_outside_0_to_1_are_refused() -> None:
    for bad in (-0.1, 1.1, np.nan):
        with pytest.raises(InvalidInput, match=r"0\.\.1"):
            confidence_bins([0.5, bad])
    assert confidence_bins(np.float32(1.0000001)) == 14  # rounding of float32


def test_tables_of_groups_add_up() -> None:
    rng = np.random.default_rng(0)
    confidence, correct = rng.random(500), rng.random(500) < 0.5
    groups = rng.integers(0, 7, 500)
    tables = reliability_table(confidence, correct, groups, 7)
    whole = reliability_table(confidence, correct, np.zeros(500, int), 1)
    assert tables.shape == (7, N_BINS, 3)
    np.testing.assert_allclose(tables.sum(axis=0), whole[0])
    for g in range(7):
        own = groups == g
        expected = _by_definition(confidence[own].tolist(), correct[own].tolist())
        assert calibration_errors(tables)[g] == pytest.approx(expected)


def test_no_token_is_undefined_not_0() -> None:
    empty = np.zeros((N_BINS, 3))
    assert isinstance(calibration_error(empty), Undefined)
    assert np.isnan(calibration_errors(empty))
    assert reliability_diagram(np.zeros((4, N_BINS, 3)), GraphBootstrap(4, 0)) is None


def test_a_diagram_says_where_it_has_no_token() -> None:
    tables = reliability_table([0.95, 0.97, 0.3], [True, False, False], [0, 1, 1], 2)
    diagram = reliability_diagram(tables, GraphBootstrap(2, 0))
    assert diagram is not None
    assert diagram.counts == (0,) * 4 + (1,) + (0,) * 9 + (2,)
    assert diagram.confidence[14] == pytest.approx(0.96)
    assert diagram.accuracy[14] == 0.5
    assert isinstance(diagram.accuracy[0], Undefined)
    assert diagram.ece.value == pytest.approx((2 * 0.46 + 0.3) / 3)
    assert diagram.ece.n == 2


def test_intervals_cover_the_expected_error() -> None:
    """Over-confident by 0.1 everywhere: the error is 0.1, whatever the bin."""
    rng = np.random.default_rng(1)
    hits = 0
    for trial in range(60):
        confidence = rng.uniform(0.3, 1.0, (80, 30))
        correct = rng.random((80, 30)) < confidence - 0.1
        groups = np.repeat(np.arange(80), 30)
        tables = reliability_table(confidence.ravel(), correct.ravel(), groups, 80)
        diagram = reliability_diagram(tables, GraphBootstrap(80, trial))
        assert diagram is not None
        assert diagram.ece.low <= diagram.ece.value <= diagram.ece.high
        hits += diagram.ece.low <= 0.1 <= diagram.ece.high
    assert hits >= 50
