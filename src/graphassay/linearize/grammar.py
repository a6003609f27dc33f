"""Which tokens may follow a prefix: masks for a batch of sequences, without Python loops."""

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from graphassay.errors import InvalidInput, InvalidSequence
from graphassay.linearize.vocabulary import Vocabulary

if TYPE_CHECKING:
    from graphassay import native

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
Bool = npt.NDArray[np.bool_]

_N_NAMED = 8  # tokens that an error message lists before it says "…"


class Grammar:
    """The language of one linearizer. Immutable; make one with `Linearizer.grammar`.

    Every sequence starts with BOS; after EOS only the padding token is allowed, so padded rows
    may be advanced along with the others. From every prefix that the grammar allows a complete
    sequence can be reached.
    """

    def __init__(self, core: "native.Grammar", vocabulary: Vocabulary) -> None:
        self.core = core
        self.vocabulary = vocabulary

    def start(self, n: int) -> "GrammarState":
        """``n`` empty prefixes, which allow nothing but BOS."""
        if n < 0:
            raise InvalidInput(f"expected a number of rows >= 0, got {n}")
        return GrammarState(self, self.core.start(n))

    def failure(self, tokens: Int32, at: int) -> str:
        """Why ``tokens`` stops being a sequence at place ``at``, in one line."""
        state = self.start(1)
        state.feed(0, tokens[:at])
        expected = self.names(state.allowed()[0])
        if at >= len(tokens):
            return f"the sequence ends after {at} tokens: expected {expected}"
        token = int(tokens[at])
        got = self.vocabulary.tokens[token] if 0 <= token < len(self.vocabulary) else str(token)
        return f"token {at}: expected {expected}, got {got}"

    def names(self, mask: Bool) -> str:
        """The tokens of a mask as words, cut after a few."""
        ids = np.flatnonzero(mask)
        listed = [self.vocabulary.tokens[i] for i in ids[:_N_NAMED]]
        more = f" … ({len(ids)} in all)" if len(ids) > _N_NAMED else ""
        return " or ".join(listed) + more


class GrammarState:
    """Where each sequence of a batch stands. Rows are independent."""

    def __init__(self, grammar: Grammar, core: "native.GrammarBatch") -> None:
        self.grammar = grammar
        self._core = core

    def __len__(self) -> int:
        return len(self._core)

    def allowed(self, rows: npt.ArrayLike | None = None, *, out: Bool | None = None) -> Bool:
        """Which tokens may come next.

        Args:
            rows: the rows to look at, all by default.
            out: C-contiguous bool array of shape (n rows, vocabulary) to fill instead of a new one.

        Returns:
            bool, shape (n rows, vocabulary); at least one token per row.
        """
        chosen = _as_rows(rows)
        n = len(self) if chosen is None else len(chosen)
        if out is None:
            out = np.empty((n, len(self.grammar.vocabulary)), dtype=np.bool_)
        self._core.allowed(chosen, out)
        return out

    def advance(self, tokens: npt.ArrayLike, rows: npt.ArrayLike | None = None) -> None:
        """Appends one token to each row (or to each of ``rows``). O(1) amortized per token.

        Raises:
            InvalidSequence: when a token is not allowed; then no row has moved.
        """
        ids = np.ascontiguousarray(tokens, dtype=np.int32)
        chosen = _as_rows(rows)
        refused = self._core.advance(ids, chosen)
        if refused >= 0:
            row = refused if chosen is None else int(chosen[refused])
            expected = self.grammar.names(self.allowed([row])[0])
            token = int(ids[refused])
            known = 0 <= token < len(self.grammar.vocabulary)
            got = self.grammar.vocabulary.tokens[token] if known else str(token)
            raise InvalidSequence(f"row {row}: expected {expected}, got {got}")

    def feed(self, row: int, tokens: npt.ArrayLike) -> int:
        """Appends tokens to one row for as long as they are allowed; returns how many were."""
        return self._core.feed(row, np.ascontiguousarray(tokens, dtype=np.int32))

    @property
    def complete(self) -> Bool:
        """Which rows have had their EOS, shape (n,)."""
        return self._core.complete().view(np.bool_)

    @property
    def n_vertices(self) -> Int32:
        """Vertices of each row's graph so far, shape (n,)."""
        return self._core.n_vertices()

    def reset(self, rows: npt.ArrayLike | None = None) -> None:
        """Makes rows (all by default) empty prefixes again, for new sequences to take over."""
        self._core.reset(_as_rows(rows))

    def select(self, rows: npt.ArrayLike) -> "GrammarState":
        """A batch of copies of the chosen rows, in that order, repeats allowed."""
        return GrammarState(self.grammar, self._core.select(_as_rows(rows)))

    def copy(self) -> "GrammarState":
        """An independent copy of all rows."""
        return GrammarState(self.grammar, self._core.select(None))


def _as_rows(rows: npt.ArrayLike | None) -> Int64 | None:
    return None if rows is None else np.ascontiguousarray(rows, dtype=np.int64)
