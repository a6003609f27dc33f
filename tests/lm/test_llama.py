"""Our network is Hugging Face's, to rounding."""

import numpy as np
import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from graphassay.errors import InvalidInput
from graphassay.lm.llama import KeyValueCache, Llama, cross_entropies
from graphassay.lm.operations import NativeOperations, Operations, TorchOperations


def model_of(**options: object) -> LlamaForCausalLM:
    torch.manual_seed(0)
    settings = {
        "vocab_size": 23,
        "hidden_size": 48,
        "intermediate_size": 80,
        "num_hidden_layers": 3,
        "num_attention_heads": 3,
        "max_position_embeddings": 64,
    }
    model = LlamaForCausalLM(LlamaConfig(**(settings | options))).eval()
    for name, parameter in model.named_parameters():
        if "norm" in name:  # all ones would hide a norm that is left out or swapped
            torch.nn.init.uniform_(parameter, 0.5, 1.5)
        else:
            torch.nn.init.normal_(parameter, std=0.2)
    return model


def use_native(ours: Llama, cache: KeyValueCache, native: bool) -> None:
    """False: what runs off the CPU."""
    cache.native = native
    ours.operations = NativeOperations() if native else TorchOperations()


TOKENS = torch.randint(0, 23, (5, 40), generator=torch.Generator().manual_seed(1))


@pytest.fixture(scope="module")
def expected() -> torch.Tensor:
    with torch.no_grad():
        return model_of()(TOKENS).logits


LENGTHS = np.array([40, 1, 17, 40, 33])
REAL = torch.arange(40) < torch.from_numpy(LENGTHS)[:, None]


def packed_logits(ours: Llama) -> torch.Tensor:
    """Logits of the first LENGTHS tokens of each row, sequence behind sequence."""
    with torch.inference_mode():
        return ours.logits(ours.hidden_states(TOKENS[REAL], LENGTHS))


@pytest.mark.parametrize("ops", [NativeOperations(), TorchOperations()])
def test_whole_sequences_give_hugging_faces_logits(expected: torch.Tensor, ops: Operations) -> None:
    ours = Llama(model_of())
    ours.operations = ops
    torch.testing.assert_close(packed_logits(ours), expected[REAL], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("native", [True, False])
def test_step_by_step_gives_hugging_faces_logits(expected: torch.Tensor, native: bool) -> None:
    ours = Llama(model_of())
    cache = KeyValueCache(ours, rows=5, length=40)
    use_native(ours, cache, native)
    steps: list[torch.Tensor] = []
    with torch.inference_mode():
        steps += [ours.step(TOKENS[:, t], torch.full((5,), t), cache) for t in range(40)]
    torch.testing.assert_close(torch.stack(steps, 1), expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("native", [True, False])
def test_rows_may_stand_at_different_positions(expected: torch.Tensor, native: bool) -> None:
    ours = Llama(model_of())
    cache = KeyValueCache(ours, rows=5, length=40)
    use_native(ours, cache, native)
    lag = torch.tensor([0, 3, 7, 1, 20])
    with torch.inference_mode():
        for t in range(40):
            positions = (t - lag).clamp(min=0)
            tokens = TOKENS[torch.arange(5), positions]
            logits = ours.step(tokens, positions, cache)
    torch.testing.assert_close(logits, expected[torch.arange(5), 39 - lag], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("ops", [NativeOperations(), TorchOperations()])
def test_bfloat16_is_near(expected: torch.Tensor, ops: Operations) -> None:
    ours = Llama(model_of(), dtype=torch.bfloat16)
    ours.operations = ops
    off = (packed_logits(ours) - expected[REAL]).abs().max()
    assert 1e-4 < off < 0.05 * expected.abs().max()


def test_cross_entropies_are_torchs_in_chunks(expected: torch.Tensor) -> None:
    ours = Llama(model_of())
    with torch.inference_mode():
        hidden = ours.hidden_states(TOKENS.flatten(), np.full(5, 40))
        chunks = list(cross_entropies(ours, hidden, TOKENS.flatten(), chunk=64))
    assert [len(chunk) for chunk in chunks] == [64, 64, 64, 8]
    whole = torch.nn.functional.cross_entropy(
        expected.flatten(0, 1), TOKENS.flatten(), reduction="none"
    )
    torch.testing.assert_close(torch.cat(chunks), whole, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_key_value_heads": 1}, "num_key_value_heads"),
        ({"tie_word_embeddings": True}, "tie_word_embeddings"),
        ({"attention_bias": True}, "attention_bias"),
    ],
)
def test_other_architectures_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        Llama(model_of(**options))
