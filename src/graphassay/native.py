"""The only importer of the C++ core: everything else imports the core's names from here."""

from graphassay._native import MAX_PATTERN_VERTICES, GraphSetView, mine

__all__ = ["MAX_PATTERN_VERTICES", "GraphSetView", "mine"]
