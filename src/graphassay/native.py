"""The only importer of the C++ core: everything else imports the core's names from here."""

from graphassay._native import (
    GraphSetView,
    <<<<<<< HEAD
    rewire,
    =======
    read_rdkit_binary,
    >>>>>>> io,
    class_ids,
    dfs_code_texts,
    min_dfs_codes,
    parse_gspan,
    parse_integer_rows,
    parse_label_lines,
)

__all__ = [
    "GraphSetView",
    "<<<<<<< HEAD
    rewire",
    "=======
    read_rdkit_binary",
    ">>>>>>> io",
    "class_ids",
    "dfs_code_texts",
    "min_dfs_codes",
    "parse_gspan",
    "parse_integer_rows",
    "parse_label_lines",
]
