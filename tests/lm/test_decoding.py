"""Drawing tokens: Hugging Face's warpers give the same distribution."""

import numpy as np
import pytest
import torch
from scipy.stats import chisquare, kstest
from transformers import (
    LogitsProcessorList,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
)

from graphassay.errors import InvalidInput
from graphassay.lm.decoding import DECODINGS, HEAD, Decoding, decoding_named, draw, uniforms


def hugging_face(decoding: Decoding, logits: torch.Tensor) -> torch.Tensor:
    """Probabilities as `generate` has them."""
    warpers = LogitsProcessorList()
    if decoding.temperature != 1:
        warpers.append(TemperatureLogitsWarper(decoding.temperature))
    if decoding.top_k is not None:
        warpers.append(TopKLogitsWarper(decoding.top_k))
    if decoding.top_p < 1:
        warpers.append(TopPLogitsWarper(decoding.top_p))
    return warpers(None, logits.clone()).softmax(-1)


CASES = [
    *DECODINGS.values(),
    Decoding(0.5, 0.6, 7),
    Decoding(3.0, 0.99),
    Decoding(1.0, 0.01),
    Decoding(1.0, 1.0, 1),
]


@pytest.mark.parametrize("decoding", CASES, ids=str)
def test_inversion_gives_the_warpers_probabilities(decoding: Decoding) -> None:
    logits = torch.randn(6, 90, generator=torch.Generator().manual_seed(0)) * 3
    expected = hugging_face(decoding, logits).double()
    # A fine grid instead of chance: the share of grid points that fall on a token is its mass.
    n = 20_000
    grid = (torch.arange(n, dtype=torch.float64) + 0.5) / n
    for row in range(6):
        drawn = draw(logits[row].expand(n, -1), decoding, grid)
        share = torch.bincount(drawn, minlength=90) / n
        torch.testing.assert_close(share.double(), expected[row], rtol=0, atol=1.5 / n + 1e-6)


@pytest.mark.parametrize("spread", [0.01, 4.0])  # the head of the vocabulary holds 0.95, or not
def test_a_large_vocabulary_is_not_sorted_in_vain(spread: float) -> None:
    logits = torch.randn(3, 4 * HEAD, generator=torch.Generator().manual_seed(0)) * spread
    logits[::2] *= 3
    decoding = DECODINGS["nucleus_only"]
    expected = hugging_face(decoding, logits).double()
    n = 4000
    grid = (torch.arange(n, dtype=torch.float64) + 0.5) / n
    for row in range(3):
        share = torch.zeros(4 * HEAD)
        for part in grid.split(1000):
            drawn = draw(logits[row].expand(len(part), -1), decoding, part)
            share += torch.bincount(drawn, minlength=4 * HEAD) / n
        torch.testing.assert_close(share.double(), expected[row], rtol=0, atol=2 / n + 1e-6)


@pytest.mark.parametrize("u", [0.0, 0.5, 1 - 2**-53])
@pytest.mark.parametrize("decoding", CASES, ids=str)
def test_forbidden_tokens_are_never_drawn(decoding: Decoding, u: float) -> None:
    logits = torch.full((4, 60), -torch.inf)
    allowed = [[0], [59], [3, 4], [10, 30, 50]]
    for row, tokens in enumerate(allowed):
        logits[row, tokens] = torch.linspace(-80, 80, len(tokens))
    drawn = draw(logits, decoding, torch.full((4,), u, dtype=torch.float64))
    assert all(int(drawn[row]) in allowed[row] for row in range(4))


def test_a_row_does_not_depend_on_its_neighbours() -> None:
    logits = torch.randn(32, 50)
    u = torch.rand(32, dtype=torch.float64)
    for decoding in CASES:
        together = draw(logits, decoding, u)
        apart = torch.cat([draw(logits[i : i + 1], decoding, u[i : i + 1]) for i in range(32)])
        assert torch.equal(together, apart)


def test_uniforms_are_uniform_and_independent_streams() -> None:
    numbers = uniforms(7, range(400), 250)
    assert numbers.min() >= 0
    assert numbers.max() < 1
    assert kstest(numbers.ravel(), "uniform").pvalue > 1e-3
    assert len(np.unique(numbers)) == numbers.size
    cells, _, _ = np.histogram2d(numbers[:-1].ravel(), numbers[1:].ravel(), 10, [[0, 1]] * 2)
    assert chisquare(cells.ravel()).pvalue > 1e-3  # neighbouring samples
    cells, _, _ = np.histogram2d(numbers[:, :-1].ravel(), numbers[:, 1:].ravel(), 10, [[0, 1]] * 2)
    assert chisquare(cells.ravel()).pvalue > 1e-3  # neighbouring places


def test_uniforms_are_a_function_of_seed_sample_and_place() -> None:
    whole = uniforms(7, range(10), 20)
    np.testing.assert_array_equal(uniforms(7, [4, 2], 5), whole[[4, 2], :5])
    assert not np.isin(uniforms(8, range(10), 20), whole).any()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"temperature": 0.0}, "temperature: expected a number above 0, got 0.0"),
        ({"temperature": float("nan")}, "temperature"),
        ({"top_p": 0.0}, r"top_p: expected a share in \(0, 1\]"),
        ({"top_p": 1.1}, "top_p"),
        ({"top_k": 0}, "top_k: expected at least 1"),
    ],
)
def test_wrong_settings(options: dict[str, float], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        Decoding(**options)


def test_unknown_names_list_the_known() -> None:
    with pytest.raises(InvalidInput, match=r"both_default, nucleus_only.*got 'greedy'"):
        decoding_named("greedy")
