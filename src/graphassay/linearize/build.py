"""A linearizer from data."""

import os
from collections.abc import Sequence

import numpy as np

from graphassay.errors import InvalidInput
from graphassay.graph import GraphSet
from graphassay.linearize.components import largest_components
from graphassay.linearize.dfs import distinct_tuples
from graphassay.linearize.kind import Int32
from graphassay.linearize.linearizer import KINDS, Components, Linearizer
from graphassay.linearize.refusals import label_map


def linearizer_from_data(
    name: str,
    graphs: GraphSet,
    *,
    max_vertices: int | None = None,
    components: Components = "all",
    threads: int | None = None,
) -> Linearizer:
    """A linearizer whose vocabulary holds every graph of a set.

    Args:
        name: one of `KINDS`: ``sent:random``, ``sent:min-degree``, ``sent:max-degree``,
            ``sent:anchor``, ``dfs``, ``dfs:factored``, ``dgmg:label``, ``dgmg:canonical``.
        graphs: the data; only labels in use enter the vocabulary.
        max_vertices: make room for graphs up to this size; that of the largest by default.
        components: ``largest`` keeps one component per graph, as M does.
        threads: for the canonical forms that ``dfs`` needs; all cores by default.

    Raises:
        InvalidInput: on an unknown name, an empty set, or a graph larger than ``max_vertices``.

    Example:
        >>> from graphassay.graph import Graph
        >>> graphs = GraphSet.from_graphs([Graph(("C", "O"), [(0, 1, "=")])])
        >>> linearizer = linearizer_from_data("dgmg:label", graphs)
        >>> linearizer.vocabulary.text(linearizer.linearize(graphs[0]))
        '<bos> ADD_NODE:C END_EDGE ADD_NODE:O ADD_EDGE:= DEST:0 END_EDGE END_NODE <eos>'
    """
    if name not in KINDS:
        raise InvalidInput(f"unknown linearization {name!r}: expected one of {', '.join(KINDS)}")
    if components == "largest":
        graphs = largest_components(graphs)
    largest = int(graphs.vertex_counts.max(initial=0))
    if largest == 0:
        raise InvalidInput("expected at least one graph with a vertex, to learn a vocabulary from")
    if max_vertices is not None and largest > max_vertices:
        at = int(graphs.vertex_counts.argmax())
        raise InvalidInput(f"graph {at} has {largest} vertices, max_vertices is {max_vertices}")
    vertex_labels = _used(graphs.vertex_labels, graphs.vertex_label_names)
    edge_labels = _used(graphs.edge_labels, graphs.edge_label_names)
    tuples = np.empty(0, dtype=np.int32)
    if KINDS[name].has_tuples:
        tuples = distinct_tuples(
            graphs,
            label_map(graphs.vertex_label_names, vertex_labels),
            label_map(graphs.edge_label_names, edge_labels),
            threads or os.cpu_count() or 1,
        )
    return Linearizer(
        name=name,
        vertex_labels=vertex_labels,
        edge_labels=edge_labels,
        max_vertices=max_vertices or largest,
        components=components,
        tuples=tuples.reshape(-1, 5),
        molecules=graphs.molecules,
    )


def _used(labels: Int32, names: Sequence[str]) -> tuple[str, ...]:
    return tuple(sorted(names[i] for i in np.unique(labels).tolist()))
