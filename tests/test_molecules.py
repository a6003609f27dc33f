import random

import pytest
from rdkit import Chem

from graphassay.errors import InvalidGraph
from graphassay.graph import Graph, MoleculeOptions
from graphassay.molecules import UNSANITIZED, graph_to_molecule, molecules_to_graphs

OPTIONS = [
    MoleculeOptions(hydrogens=h, charges=c, isotopes=i)
    for h in ("heavy", "explicit-h")
    for c in (False, True)
    for i in (False, True)
]
SMILES = [
    *("CCO", "c1ccccc1", "c1cc[nH]c1", "O=c1[nH]cc[nH]1", "C[N+](=O)[O-]", "[O-][n+]1ccccc1"),
    *("C[n+]1ccccc1", "c1ccc2c(c1)[nH]c1ccccc12", "[Na+].[Cl-]", "[13CH4]", "[2H]C", "C#N"),
    *("Cn1c(=O)c2c(ncn2C)n(C)c1=O", "Nc1ncnc2[nH]cnc12", "[NH4+].[OH-]", "CC(=O)[O-].[K+]"),
    *("O=S(=O)(O)c1ccccc1", "C1CC1.C1CC1", "N#[N+]C", "c1ccsc1", "c1cc[o+]cc1", "OB(O)O"),
]


def graph_of(smiles: str, options: MoleculeOptions) -> Graph:
    return molecules_to_graphs([Chem.MolFromSmiles(smiles)], options)[0]


def test_labels_by_hand() -> None:
    assert graph_of("C[N+](=O)[O-]", MoleculeOptions()) == Graph(
        "CNOO", [(0, 1, "-"), (1, 2, "="), (1, 3, "-")]
    )
    charged = MoleculeOptions(charges=True, isotopes=True)
    assert graph_of("[Ca+2].[13CH3][15NH3+].[O-2]", charged).vertex_labels == (
        "Ca+2",
        "13C",
        "15N+",
        "O-2",
    )
    assert graph_of("C#Cc1ccccc1", MoleculeOptions()).edges[:3] == (
        (0, 1, "#"),
        (1, 2, "-"),
        (2, 3, ":"),
    )
    assert graph_of("C$C", MoleculeOptions()).edges == ((0, 1, "QUADRUPLE"),)
    assert graph_of("O", MoleculeOptions(hydrogens="explicit-h")) == Graph(
        "OHH", [(0, 1, "-"), (0, 2, "-")]
    )
    benzene = graph_of("c1ccccc1", MoleculeOptions(kekulize=True))
    assert sorted(label for _, _, label in benzene.edges) == ["-"] * 3 + ["="] * 3


def test_components_stay_together() -> None:
    assert graph_of("CC.O", MoleculeOptions()) == Graph("CCO", [(0, 1, "-")])


@pytest.mark.parametrize("smiles", SMILES)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_graph_to_molecule_and_back_is_the_same_graph(
    smiles: str, options: MoleculeOptions
) -> None:
    graph = graph_of(smiles, options)
    mol = graph_to_molecule(graph, options, sanitize=True)
    assert not mol.HasProp(UNSANITIZED)
    assert (
        molecules_to_graphs(
            [mol], MoleculeOptions(charges=options.charges, isotopes=options.isotopes)
        )[0]
        == graph
    )


# The [nH] say what the graph has lost, which stands for all tautomers; two systems must not change
# each other.
TAUTOMERS = (
    *("CC1=CN=C(O)N1", "OCC1=CN=CN1", "Cc1ccc2[nH]ncc2c1", "Cc1nnc[nH]1"),
    *("c1c[nH]c(Cc2nc3cncnc3[nH]2)n1", "[O-][n+]1cccc(Cc2nc3[nH]ccc3[nH]2)c1"),
    *("C[n+]1ccccc1Cc1ccc2[nH]ncc2c1", "c1cc[o+]cc1.Cc1nnc[nH]1.c1ccc2[nH]ccc2c1"),
)


