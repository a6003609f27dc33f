"""Tokens and their ids; how labels of any kind become words without whitespace."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import Self
from urllib.parse import quote, unquote

from graphassay.errors import InvalidInput

PAD, BOS, EOS, UNK = "<pad>", "<bos>", "<eos>", "<unk>"
SPECIAL_TOKENS = (PAD, BOS, EOS, UNK)
"""Every vocabulary starts with these, so their ids are 0, 1, 2, 3."""

_RESERVED = frozenset("%<>,")


class TokenType(IntEnum):
    """What a token says (L, appendix D.4)."""

    SPECIAL = 0
    NEW_NODE = 1
    REVISIT = 2
    NODE_LABEL = 3
    EDGE_LABEL = 4


def escape_label(label: str) -> str:
    """A word for a label: whitespace, unprintable characters and ``% < > ,`` percent-encoded.

    Distinct labels give distinct words; `unescape_label` is the inverse.

    Example:
        >>> escape_label("C, aromatic")
        'C%2C%20aromatic'
    """
    return "".join(
        quote(c, safe="", errors="surrogatepass")
        if c in _RESERVED or c.isspace() or not c.isprintable()
        else c
        for c in label
    )


def unescape_label(word: str) -> str:
    """The label that `escape_label` turned into ``word``."""
    return unquote(word, errors="surrogatepass")


@dataclass(frozen=True)
class Vocabulary:
    """An ordered table of distinct, whitespace-free tokens; a token's id is its place.

    Args:
        tokens: `SPECIAL_TOKENS` first.

    Raises:
        InvalidInput: on a repeated or empty token, whitespace in a token, or other first tokens.
    """

    tokens: tuple[str, ...]

    def __post_init__(self) -> None:
        if self.tokens[: len(SPECIAL_TOKENS)] != SPECIAL_TOKENS:
            raise InvalidInput(f"expected a vocabulary that starts with {SPECIAL_TOKENS}")
        if len(self._ids) != len(self.tokens):
            raise InvalidInput("expected distinct tokens")
        for token in self.tokens:
            if not token or any(c.isspace() for c in token):
                raise InvalidInput(f"expected tokens without whitespace, got {token!r}")

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {token: i for i, token in enumerate(self.tokens)}

    def __len__(self) -> int:
        return len(self.tokens)

    def __contains__(self, token: object) -> bool:
        return token in self._ids

    @property
    def pad(self) -> int:
        """Id of the padding token."""
        return 0

    @property
    def bos(self) -> int:
        """Id of the token that every sequence starts with."""
        return 1

    @property
    def eos(self) -> int:
        """Id of the token that every sequence ends with."""
        return 2

    @property
    def unk(self) -> int:
        """Id that text gets for words outside the vocabulary; no linearization contains it."""
        return 3

    def id_of(self, token: str) -> int:
        """The id of a token.

        Raises:
            InvalidInput: when the vocabulary does not have it.
        """
        if token not in self._ids:
            raise InvalidInput(f"token {token!r} is not in the vocabulary of {len(self)} tokens")
        return self._ids[token]

    def token_of(self, token_id: int) -> str:
        """The token with an id.

        Raises:
            InvalidInput: when there is none.
        """
        if not 0 <= token_id < len(self):
            raise InvalidInput(f"expected a token id in 0..{len(self) - 1}, got {token_id}")
        return self.tokens[token_id]

    def encode(self, text: str) -> list[int]:
        """Ids of whitespace-separated tokens."""
        return [self.id_of(token) for token in text.split()]

    def text(self, token_ids: Iterable[int]) -> str:
        """Tokens separated by single spaces."""
        return " ".join(self.token_of(int(i)) for i in token_ids)

    def to_json(self) -> str:
        """The table as JSON; `from_json` is the inverse."""
        return json.dumps({"tokens": self.tokens})

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Reads what `to_json` wrote.

        Raises:
            InvalidInput: when ``text`` is something else.
        """
        try:
            tokens = json.loads(text)["tokens"]
            return cls(tuple(str(token) for token in tokens))
        except (json.JSONDecodeError, KeyError, TypeError) as error:
            raise InvalidInput(f"expected the JSON of a vocabulary: {error}") from error
