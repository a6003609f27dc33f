"""Texts of molecules to columns and back, counted: what SMILES and SDF share."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from graphassay.errors import InvalidGraph
from graphassay.graph import Graph, GraphSet, Int64, MoleculeOptions, share_labels
from graphassay.intake import IntakeTally
from graphassay.io.options import ReadOptions
from graphassay.molecules.columns import MoleculeColumns, graph_set
from graphassay.molecules.parallel import parse_in_parallel
from graphassay.molecules.parsing import Notation
from graphassay.molecules.rebuild import graph_to_molecule


def parse_records(
    texts: Sequence[str],
    places: Sequence[int],
    notation: Notation,
    options: ReadOptions,
    tally: IntakeTally,
) -> tuple[MoleculeColumns, Int64]:
    """Columns of the molecules, and the positions of the texts they came from."""
    parts: list[MoleculeColumns] = []
    kept: list[Int64] = [np.zeros(0, dtype=np.int64)]
    for parsed in parse_in_parallel(
        texts,
        places,
        notation,
        options.molecules,
        processes=options.processes,
        progress=options.progress,
    ):
        parts.append(parsed.columns)
        kept.append(parsed.kept)
        tally.merge(parsed.refused)
    positions = np.concatenate(kept)
    tally.keep(len(positions))
    return MoleculeColumns.concatenate(parts), positions


def molecules_of(graphs: GraphSet, tally: IntakeTally) -> Iterator[tuple[str | None, Any]]:
    """Each graph as a molecule: (the SMILES it was read from, or None; the molecule).

    A source that still reads as exactly this graph is the most faithful molecule (stereochemistry,
    hydrogens, charges). Else the molecule is built from the graph and must read as it again.
    Graphs that are no molecule are refused in ``tally``.
    """
    from rdkit import Chem

    options = graphs.molecules or MoleculeOptions()
    faithful = faithful_sources(graphs, options)
    for g in range(len(graphs)):
        if faithful[g] and graphs.sources is not None:
            text = graphs.sources[g].as_py()
            tally.keep()
            yield text, Chem.MolFromSmiles(text)
            continue
        graph = graphs[g]
        try:
            mol = graph_to_molecule(graph, options, sanitize=True)
        except InvalidGraph as error:
            tally.refuse("graph is no valid molecule", g + 1, str(error))
            continue
        if _as_graph(mol, options) != graph:
            tally.refuse("graph changes when read as a molecule", g + 1, Chem.MolToSmiles(mol))
            continue
        tally.keep()
        yield None, mol


def _as_graph(mol: Any, options: MoleculeOptions) -> Graph:
    from rdkit import Chem

    if options.kekulize:
        mol = Chem.Mol(mol)
        Chem.Kekulize(mol, clearAromaticFlags=True)
    return graph_set(MoleculeColumns.from_molecules([mol]), options)[0]


def faithful_sources(graphs: GraphSet, options: MoleculeOptions) -> npt.NDArray[np.bool_]:
    """Which graphs' sources are SMILES that still read as exactly this graph."""
    faithful = np.zeros(len(graphs), dtype=np.bool_)
    if graphs.sources is None or graphs.molecules is None:
        return faithful
    texts = [text if text and "\0" not in text else "" for text in graphs.sources.to_pylist()]
    for parsed in parse_in_parallel(texts, range(len(texts)), "smiles", options):
        if len(parsed.kept):
            ours = graphs.take(parsed.kept)
            faithful[parsed.kept] = _equal(ours, graph_set(parsed.columns, options))
    return faithful


def _equal(a: GraphSet, b: GraphSet) -> npt.NDArray[np.bool_]:
    """Which graphs are equal, vertex by vertex, in two sets of one length."""
    same: npt.NDArray[np.bool_] = (a.vertex_counts == b.vertex_counts) & (
        a.edge_counts == b.edge_counts
    )
    at = np.flatnonzero(same)
    a, b = share_labels([a.take(at), b.take(at)])
    for counts, names in (
        (a.vertex_counts, ("vertex_labels",)),
        (a.edge_counts, ("edge_u", "edge_v", "edge_labels")),
    ):
        owner = np.repeat(at, counts)
        for name in names:
            same[owner[getattr(a, name) != getattr(b, name)]] = False
    return same
