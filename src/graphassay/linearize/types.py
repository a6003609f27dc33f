"""What each token of a sequence says: a new vertex, an earlier one, a label, or structure."""

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from graphassay.errors import InvalidInput
from graphassay.linearize.vocabulary import BOS, TokenType, Vocabulary

if TYPE_CHECKING:
    from graphassay.native import TokenLayout

Int8 = npt.NDArray[np.int8]
Int32 = npt.NDArray[np.int32]

_POSITION = -1  # new or earlier: depends on what came before


def token_types(
    vocabulary: Vocabulary, layout: "TokenLayout", tuples: Int32, tokens: npt.NDArray[Any]
) -> Int8:
    """`TokenType` of each token.

    A position is a new vertex at its first use since BOS (or NEXT, which starts to count anew),
    else a revisit. ``ADD_NODE:label`` and a single vertex of a DFS code are new vertices, ``DEST``
    is a revisit; a DFS tuple is a new vertex when it goes forward, else a revisit.

    Args:
        vocabulary: of the tokens.
        layout: of the vocabulary.
        tuples: int32, shape (n, 5), the DFS tuples of the vocabulary.
        tokens: sequences one after the other, or padded rows.

    Returns:
        int8, the shape of ``tokens``.
    """
    flat = np.ascontiguousarray(tokens).reshape(-1)
    if flat.size and not 0 <= int(flat.min()) <= int(flat.max()) < len(vocabulary):
        raise InvalidInput(f"expected token ids in 0..{len(vocabulary) - 1}")
    table = _types_of(vocabulary, layout, tuples)
    types: Int8 = table[flat]
    positions = types == _POSITION
    if positions.any():
        # Numbers grow by at most n_positions within a section, so shifting sections apart by more
        # than that lets one running maximum serve them all.
        restarts = [vocabulary.id_of(token) for token in (BOS, "NEXT") if token in vocabulary]
        section = np.cumsum(np.isin(flat, restarts)) * (layout.n_positions + 1)
        number = np.where(positions, flat - layout.first_position + 1, 0) + section
        highest = np.maximum.accumulate(np.concatenate([[0], number]))[:-1]
        new = number > np.maximum(highest, section)
        types[positions] = np.where(new[positions], TokenType.NEW_NODE, TokenType.REVISIT)
    return types.reshape(np.shape(tokens))


def _types_of(vocabulary: Vocabulary, layout: "TokenLayout", tuples: Int32) -> Int8:
    table = np.full(len(vocabulary), TokenType.SPECIAL, dtype=np.int8)
    table[layout.first_vertex_label :] = TokenType.NODE_LABEL
    table[layout.first_edge_label :] = TokenType.EDGE_LABEL
    table[layout.first_position : layout.first_vertex_label] = _POSITION
    first_label = vocabulary.tokens[layout.first_vertex_label]
    if first_label.startswith("ADD_NODE:"):
        table[layout.first_position : layout.first_vertex_label] = TokenType.REVISIT
    if not first_label.startswith("v:"):
        table[layout.first_vertex_label : layout.first_edge_label] = TokenType.NEW_NODE
    if len(vocabulary) > layout.first_tuple:
        forward = tuples[:, 0] < tuples[:, 1]
        table[layout.first_tuple :] = np.where(forward, TokenType.NEW_NODE, TokenType.REVISIT)
    return table
