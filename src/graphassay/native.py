"""The only importer of the C++ core: everything else imports the core's names from here."""

from graphassay._native import (
    GraphSetView,
    parse_gspan,
    parse_integer_rows,
    parse_label_lines,
    rewire,
)

__all__ = [
    "GraphSetView",
    "parse_gspan",
    "parse_integer_rows",
    "parse_label_lines",
    "rewire",
]
