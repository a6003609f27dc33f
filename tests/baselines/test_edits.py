import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphassay.baselines.edits import demo_sets, edit, resample_with_edits
from graphassay.errors import InvalidInput
from graphassay.graph import Graph, GraphSet
from strategies import graphs


@given(graph=graphs(), seed=st.integers(0, 99))
def test_an_edit_changes_one_label_or_moves_one_edge(graph: Graph, seed: int) -> None:
    edited = edit(graph, rng=np.random.default_rng(seed), vertex_labels=("A", "B", "C"))
    labels = sum(a != b for a, b in zip(graph.vertex_labels, edited.vertex_labels, strict=True))
    assert labels == 1
    assert edited.edges == graph.edges


def test_without_another_label_an_edge_moves() -> None:
    path = Graph("AAAA", [(0, 1, "x"), (1, 2, "x"), (2, 3, "x")])
    edited = edit(path, rng=np.random.default_rng(0), vertex_labels=("A",))
    assert edited.n_edges == 3
    assert len(set(edited.edges) - set(path.edges)) == 1
    complete = Graph("AA", [(0, 1, "x")])
    assert edit(complete, rng=np.random.default_rng(0), vertex_labels=("A",)) == complete


def test_atoms_keep_to_their_valence() -> None:
    # Formaldehyde: only the carbon may change, to nothing with fewer than 2 bonds.
    formaldehyde = Graph("CO", [(0, 1, "=")])
    seen = {
        edit(
            formaldehyde,
            rng=np.random.default_rng(seed),
            vertex_labels=("C", "F", "N", "O"),
        ).vertex_labels
        for seed in range(50)
    }
    assert seen == {("N", "O"), ("O", "O"), ("C", "C"), ("C", "N")}


def test_a_resample_has_the_asked_share_of_edits() -> None:
    train = GraphSet.from_graphs([Graph("A" * n, [(0, 1, "x")]) for n in range(3, 7)])
    known = set(train)
    copies = resample_with_edits(train, n_generated=40, edited=0.25, seed=1)
    assert sum(g not in known for g in copies) == 10
    assert list(copies) == list(resample_with_edits(train, n_generated=40, edited=0.25, seed=1))
    with pytest.raises(InvalidInput, match=r"share in \[0, 1\]"):
        resample_with_edits(train, n_generated=40, edited=1.5, seed=1)


def test_the_demo_has_two_sets_of_the_asked_size() -> None:
    train = GraphSet.from_graphs([Graph("ABAB", [(0, 1, "x"), (2, 3, "x")])])
    sets = demo_sets(train, n_generated=7, seed=0)
    assert {name: len(s) for name, s in sets.items()} == {"edited-copies": 7, "rewired": 7}
