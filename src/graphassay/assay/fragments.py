"""Patterns of molecules written as SMILES fragments."""

from graphassay.graph import GraphSet


def fragment_smiles(patterns: GraphSet) -> list[str | None]:
    """A SMILES of each pattern, as a part of a molecule: no hydrogens are implied or checked.

    Aromatic bonds make their atoms lower-case even where the ring is not closed, so the text
    reads as SMARTS. None where a label is not an element or an edge label not a bond.
    """
    from rdkit import Chem

    bonds = {
        "-": Chem.BondType.SINGLE,
        "=": Chem.BondType.DOUBLE,
        "#": Chem.BondType.TRIPLE,
        ":": Chem.BondType.AROMATIC,
    }
    table = Chem.GetPeriodicTable()
    elements = {table.GetElementSymbol(n): n for n in range(1, 119)}
    written: list[str | None] = []
    for graph in patterns:
        known = all(label in elements for label in graph.vertex_labels)
        if not known or not all(label in bonds for _, _, label in graph.edges):
            written.append(None)
            continue
        molecule = Chem.RWMol()
        for label in graph.vertex_labels:
            atom = Chem.Atom(elements[label])
            atom.SetNoImplicit(True)
            molecule.AddAtom(atom)
        for u, v, label in graph.edges:
            molecule.AddBond(u, v, bonds[label])
            if label == ":":
                for end in (u, v):
                    molecule.GetAtomWithIdx(end).SetIsAromatic(True)
        written.append(Chem.MolFragmentToSmiles(molecule, list(range(graph.n_vertices))))
    return written