@pytest.mark.parametrize("smiles", [*SMILES, *TAUTOMERS])
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_one_graph_is_one_molecule(smiles: str, options: MoleculeOptions) -> None:
    """However the vertices are numbered."""
    graph = graph_of(smiles, options)
    read = MoleculeOptions(
        charges=options.charges, isotopes=options.isotopes
    )  # hydrogens are atoms
    n = len(graph.vertex_labels)
    rng = random.Random(0)
    found = set()
    for _ in range(20):
        new = rng.sample(range(n), n)
        labels = [label for _, label in sorted(zip(new, graph.vertex_labels, strict=True))]
        edges = [(new[u], new[v], label) for u, v, label in graph.edges]
        mol = graph_to_molecule(renumbered := Graph(labels, edges), options)
        assert molecules_to_graphs([mol], read)[0] == renumbered
        found.add(Chem.MolToSmiles(mol))
    assert len(found) == 1


@pytest.mark.parametrize("smiles", SMILES)
def test_with_everything_kept_the_molecule_is_the_same(smiles: str) -> None:
    options = MoleculeOptions(hydrogens="explicit-h", charges=True, isotopes=True)
    mol = Chem.RemoveHs(graph_to_molecule(graph_of(smiles, options), options))
    assert Chem.MolToSmiles(mol) == Chem.MolToSmiles(Chem.MolFromSmiles(smiles))


PARTS = [
    Graph("CCN", [(0, 1, ":"), (1, 2, ":")]),  # part of a ring
    Graph("CCCCC", [(0, i, "-") for i in range(1, 5)]),
    Graph("CCCCCC", [(0, i, "-") for i in range(1, 6)]),  # five bonds at carbon
    Graph("CC", [(0, 1, "QUADRUPLE")]),
    Graph("C", []),
]


@pytest.mark.parametrize("graph", PARTS)
@pytest.mark.parametrize("sanitize", [None, False])
def test_parts_of_molecules_can_be_drawn(graph: Graph, sanitize: bool | None) -> None:
    from rdkit.Chem.Draw import rdMolDraw2D

    mol = graph_to_molecule(graph, sanitize=sanitize)
    assert mol.GetNumAtoms() == graph.n_vertices
    drawer = rdMolDraw2D.MolDraw2DSVG(150, 150)
    drawer.drawOptions().prepareMolsBeforeDrawing = False
    rdMolDraw2D.PrepareMolForDrawing(mol, kekulize=False)
    drawer.DrawMolecule(mol)
    drawer.FinishDrawing()
    assert "<svg" in drawer.GetDrawingText()


def test_what_cannot_be_sanitized_says_why() -> None:
    mol = graph_to_molecule(PARTS[2])
    assert "valence" in mol.GetProp(UNSANITIZED)
    with pytest.raises(InvalidGraph, match=r"no valid molecule: .*valence"):
        graph_to_molecule(PARTS[2], sanitize=True)
    with pytest.raises(InvalidGraph, match=r"no valid molecule: .*aromatic"):
        graph_to_molecule(PARTS[0], sanitize=True)


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (Graph("C1"), "vertex 1: label '1' is no atom"),
        (Graph(["Xx"]), "label 'Xx' is no atom"),
        (Graph(["C+-"]), "no atom"),
        (Graph("CC", [(0, 1, "?")]), "edge 0-1: label '\\?' is no bond"),
    ],
)
def test_labels_that_are_not_chemistry(graph: Graph, message: str) -> None:
    for sanitize in (None, True, False):
        with pytest.raises(InvalidGraph, match=message):
            graph_to_molecule(graph, sanitize=sanitize)


def test_reading_leaves_rdkits_log_as_it_was(capfd: pytest.CaptureFixture[str]) -> None:
    graph_to_molecule(PARTS[2])
    assert capfd.readouterr().err == ""
    Chem.MolFromSmiles("xyz")
    assert "SMILES Parse Error" in capfd.readouterr().err
