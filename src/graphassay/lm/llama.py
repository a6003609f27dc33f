"""LLaMA for inference, from a Hugging Face model's weights: scoring and token-by-token sampling.

The same network as `transformers.LlamaForCausalLM` (tested against its logits), in fewer and
larger operations: one matrix for query, key and value, one for gate and up; rotations as complex
products; keys and values in memory that is allocated once. Training never comes here.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 (the name all of PyTorch uses)

from graphassay.errors import InvalidInput

LENGTH_STEP = 16
"""Attention spans are rounded up to a multiple of this, so that a row's sums are taken in the same
order whatever the length of its neighbours."""


@dataclass(frozen=True)
class _Layer:
    attention_norm: torch.Tensor  # (hidden,)
    qkv: torch.Tensor  # (3 * heads * head_dim, hidden), rotation pairs adjacent
    out: torch.Tensor  # (hidden, heads * head_dim)
    mlp_norm: torch.Tensor  # (hidden,)
    gate_up: torch.Tensor  # (2 * ffn, hidden)
    down: torch.Tensor  # (hidden, ffn)


class Llama:
    """The network, ready to score and to sample.

    Matrix products run in ``dtype``; the residual stream, the norms, the attention and the logits
    are float32.

    Args:
        model: a `transformers.LlamaForCausalLM`; its weights are copied, it may be freed.
        dtype: ``torch.float32`` or ``torch.bfloat16``.
        device: where to compute.

    Raises:
        InvalidInput: when the model is not a plain LLaMA of the kind that `graphassay train` makes.
    """

    def __init__(
        self,
        model: Any,
        *,
        dtype: torch.dtype = torch.float32,
        device: torch.device | str = "cpu",
    ) -> None:
        config = model.config
        _check_plain(config)
        self.n_layers: int = config.num_hidden_layers
        self.n_heads: int = config.num_attention_heads
        self.head_dim: int = config.head_dim
        self.hidden: int = config.hidden_size
        self.vocab_size: int = config.vocab_size
        self.context: int = config.max_position_embeddings
        self.eps: float = config.rms_norm_eps
        self.dtype = dtype
        self.device = torch.device(device)
        weights: dict[str, torch.Tensor] = model.state_dict()
        self.embedding = self._place(weights["model.embed_tokens.weight"], torch.float32)
        self.final_norm = self._place(weights["model.norm.weight"], torch.float32)
        self.head = self._place(weights["lm_head.weight"], dtype)
        self.layers = [self._layer(weights, f"model.layers.{i}.") for i in range(self.n_layers)]
        self.rotations = self._rotation_table(float(config.rope_parameters["rope_theta"]))

    def _place(self, weight: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
        return weight.detach().to(device=self.device, dtype=dtype, copy=True).contiguous()

    def _layer(self, weights: dict[str, torch.Tensor], prefix: str) -> _Layer:
        q, k, v = (weights[f"{prefix}self_attn.{name}_proj.weight"] for name in "qkv")
        gate, up = (weights[f"{prefix}mlp.{name}_proj.weight"] for name in ("gate", "up"))
        qkv = torch.cat([self._pair(q), self._pair(k), v])
        return _Layer(
            attention_norm=self._place(weights[f"{prefix}input_layernorm.weight"], torch.float32),
            qkv=self._place(qkv, self.dtype),
            out=self._place(weights[f"{prefix}self_attn.o_proj.weight"], self.dtype),
            mlp_norm=self._place(
                weights[f"{prefix}post_attention_layernorm.weight"], torch.float32
            ),
            gate_up=self._place(torch.cat([gate, up]), self.dtype),
            down=self._place(weights[f"{prefix}mlp.down_proj.weight"], self.dtype),
        )

    def _pair(self, weight: torch.Tensor) -> torch.Tensor:
        # Hugging Face rotates component i with i + head_dim / 2; bring the two side by side, so
        # that a rotation is one complex product. Scores q.k do not change: both are permuted.
        halves = weight.view(self.n_heads, 2, self.head_dim // 2, self.hidden)
        return halves.transpose(1, 2).reshape(weight.shape)

    def _rotation_table(self, theta: float) -> torch.Tensor:
        exponent = torch.arange(0, self.head_dim, 2, dtype=torch.float32) / self.head_dim
        angles = torch.outer(torch.arange(self.context).float(), 1.0 / theta**exponent)
        return torch.polar(torch.ones_like(angles), angles).to(self.device)  # (context, dim / 2)

    def hidden_states(self, tokens: torch.Tensor) -> torch.Tensor:
        """Final hidden states, float32 (rows, length, hidden), of right-padded rows of tokens.

        Position t of a row depends on its tokens 0..t alone, so padding needs no mask.
        """
        rotations = self.rotations[None, : tokens.shape[1], None]

        def attend(index: int, q: torch.Tensor, kv: torch.Tensor) -> torch.Tensor:
            del index
            q, k, v = (x.transpose(1, 2) for x in (q, kv[..., 0, :, :], kv[..., 1, :, :]))
            return F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2)

        return self._run(tokens, rotations, attend)

    def logits(self, hidden: torch.Tensor) -> torch.Tensor:
        """Float32 logits (…, vocabulary) of final hidden states."""
        return F.linear(hidden.to(self.dtype), self.head).float()

    def step(
        self, tokens: torch.Tensor, positions: torch.Tensor, cache: "KeyValueCache", span: int
    ) -> torch.Tensor:
        """Logits, float32 (rows, vocabulary), of the token after each row's newest.

        Args:
            tokens: the newest token of every row of the cache, int64 (rows,).
            positions: its place in its row, int64 (rows,); older keys and values are in the cache.
            cache: updated in place.
            span: how many positions to attend to: above every position, a multiple of
                `LENGTH_STEP` unless it is the cache's length.
        """
        rotations = self.rotations[positions][:, None]
        mask = cache.mask(positions, span)
        slots = cache.slots(positions)

        def attend(index: int, q: torch.Tensor, kv: torch.Tensor) -> torch.Tensor:
            k, v = cache.append(index, slots, kv, span)
            return F.scaled_dot_product_attention(q[:, :, None], k, v, attn_mask=mask)[:, :, 0]

        return self.logits(self._run(tokens, rotations, attend))

    def _run(
        self,
        tokens: torch.Tensor,
        rotations: torch.Tensor,
        attend: Callable[[int, torch.Tensor, torch.Tensor], torch.Tensor],
    ) -> torch.Tensor:
        shape, size = tokens.shape, (self.hidden,)
        heads, dim = self.n_heads, self.head_dim
        x = F.embedding(tokens, self.embedding)  # (…, hidden)
        for index, layer in enumerate(self.layers):
            h = F.rms_norm(x, size, layer.attention_norm, self.eps).to(self.dtype)
            qkv = F.linear(h, layer.qkv).float().view(*shape, 3 * heads, dim)
            # Query and key heads rotate together; in place, because nobody else sees qkv.
            pairs = qkv[..., : 2 * heads, :].view(*shape, 2 * heads, dim // 2, 2)
            torch.view_as_complex(pairs).mul_(rotations)
            kv = qkv[..., heads:, :].view(*shape, 2, heads, dim)
            attended = attend(index, qkv[..., :heads, :], kv).reshape(*shape, heads * dim)
            x = x + F.linear(attended.to(self.dtype), layer.out)
            h = F.rms_norm(x, size, layer.mlp_norm, self.eps).to(self.dtype)
            gate, up = F.linear(h, layer.gate_up).chunk(2, dim=-1)
            x = x + F.linear(F.silu(gate).mul_(up), layer.down)
        return F.rms_norm(x, size, self.final_norm, self.eps)


class KeyValueCache:
    """Keys and values of ``rows`` sequences of up to ``length`` tokens, allocated once."""

    def __init__(self, model: Llama, *, rows: int, length: int) -> None:
        self.rows, self.length = rows, math.ceil(length / LENGTH_STEP) * LENGTH_STEP
        shape = (rows, self.length, 2, model.n_heads, model.head_dim)
        # Zeros, not garbage: a masked position has weight 0, and 0 times NaN would be NaN.
        self._memory = [torch.zeros(shape, device=model.device) for _ in range(model.n_layers)]
        self._row_starts = torch.arange(rows, device=model.device) * self.length
        self._columns = torch.arange(self.length, device=model.device)

    def slots(self, positions: torch.Tensor) -> torch.Tensor:
        """Where each row's newest token lives, as an index into all rows' tokens."""
        return self._row_starts + positions

    def mask(self, positions: torch.Tensor, span: int) -> torch.Tensor:
        """0 up to each row's newest token and -inf behind, float32 (rows, 1, 1, span)."""
        behind = self._columns[:span] > positions[:, None]
        return torch.zeros(behind.shape, device=positions.device).masked_fill_(behind, -math.inf)[
            :, None, None
        ]

    def append(
        self, layer: int, slots: torch.Tensor, kv: torch.Tensor, span: int
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Store the newest keys and values; return both, (rows, heads, span, head_dim) views."""
        memory = self._memory[layer]
        memory.view(-1, *memory.shape[2:]).index_copy_(0, slots, kv)
        k, v = memory[:, :span].unbind(2)
        return k.transpose(1, 2), v.transpose(1, 2)


def cross_entropies(
    model: Llama, hidden: torch.Tensor, targets: torch.Tensor, *, chunk: int = 2048
) -> Iterator[torch.Tensor]:
    """-log p of each target, in chunks, so that the logits of all tokens never exist at once.

    Args:
        model: whose vocabulary the targets are from.
        hidden: (tokens, hidden), the state that predicts each target.
        targets: int64 (tokens,).
        chunk: tokens whose logits exist together.
    """
    for start in range(0, len(targets), chunk):
        logits = model.logits(hidden[start : start + chunk])
        yield F.cross_entropy(logits, targets[start : start + chunk], reduction="none")


def _check_plain(config: Any) -> None:
    expected = {
        "model_type": "llama",
        "num_key_value_heads": config.num_attention_heads,
        "hidden_act": "silu",
        "attention_bias": False,
        "mlp_bias": False,
        "tie_word_embeddings": False,
    }
    for name, value in expected.items():
        found = getattr(config, name, None)
        if found != value:
            raise InvalidInput(f"the model's config: expected {name} = {value!r}, got {found!r}")
    if config.rope_parameters.get("rope_type", "default") != "default":
        raise InvalidInput("the model's config: expected plain rotary embeddings (rope_type)")
