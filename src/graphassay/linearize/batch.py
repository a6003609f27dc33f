"""Many token sequences in two arrays."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from graphassay.errors import InvalidInput
from graphassay.graph import GraphSet

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
Float64 = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TokenBatch:
    """Sequences of token ids, packed.

    Args:
        tokens: int32; row ``r`` is ``tokens[offsets[r]:offsets[r + 1]]``, from BOS to EOS.
        offsets: int64, shape (n rows + 1,).
        indices: int64, shape (n rows,), the graph that each row came from.
        log_q: float64, shape (n rows,), or None where nothing is random: log of the product of
            1 / choices over the decisions that the linearizer took. Automorphic choices write the
            same sequence, so its log-probability is this plus log |Aut(G)| (DEFINITIONS 9).
        skipped: graph -> why it has no row, in one line.
    """

    tokens: Int32
    offsets: Int64
    indices: Int64
    log_q: Float64 | None = None
    skipped: Mapping[int, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, row: int) -> Int32:
        if not -len(self) <= row < len(self):
            raise IndexError(f"row {row} of {len(self)}")
        at = row % len(self)
        return self.tokens[self.offsets[at] : self.offsets[at + 1]]

    @property
    def lengths(self) -> Int64:
        """Tokens of each row, BOS and EOS counted."""
        return np.diff(self.offsets)

    def take(self, rows: npt.ArrayLike) -> "TokenBatch":
        """The chosen rows, in that order, repeats allowed."""
        chosen = np.asarray(rows, dtype=np.int64)
        if chosen.size and not 0 <= int(chosen.min()) <= int(chosen.max()) < len(self):
            raise InvalidInput(f"expected rows in 0..{len(self) - 1}")
        lengths = self.lengths[chosen]
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        shift = np.repeat(self.offsets[:-1][chosen] - offsets[:-1], lengths)
        return TokenBatch(
            self.tokens[shift + np.arange(offsets[-1])],
            offsets,
            self.indices[chosen],
            None if self.log_q is None else self.log_q[chosen],
            self.skipped,
        )

    def padded(self, pad_id: int = 0, *, length: int | None = None) -> Int32:
        """Rows filled up on the right.

        Args:
            pad_id: what to fill with.
            length: width of the result; the longest row by default.

        Returns:
            int32, shape (n rows, length).

        Raises:
            InvalidInput: when a row is longer than ``length``; rows are never cut.
        """
        lengths = self.lengths
        longest = int(lengths.max(initial=0))
        width = longest if length is None else length
        if longest > width:
            raise InvalidInput(f"expected rows of at most {width} tokens, got one of {longest}")
        table = np.full((len(self), width), pad_id, dtype=np.int32)
        table[np.arange(width) < lengths[:, None]] = self.tokens
        return table


@dataclass(frozen=True, eq=False)
class Decoded:
    """Graphs read back from sequences.

    Args:
        graphs: one per sequence that decodes.
        rows: int64, the sequence that each graph came from.
        failed: sequence -> what was wrong with it, in one line.
    """

    graphs: GraphSet
    rows: Int64
    failed: Mapping[int, str]
