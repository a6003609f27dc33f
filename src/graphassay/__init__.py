"""Audit graph and molecule generators against their training set.

Names are loaded on first use, so that ``import graphassay`` stays fast.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphassay.assay.memorization import audit
    from graphassay.canonical import canonical_code, class_ids, class_index, decode_code
    from graphassay.graph import Graph, GraphSet, MoleculeOptions
    from graphassay.interop import (
        from_networkx,
        from_pyg,
        from_rustworkx,
        to_networkx,
        to_pyg,
        to_rustworkx,
    )
    from graphassay.io import read, write
    from graphassay.mining import Database, mine
    from graphassay.molecules import graph_to_molecule, molecules_to_graphs
    from graphassay.report import compare_reports, write_report

__version__ = "0.1.0"

_HOME = {
    "Database": "mining",
    "Graph": "graph",
    "GraphSet": "graph",
    "MoleculeOptions": "graph",
    "audit": "assay.memorization",
    "canonical_code": "canonical",
    "class_ids": "canonical",
    "class_index": "canonical",
    "compare_reports": "report",
    "decode_code": "canonical",
    "from_networkx": "interop",
    "from_pyg": "interop",
    "from_rustworkx": "interop",
    "graph_to_molecule": "molecules",
    "mine": "mining",
    "molecules_to_graphs": "molecules",
    "quality": "assay.quality",
    "read": "io",
    "to_networkx": "interop",
    "to_pyg": "interop",
    "to_rustworkx": "interop",
    "write": "io",
    "write_report": "report",
}

__all__ = [
    "Database",
    "Graph",
    "GraphSet",
    "MoleculeOptions",
    "audit",
    "canonical_code",
    "class_ids",
    "class_index",
    "compare_reports",
    "decode_code",
    "from_networkx",
    "from_pyg",
    "from_rustworkx",
    "graph_to_molecule",
    "mine",
    "molecules_to_graphs",
    "quality",
    "read",
    "to_networkx",
    "to_pyg",
    "to_rustworkx",
    "write",
    "write_report",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'graphassay' has no attribute {name!r}")
    return getattr(importlib.import_module(f"graphassay.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
