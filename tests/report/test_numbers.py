"""Number formats: signs, shares that never round to 0 or 1, undefined with its reason."""

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphassay.report import drawing, latex_text, matrix, names, numbers
from graphassay.report.scales import Linear, LogWithZero, covering
from graphassay.results import Estimate, Undefined


@pytest.mark.parametrize("module", [numbers, latex_text, drawing, names, matrix])
def test_examples_in_the_documentation(module) -> None:
    outcome = doctest.testmod(module)
    assert outcome.attempted > 0
    assert outcome.failed == 0


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.5, "0.500"),
        (-0.25, "−0.250"),
        (0.0, "0.000"),
        (-0.0, "0.000"),
        (0.0004, "0.00040"),
        (-0.0001, "−0.00010"),
        (3e-7, "3e−07"),
        (86837.4, "86,837.400"),
        (Undefined("no shared pattern"), "undefined: no shared pattern"),
    ],
)
def test_number(value, text) -> None:
    assert numbers.number(value) == text


@given(st.floats(0, 1))
def test_percent_is_exact_at_both_ends_only(share: float) -> None:
    text = numbers.percent(share)
    assert (text == "0\xa0%") == (share == 0)
    if text == "100\xa0%":
        assert share > 1 - 1e-12
    assert "nan" not in text


def test_counts_and_durations() -> None:
    assert numbers.count(1584663) == "1,584,663"
    assert numbers.count(571.2) == "571.2"
    assert numbers.duration(0.0123) == "12 ms"
    assert numbers.duration(125) == "2 min 5 s"
    assert numbers.signed(0.1) == "+0.100"
    assert numbers.signed(-0.1) == "−0.100"


def test_interval_says_why_it_is_missing() -> None:
    estimate = Estimate(0.5, Undefined("one graph"), Undefined("one graph"), 1, "none")
    assert numbers.interval(estimate) == "no interval: one graph"
    shares = Estimate(0.5, 0.25, 0.75, 8, "Wilson")
    assert numbers.interval(shares, share=True) == "25.0\xa0% to 75.0\xa0%"


@given(st.lists(st.floats(0, 1), max_size=8))
def test_axis_shows_every_value(values: list[float]) -> None:
    axis = covering(values, least=0, most=1, minimum=0.05)
    assert 0 <= axis.low < axis.high <= 1
    for value in values:
        assert axis.low - 1e-9 <= value <= axis.high + 1e-9
    places = [axis.at(v) for v, _ in axis.ticks()]
    assert places == sorted(places)
    assert 2 <= len(places) <= 12


def test_linear_ticks_are_round() -> None:
    assert [text for _, text in Linear(-0.5, 1.0).ticks()] == ["−0.5", "0.0", "0.5", "1.0"]


def test_log_axis_keeps_zero_apart() -> None:
    axis = LogWithZero(0.001)
    assert axis.at(0) < axis.gutter <= axis.at(0.001) < axis.at(0.1) < axis.at(1) == 100
    assert next(text for _, text in axis.ticks()) == "0"
