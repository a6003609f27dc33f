"""Token types as the study groups them, and reliability tables by group."""

from collections.abc import Mapping
from typing import Any

import numpy.typing as npt

from graphassay.linearize import TokenType
from graphassay.metrics.graph_bootstrap import GraphBootstrap
from graphassay.metrics.reliability import reliability_diagram
from graphassay.results.linearization import Reliability, TokenKind

TYPES_OF: Mapping[TokenKind, tuple[TokenType, ...]] = {
    "all": tuple(TokenType),
    "new_node": (TokenType.NEW_NODE,),
    "revisit": (TokenType.REVISIT,),
    "node_index": (TokenType.NEW_NODE, TokenType.REVISIT),
    "node_label": (TokenType.NODE_LABEL,),
    "edge_label": (TokenType.EDGE_LABEL,),
    "special": (TokenType.SPECIAL,),
}
"""The token types of each kind (L, appendix D.4)."""


def diagrams(tables: npt.NDArray[Any], bootstrap: GraphBootstrap) -> dict[str, Reliability]:
    """A reliability diagram for each kind of token that occurs.

    Args:
        tables: of each graph and token type, shape (graphs, types, 15, 3).
        bootstrap: over the graphs.
    """
    found = {
        kind: reliability_diagram(tables[:, list(types)].sum(axis=1), bootstrap)
        for kind, types in TYPES_OF.items()
    }
    return {kind: diagram for kind, diagram in found.items() if diagram is not None}
