"""The only importer of the C++ core: everything else imports the core's names from here."""

from graphassay._native import (
    Grammar,
    GrammarBatch,
    GraphSetView,
    TokenLayout,
    dfs_tokens,
    dgmg_tokens,
    distinct_dfs_tuples,
    sent_tokens,
)

__all__ = [
    "Grammar",
    "GrammarBatch",
    "GraphSetView",
    "TokenLayout",
    "dfs_tokens",
    "dgmg_tokens",
    "distinct_dfs_tuples",
    "sent_tokens",
]
