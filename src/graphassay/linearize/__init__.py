"""Graphs as token sequences and back: DFS code, DGMG, SENT, each with its grammar.

    linearizer = linearizer_from_data("sent:random", graphs)
    batch = linearizer.batch(graphs, seed=0, epoch=3)      # packed int32 tokens, any thread count
    state = linearizer.grammar().start(64)                 # 64 empty prefixes
    mask = state.allowed()                                 # bool, (64, vocabulary)
    state.advance(chosen_tokens)
    graph = linearizer.decode(tokens)

Definitions: DEFINITIONS 2. Nothing here imports torch or transformers; `tokenizer` does, lazily.
"""

from graphassay.errors import InvalidSequence
from graphassay.linearize.batch import Decoded, TokenBatch
from graphassay.linearize.build import linearizer_from_data
from graphassay.linearize.components import largest_components
from graphassay.linearize.grammar import Grammar, GrammarState
from graphassay.linearize.linearizer import BOND_ORDERS, EVALUATION_KINDS, KINDS, Linearizer
from graphassay.linearize.vocabulary import TokenType, Vocabulary

__all__ = [
    "BOND_ORDERS",
    "EVALUATION_KINDS",
    "KINDS",
    "Decoded",
    "Grammar",
    "GrammarState",
    "InvalidSequence",
    "Linearizer",
    "TokenBatch",
    "TokenType",
    "Vocabulary",
    "largest_components",
    "linearizer_from_data",
]
