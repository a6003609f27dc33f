"""The best share by a number: ties, graphs without one, and what cannot be ranked."""

import numpy as np
import pytest

from graphassay.errors import InvalidInput
from graphassay.lm.ranking import best_half, check_ranking

NAN = float("nan")


def test_lowest_values_are_kept_in_order_of_input() -> None:
    halves = best_half([3.0, 1.0, 2.0, 5.0, 4.0], 0.6)
    assert halves.kept.tolist() == [0, 1, 2]
    assert halves.rejected.tolist() == [3, 4]
    assert halves.threshold == 3.0


def test_highest_values_are_kept_where_high_is_good() -> None:
    halves = best_half([-3.0, -1.0, NAN, -2.0, -5.0], 0.5, highest=True)
    assert halves.kept.tolist() == [1, 3]
    assert halves.rejected.tolist() == [0, 2, 4]
    assert halves.threshold == -2.0


def test_ties_go_to_the_first() -> None:
    assert best_half([1.0, 1.0, 1.0, 1.0], 0.5).kept.tolist() == [0, 1]


def test_graphs_without_a_value_are_rejected_and_counted() -> None:
    halves = best_half([NAN, 1.0, NAN, 2.0], 0.5)
    assert halves.kept.tolist() == [1]
    assert halves.rejected.tolist() == [0, 2, 3]
    assert halves.n_unranked == 2
    nothing = best_half([NAN, NAN], 0.5)
    assert (nothing.kept.tolist(), nothing.threshold) == ([], None)


@pytest.mark.parametrize(
    ("by", "keep", "permutations", "message"),
    [
        ("lu", 0.0, 4, "share between 0 and 1, got 0"),
        ("lu", 0.5, None, "give permutations"),
        ("mean", 0.5, None, "give permutations"),
        ("bound", 0.5, None, "give permutations"),
        ("nll", 0.5, 4, "leave permutations out"),
    ],
)
def test_what_cannot_be_ranked(by, keep: float, permutations, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        check_ranking(by, keep, permutations)
    check_ranking("lu", np.float64(0.8), 4)
    check_ranking("nll", 0.8, None)
