"""The only importer of the C++ core: everything else imports the core's names from here."""

from graphassay._native import (
    Grammar,
    GrammarBatch,
    GraphSetView,
    TokenLayout,
    attend,
    class_ids,
    dfs_code_texts,
    dfs_tokens,
    dgmg_tokens,
    distinct_dfs_tuples,
    min_dfs_codes,
    parse_gspan,
    parse_integer_rows,
    parse_label_lines,
    read_rdkit_binary,
    sent_tokens,
)

__all__ = [
    "Grammar",
    "GrammarBatch",
    "GraphSetView",
    "TokenLayout",
    "attend",
    "class_ids",
    "dfs_code_texts",
    "dfs_tokens",
    "dgmg_tokens",
    "distinct_dfs_tuples",
    "min_dfs_codes",
    "parse_gspan",
    "parse_integer_rows",
    "parse_label_lines",
    "read_rdkit_binary",
    "sent_tokens",
]
