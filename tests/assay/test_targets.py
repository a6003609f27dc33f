"""What is known of generated molecules without being told: stability and validity."""

import numpy as np

from graphassay.assay.targets import beside_own, own_targets
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


def test_a_column_of_the_user_is_not_replaced_by_ours() -> None:
    mine = np.array([False, True])
    targets, notes = beside_own({"validity": mine, "active": ~mine}, EXPLICIT)
    assert list(targets) == ["validity", "active", "stability"]
    assert targets["validity"] is mine
    assert notes == ["validity is the column that was given; our own is left out"]
    assert beside_own({}, EXPLICIT)[1] == []
