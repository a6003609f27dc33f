"""What a transformer computes between its matrix products: natively on a CPU, else by PyTorch.

Both compute rows independently of each other and agree to rounding (tested).
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt
import torch
import torch.nn.functional as F  # noqa: N812 (the name all of PyTorch uses)

from graphassay.native import add_rms_norm, causal_attention, swiglu

Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Packing:
    """How sequences lie one behind the other; made once for all layers.

    Attributes:
        starts: where each sequence begins, and the number of tokens, shape (sequences + 1,).
        longest: tokens of the longest sequence.
        places: int64 (tokens,), on the device: each token's place in padded rows, row by row.
    """

    starts: Int64
    longest: int
    places: torch.Tensor

    @classmethod
    def of(cls, lengths: Int64, device: torch.device) -> "Packing":
        """Of sequences of those lengths, shape (sequences,), one at least."""
        starts = np.zeros(len(lengths) + 1, dtype=np.int64)
        np.cumsum(lengths, out=starts[1:])
        longest = int(lengths.max())
        before = longest * np.arange(len(lengths)) - starts[:-1]
        places = np.arange(starts[-1]) + np.repeat(before, lengths)
        return cls(starts, longest, torch.from_numpy(places).to(device))


class Operations(Protocol):
    """``dtype`` is that of the matrix products: float32 or bfloat16. Sums are float32."""

    def add_norm(
        self,
        x: torch.Tensor,
        delta: torch.Tensor | None,
        weight: torch.Tensor,
        eps: float,
        dtype: torch.dtype,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Give x + delta, and its RMS norm in ``dtype``.

        ``x`` is float32 (n, hidden) and may be overwritten; ``delta`` has ``dtype``.
        """

    def swiglu(self, gate_up: torch.Tensor) -> torch.Tensor:
        """silu(gate) * up, shape (n, ffn), of (n, 2 ffn)."""

    def causal_attention(
        self, qkv: torch.Tensor, rotations: torch.Tensor, packing: Packing
    ) -> torch.Tensor:
        """Attention of each token to its own sequence up to itself, shape (tokens, heads, dim).

        Args:
            qkv: (tokens, 3, heads, dim), sequence behind sequence, rotation pairs adjacent.
            rotations: complex64 (context, dim / 2): by how much position t turns each pair.
            packing: of the sequences.
        """


class NativeOperations:
    """The core's, over PyTorch's memory, on the calling thread."""

    def add_norm(
        self,
        x: torch.Tensor,
        delta: torch.Tensor | None,
        weight: torch.Tensor,
        eps: float,
        dtype: torch.dtype,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """As `Operations.add_norm`."""
        out = torch.empty(x.shape, dtype=dtype)
        added = None if delta is None else _array(delta)
        add_rms_norm(x.numpy(), added, weight.numpy(), eps, _array(out))
        return x, out

    def swiglu(self, gate_up: torch.Tensor) -> torch.Tensor:
        """As `Operations.swiglu`."""
        out = torch.empty((len(gate_up), gate_up.shape[1] // 2), dtype=gate_up.dtype)
        swiglu(_array(gate_up), _array(out))
        return out

    def causal_attention(
        self, qkv: torch.Tensor, rotations: torch.Tensor, packing: Packing
    ) -> torch.Tensor:
        """As `Operations.causal_attention`."""
        out = torch.empty_like(qkv[:, 0])
        angles = torch.view_as_real(rotations).numpy()
        causal_attention(_array(qkv), angles, packing.starts, _array(out))
        return out


class TorchOperations:
    """PyTorch's own, on any device."""

    def add_norm(
        self,
        x: torch.Tensor,
        delta: torch.Tensor | None,
        weight: torch.Tensor,
        eps: float,
        dtype: torch.dtype,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """As `Operations.add_norm`."""
        x = x if delta is None else x + delta
        return x, F.rms_norm(x, (x.shape[-1],), weight, eps).to(dtype)

    def swiglu(self, gate_up: torch.Tensor) -> torch.Tensor:
        """As `Operations.swiglu`."""
        gate, up = gate_up.chunk(2, dim=-1)
        return F.silu(gate).mul_(up)

    def causal_attention(
        self, qkv: torch.Tensor, rotations: torch.Tensor, packing: Packing
    ) -> torch.Tensor:
        """As `Operations.causal_attention`."""
        # Padded on the right: position t depends on 0..t alone, so padding needs no mask.
        length = packing.longest
        n_rows = len(packing.starts) - 1
        padded = qkv.new_zeros((n_rows * length, *qkv.shape[1:]), dtype=torch.float32)
        padded.index_copy_(0, packing.places, qkv.float())
        rows = rotate(padded.view(n_rows, length, *qkv.shape[1:]), rotations[None, :length, None])
        q, k, v = rows.permute(0, 2, 3, 1, 4).unbind(1)  # (rows, heads, length, dim)
        attended = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        found = attended.transpose(1, 2).flatten(0, 1).index_select(0, packing.places)
        return found.to(qkv.dtype)


def operations(device: torch.device) -> Operations:
    """Those for a device."""
    return NativeOperations() if device.type == "cpu" else TorchOperations()


def rotate(qkv: torch.Tensor, rotations: torch.Tensor) -> torch.Tensor:
    """Turn queries and keys of float32 (…, 3, heads, dim) to their positions, in place."""
    *shape, _, heads, dim = qkv.shape
    pairs = qkv[..., :2, :, :].reshape(*shape, 2 * heads, dim // 2, 2)
    assert pairs.data_ptr() == qkv.data_ptr(), "a view, so that qkv itself turns"
    torch.view_as_complex(pairs).mul_(rotations)
    return qkv


def _array(tensor: torch.Tensor) -> np.ndarray:
    """Its memory; bfloat16, which numpy lacks, as uint16."""
    return (tensor.view(torch.uint16) if tensor.dtype == torch.bfloat16 else tensor).numpy()
