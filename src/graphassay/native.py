"""The only importer of the C++ core: everything else imports the core's names from here."""

from graphassay._native import (
    MAX_PATTERN_VERTICES,
    GraphSetView,
    class_ids,
    dfs_code_texts,
    min_dfs_codes,
    mine,
    parse_gspan,
    parse_integer_rows,
    parse_label_lines,
    read_rdkit_binary,
    rewire,
)

__all__ = [
    "MAX_PATTERN_VERTICES",
    "GraphSetView",
    "class_ids",
    "dfs_code_texts",
    "min_dfs_codes",
    "mine",
    "parse_gspan",
    "parse_integer_rows",
    "parse_label_lines",
    "read_rdkit_binary",
    "rewire",
]
