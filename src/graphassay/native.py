"""The only importer of the C++ core: everything else imports the core's names from here."""

from graphassay._native import GraphSetView, rewire

__all__ = ["GraphSetView", "rewire"]
