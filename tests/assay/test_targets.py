"""What is known of generated molecules without being told: stability and validity."""

from graphassay.assay.targets import own_targets
from graphassay.graph import Graph, GraphSet, MoleculeOptions

EXPLICIT = MoleculeOptions(hydrogens="explicit-h")
WATER = Graph(("O", "H", "H"), [(0, 1, "-"), (0, 2, "-")])
BRIDGE = Graph(("O", "H", "H"), [(0, 1, "-"), (1, 2, "-")])  # a hydrogen with two bonds
METHYL = Graph(("C", "H", "H", "H"), [(0, 1, "-"), (0, 2, "-"), (0, 3, "-")])


def test_molecules_with_explicit_hydrogens() -> None:
    graphs = GraphSet.from_graphs([WATER, BRIDGE, METHYL], molecules=EXPLICIT)
    targets = own_targets(EXPLICIT)
    assert list(targets) == ["stability", "validity"]
    assert targets["stability"](graphs).tolist() == [True, False, False]
    valid = targets["validity"](graphs)
    assert valid[0]
    assert not valid[1]


def test_stability_needs_hydrogens_and_plain_graphs_have_neither() -> None:
    assert list(own_targets(MoleculeOptions())) == ["validity"]
    assert own_targets(None) == {}
