"""LLaMA for inference, from a Hugging Face model's weights: scoring and token-by-token sampling.

The same network as `transformers.LlamaForCausalLM` (tested against its logits), in fewer and
larger operations: one matrix for query, key and value, one for gate and up; one pass over memory
for what lies between matrix products (`graphassay.lm.operations`); no padding but in attention off
the CPU; keys and values in memory that is allocated once. Training never comes here.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 (the name all of PyTorch uses)

from graphassay.errors import InvalidInput
from graphassay.lm.operations import Int64, Packing, operations, rotate
from graphassay.native import attend

LENGTH_STEP = 16
"""Keys are kept in blocks of so many tokens (the core's ``kKeyBlock``). Off the CPU, attention
spans are rounded up to it: a row's sums are taken in the same order whatever its neighbours."""


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

    Matrix products run in ``dtype``; the residual stream, the sums of norms and attention, and the
    logits are float32.

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
        self.operations = operations(self.device)
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

    def hidden_states(self, tokens: torch.Tensor, lengths: Int64) -> torch.Tensor:
        """Final hidden states, (tokens, hidden) in ``dtype``, of sequences without padding.

        Args:
            tokens: int64 (tokens,), sequence behind sequence.
            lengths: of each sequence, shape (sequences,), one at least, within the context.
        """
        packing = Packing.of(lengths, self.device)

        def attend(index: int, qkv: torch.Tensor) -> torch.Tensor:
            del index
            return self.operations.causal_attention(qkv, self.rotations, packing)

        return self._run(tokens, attend)

    def logits(self, hidden: torch.Tensor) -> torch.Tensor:
        """Float32 logits (…, vocabulary) of final hidden states."""
        return F.linear(hidden, self.head).float()

    def step(
        self, tokens: torch.Tensor, positions: torch.Tensor, cache: "KeyValueCache"
    ) -> torch.Tensor:
        """Logits, float32 (rows, vocabulary), of the token after each row's newest.

        Args:
            tokens: the newest token of every row of the cache, int64 (rows,).
            positions: its place in its row, int64 (rows,); older keys and values are in the cache.
            cache: updated in place.
        """
        return self.logits(self._run(tokens, cache.attention(self, positions)))

    def _run(
        self, tokens: torch.Tensor, attend: Callable[[int, torch.Tensor], torch.Tensor]
    ) -> torch.Tensor:
        """Final hidden states in ``dtype``; ``attend`` takes a layer's index and its (tokens, 3,
        heads, head_dim) in ``dtype``, and gives (tokens, heads, head_dim)."""
        ops = self.operations
        x = F.embedding(tokens, self.embedding)  # (tokens, hidden)
        change: torch.Tensor | None = None
        for index, layer in enumerate(self.layers):
            x, h = ops.add_norm(x, change, layer.attention_norm, self.eps, self.dtype)
            qkv = F.linear(h, layer.qkv).view(-1, 3, self.n_heads, self.head_dim)
            attended = attend(index, qkv).flatten(1).to(self.dtype)
            x, h = ops.add_norm(
                x, F.linear(attended, layer.out), layer.mlp_norm, self.eps, self.dtype
            )
            change = F.linear(ops.swiglu(F.linear(h, layer.gate_up)), layer.down)
        return ops.add_norm(x, change, self.final_norm, self.eps, self.dtype)[1]


class KeyValueCache:
    """Keys and values of ``rows`` sequences of up to ``length`` tokens, allocated once.

    On a CPU the attention of a step is native (`graphassay.native.attend`): each row over exactly
    its own tokens. Elsewhere it is PyTorch's, masked, over spans that are rounded up.
    """

    def __init__(self, model: Llama, *, rows: int, length: int) -> None:
        self.native = model.device.type == "cpu"
        self.length = math.ceil(length / LENGTH_STEP) * LENGTH_STEP
        # Keys lie in blocks of LENGTH_STEP tokens, the tokens of a block side by side.
        keys = (rows, model.n_heads, self.length // LENGTH_STEP, model.head_dim, LENGTH_STEP)
        values = (rows, model.n_heads, self.length, model.head_dim)
        # Zeros, not garbage: a masked position has weight 0, and 0 times NaN would be NaN.
        self._keys = [torch.zeros(keys, device=model.device) for _ in model.layers]
        self._values = [torch.zeros(values, device=model.device) for _ in model.layers]
        self._rows = torch.arange(rows, device=model.device)

    def attention(
        self, model: Llama, positions: torch.Tensor
    ) -> Callable[[int, torch.Tensor], torch.Tensor]:
        """What layers call with their newest (rows, 3, heads, dim), to get (rows, heads, dim)."""
        return self._native(model, positions) if self.native else self._masked(model, positions)

    def _native(
        self, model: Llama, positions: torch.Tensor
    ) -> Callable[[int, torch.Tensor], torch.Tensor]:
        angles, places = torch.view_as_real(model.rotations).numpy(), positions.numpy()

        def of_layer(index: int, qkv: torch.Tensor) -> torch.Tensor:
            qkv = qkv.float()
            out = torch.empty_like(qkv[:, 0])
            keys, values = self._keys[index].numpy(), self._values[index].numpy()
            attend(qkv.numpy(), angles, places, keys, values, out.numpy())
            return out

        return of_layer

    def _masked(
        self, model: Llama, positions: torch.Tensor
    ) -> Callable[[int, torch.Tensor], torch.Tensor]:
        rotations = model.rotations[positions][:, None]
        span = min((int(positions.max()) // LENGTH_STEP + 1) * LENGTH_STEP, self.length)
        mask = torch.arange(span, device=positions.device) <= positions[:, None]  # (rows, span)

        def of_layer(index: int, qkv: torch.Tensor) -> torch.Tensor:
            q, k, v = rotate(qkv.float(), rotations).unbind(1)  # (rows, heads, head_dim)
            keys, values = self._keys[index], self._values[index]
            keys[self._rows, :, positions // LENGTH_STEP, :, positions % LENGTH_STEP] = k
            values[self._rows, :, positions] = v
            return F.scaled_dot_product_attention(
                q[:, :, None],
                keys[:, :, : span // LENGTH_STEP].transpose(3, 4).flatten(2, 3),
                values[:, :, :span],
                attn_mask=mask[:, None, None],
            )[:, :, 0]

        return of_layer


def cross_entropies(
    model: Llama, hidden: torch.Tensor, targets: torch.Tensor, *, chunk: int = 2048
) -> Iterator[torch.Tensor]:
    """-log p of each target, in chunks, so that the logits of all tokens never exist at once.

    Args:
        model: whose vocabulary the targets are from.
        hidden: (tokens, hidden) in the model's dtype, the state that predicts each target.
        targets: int64 (tokens,).
        chunk: tokens whose logits exist together.
    """
    for start in range(0, len(targets), chunk):
        logits = model.logits(hidden[start : start + chunk])
        yield F.cross_entropy(logits, targets[start : start + chunk], reduction="none")


def predictions(
    model: Llama, hidden: torch.Tensor, targets: torch.Tensor, *, chunk: int = 2048
) -> Iterator[torch.Tensor]:
    """For each target -log p, the top-1 confidence, and 1 where top-1 is the target: (3, tokens).

    In chunks and with arguments as in `cross_entropies`, which is faster for the first alone.
    """
    for start in range(0, len(targets), chunk):
        logits = model.logits(hidden[start : start + chunk])
        wanted = targets[start : start + chunk]
        total = logits.logsumexp(dim=1)
        top, first = logits.max(dim=1)
        nll = total - logits.gather(1, wanted[:, None])[:, 0]
        yield torch.stack([nll, (top - total).exp(), (first == wanted).float()])


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
