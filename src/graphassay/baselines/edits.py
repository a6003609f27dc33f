"""Small seeded edits of graphs, and the two generated sets of the demo."""

from dataclasses import replace

import numpy as np

from graphassay.baselines.rewiring import rewire
from graphassay.errors import InvalidInput
from graphassay.graph import Graph, GraphSet

# Bonds that a neutral atom can have, and bonds per edge label: an edited atom keeps its bonds, so
# a substitution is allowed when the new element can have as many.
_VALENCES = {"C": 4.0, "N": 3.0, "O": 2.0, "S": 2.0, "F": 1.0, "Cl": 1.0, "Br": 1.0, "I": 1.0}
_BOND_ORDERS = {"-": 1.0, "=": 2.0, "#": 3.0, ":": 1.5}


def edit(graph: Graph, *, rng: np.random.Generator, vertex_labels: tuple[str, ...]) -> Graph:
    """The graph after one random edit: a vertex gets another label, else an edge moves.

    Atoms (labels that are elements, edges that are bonds) are only exchanged for elements with
    enough valence, so that a molecule stays one.

    Args:
        graph: the graph to edit.
        rng: source of randomness.
        vertex_labels: labels to choose from.

    Returns:
        A graph that differs in one vertex label or one edge; the same graph where no edit exists.
    """
    options = _substitutions(graph, vertex_labels)
    if options:
        vertex, label = options[int(rng.integers(len(options)))]
        labels = (*graph.vertex_labels[:vertex], label, *graph.vertex_labels[vertex + 1 :])
        return Graph(labels, graph.edges)
    present = {(u, v) for u, v, _ in graph.edges}
    n = graph.n_vertices
    absent = [(u, v) for u in range(n) for v in range(u + 1, n) if (u, v) not in present]
    if not graph.edges or not absent:
        return graph
    moved = int(rng.integers(graph.n_edges))
    u, v = absent[int(rng.integers(len(absent)))]
    label = graph.edges[moved][2]
    return Graph(
        graph.vertex_labels, [*graph.edges[:moved], *graph.edges[moved + 1 :], (u, v, label)]
    )


def resample_with_edits(train: GraphSet, *, n_generated: int, edited: float, seed: int) -> GraphSet:
    """A photocopier with a shaky hand: graphs drawn from train, a few of them edited once.

    Args:
        train: graphs to copy.
        n_generated: graphs to draw, with replacement.
        edited: share of them that get one edit, in [0, 1].
        seed: 0 or more.
    """
    if not len(train) or not 0 <= edited <= 1:
        raise InvalidInput(f"expected graphs and a share in [0, 1], got {len(train)} and {edited}")
    rng = np.random.default_rng([seed, 1])
    drawn = [train[int(i)] for i in rng.integers(len(train), size=n_generated)]
    chosen = rng.choice(n_generated, size=round(edited * n_generated), replace=False)
    for i in chosen.tolist():
        drawn[i] = edit(drawn[i], rng=rng, vertex_labels=train.vertex_label_names)
    return GraphSet.from_graphs(drawn, molecules=train.molecules)


def demo_sets(
    train: GraphSet, *, n_generated: int = 1000, edited: float = 0.1, seed: int = 0
) -> dict[str, GraphSet]:
    """Two "generated" sets whose audit has a known answer.

    Returns:
        ``edited-copies``: a resample of train with a few edits (memorization-dominated);
        ``rewired``: a resample of train with its edges rewired (misaligned). Molecules should be
        kekulized ones, whose rewiring can still be written as SMILES.
    """
    rng = np.random.default_rng([seed, 2])
    drawn = train.take(rng.integers(len(train), size=n_generated))
    return {
        "edited-copies": resample_with_edits(
            train, n_generated=n_generated, edited=edited, seed=seed
        ),
        "rewired": replace(rewire(drawn, seed=seed), molecules=train.molecules),
    }


def _substitutions(graph: Graph, vertex_labels: tuple[str, ...]) -> list[tuple[int, str]]:
    bonds = [0.0] * graph.n_vertices
    chemical = all(label in _BOND_ORDERS for _, _, label in graph.edges) and bool(graph.edges)
    for u, v, label in graph.edges:
        bonds[u] += _BOND_ORDERS.get(label, 0.0)
        bonds[v] += _BOND_ORDERS.get(label, 0.0)
    return [
        (vertex, label)
        for vertex, old in enumerate(graph.vertex_labels)
        for label in vertex_labels
        if label != old
        and (
            not chemical
            or (
                old in _VALENCES
                and bonds[vertex] <= _VALENCES[old]  # not an atom with a charge we cannot see
                and bonds[vertex] <= _VALENCES.get(label, 0.0)
            )
        )
    ]
