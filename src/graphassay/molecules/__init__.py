"""Molecules to graphs and back (RDKit)."""

from collections.abc import Iterable
from typing import Any

from graphassay.graph import GraphSet, MoleculeOptions
from graphassay.molecules.columns import MoleculeColumns, graph_set
from graphassay.molecules.parsing import reshaped
from graphassay.molecules.rebuild import UNSANITIZED, graph_to_molecule

__all__ = ["UNSANITIZED", "graph_to_molecule", "molecules_to_graphs"]


def molecules_to_graphs(
    mols: Iterable[Any],
    options: MoleculeOptions = MoleculeOptions(),
) -> GraphSet:
    """One graph per RDKit molecule (sanitized), vertices in the order of its atoms."""
    columns = MoleculeColumns.from_molecules(reshaped(mol, options) for mol in mols)
    return graph_set(columns, options)
