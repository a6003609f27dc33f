"""Audit graph and molecule generators against their training set."""

__version__ = "0.1.0"
