"""What lies between matrix products: the core's and PyTorch's are one."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from graphassay.errors import InvalidInput
from graphassay.lm.operations import NativeOperations, Packing, TorchOperations
from graphassay.native import causal_attention

DTYPES = (torch.float32, torch.bfloat16)
# One place of bfloat16 is 1/256 of a number; PyTorch rounds in between too.
TOLERANCE = {
    torch.float32: {"rtol": 1e-5, "atol": 1e-5},
    torch.bfloat16: {"rtol": 2e-2, "atol": 2e-2},
}


def drawn(seed: int, *shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("dtype", DTYPES)
@given(n=st.integers(0, 9), size=st.integers(1, 40), first=st.booleans(), seed=st.integers(0, 99))
def test_norms(dtype: torch.dtype, n: int, size: int, first: bool, seed: int) -> None:
    x, weight = drawn(seed, n, size), drawn(seed + 1, size)
    delta = None if first else drawn(seed + 2, n, size).to(dtype)
    theirs = TorchOperations().add_norm(x.clone(), delta, weight, 1e-6, dtype)
    ours = NativeOperations().add_norm(x.clone(), delta, weight, 1e-6, dtype)
    assert ours[1].dtype == dtype
    torch.testing.assert_close(ours[0], theirs[0], rtol=1e-6, atol=1e-6)
    torch.testing.assert_close(ours[1], theirs[1], **TOLERANCE[dtype])


@pytest.mark.parametrize("dtype", DTYPES)
@given(n=st.integers(0, 9), size=st.integers(1, 40), seed=st.integers(0, 99))
def test_gates(dtype: torch.dtype, n: int, size: int, seed: int) -> None:
    gate_up = (10 * drawn(seed, n, 2 * size)).to(dtype)
    ours, theirs = (ops.swiglu(gate_up) for ops in (NativeOperations(), TorchOperations()))
    torch.testing.assert_close(ours, theirs, **TOLERANCE[dtype])


@pytest.mark.parametrize("dtype", DTYPES)
@given(
    lengths=st.lists(st.integers(1, 40), min_size=1, max_size=5),
    heads=st.integers(1, 3),
    pairs=st.integers(1, 20),
    seed=st.integers(0, 99),
)
def test_attention(
    dtype: torch.dtype, lengths: list[int], heads: int, pairs: int, seed: int
) -> None:
    qkv = drawn(seed, sum(lengths), 3, heads, 2 * pairs).to(dtype)
    rotations = torch.polar(torch.ones(40, pairs), drawn(seed + 1, 40, pairs))
    packing = Packing.of(np.array(lengths), torch.device("cpu"))
    # A copy for each: PyTorch's may turn it in place.
    ours = NativeOperations().causal_attention(qkv.clone(), rotations, packing)
    theirs = TorchOperations().causal_attention(qkv.clone(), rotations, packing)
    torch.testing.assert_close(ours, theirs, **TOLERANCE[dtype])


def test_a_sequence_beyond_the_context_is_refused() -> None:
    rotations = torch.polar(torch.ones(5, 1), torch.zeros(5, 1))
    packing = Packing.of(np.array([6]), torch.device("cpu"))
    with pytest.raises(InvalidInput, match="beyond the context"):
        NativeOperations().causal_attention(drawn(0, 6, 3, 1, 2), rotations, packing)


def test_the_core_takes_no_other_kind_of_number() -> None:
    qkv, out = np.zeros((2, 3, 1, 2)), np.zeros((2, 1, 2))
    with pytest.raises(TypeError):
        causal_attention(qkv, np.zeros((5, 1, 2), np.float32), np.array([0, 2]), out)
