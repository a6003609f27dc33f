"""The molecules behind a graph set: which graphs are one, and their canonical SMILES."""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from graphassay.errors import InvalidGraph
from graphassay.graph import GraphSet, Int64, MoleculeOptions
from graphassay.io.records import faithful_sources
from graphassay.molecules.features import describe
from graphassay.molecules.rebuild import graph_to_molecule

SMILES_FORMATS = frozenset({"smiles", "csv"})
"""Formats whose sources are the SMILES that the graphs were read from."""


@dataclass(frozen=True, eq=False)
class Molecules:
    """Valid molecules of a graph set.

    Attributes:
        rows: the graphs that are molecules, ascending.
        smiles: the canonical SMILES of each, without stereochemistry.
    """

    rows: Int64
    smiles: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.rows)

    def sample(self, n: int, rng: np.random.Generator) -> tuple[str, ...]:
        """At most ``n`` of them, in random order."""
        return tuple(self.smiles[i] for i in rng.permutation(len(self))[:n].tolist())


def molecule_options(*sets: GraphSet | None) -> MoleculeOptions | None:
    """How the sets became graphs, from the first that says so; None: they are no molecules."""
    known = [graphs.molecules for graphs in sets if graphs is not None]
    return next((options for options in known if options is not None), None)


def sources_are_smiles(graphs: GraphSet) -> bool:
    """Whether graphs were read from a file of SMILES (subsets forget it)."""
    return graphs.intake is not None and graphs.intake.format in SMILES_FORMATS


def molecules_in(
    graphs: GraphSet,
    options: MoleculeOptions,
    *,
    trusted: bool = False,
    threads: int | None = None,
) -> Molecules:
    """The valid molecules among graphs.

    A SMILES that still reads as the graph is taken as it is; else the graph is made into a molecule
    as `graphassay.molecules.graph_to_molecule` does, and is valid when RDKit sanitizes that.

    Args:
        graphs: labelled as molecules are, by ``options``.
        options: how molecules became these graphs.
        trusted: the sources are the SMILES that the graphs were read from; else that is tried.
        threads: processes to use; default all cores.
    """
    if graphs.molecules is None:
        graphs = replace(graphs, molecules=options)
    faithful = np.ones(len(graphs), dtype=bool) if trusted else faithful_sources(graphs, options)
    texts = _texts(graphs, options, faithful)
    described = describe(texts, ["smiles"], processes=threads).smiles
    rows = np.array([i for i, text in enumerate(described) if text], dtype=np.int64)
    return Molecules(rows, tuple(text for text in described if text))


def _texts(
    graphs: GraphSet, options: MoleculeOptions, faithful: npt.NDArray[np.bool_]
) -> list[str]:
    """A SMILES per graph, empty where there is no valid molecule."""
    from rdkit import Chem

    sources: list[str | None] = [None] * len(graphs)
    if graphs.sources is not None:
        sources = graphs.sources.to_pylist()
    texts = []
    for g, source in enumerate(sources):
        if faithful[g] and source:
            texts.append(source)
            continue
        try:
            texts.append(Chem.MolToSmiles(graph_to_molecule(graphs[g], options, sanitize=True)))
        except InvalidGraph:
            texts.append("")
    return texts
