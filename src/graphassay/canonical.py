"""Which graph is this? Isomorphism classes by the million, and the minimum DFS code.

`class_ids` answers with 128 bits per graph, `canonical_code` with a text that can be read, sorted
and decoded. Both are the same for isomorphic graphs and differ for all others (the ids up to hash
collision), and both depend on the label strings alone, so they compare across files and sessions.

The text of a code lists the connected components, each a walk through the component:

    code      = "" | component *(" | " component)
    component = label *(" " step)
    step      = [number] "[" label "]" label     an edge to a new vertex, from vertex `number`
                                                 (left out: from the newest vertex)
              | "[" label "]@" number            an edge from the newest vertex back to `number`
    label     = "%_" for the empty label, otherwise its characters; of these, "%", "[", "]", "@",
                "|", ASCII white space and control characters are written as "%" and two
                hexadecimal digits

Vertices are numbered from 0 in each component, in order of appearance. Toluene is
``C [-]C [:]C [:]C [:]C [:]C [:]C [:]@1``.
"""

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from graphassay import native
from graphassay.cores import n_cores
from graphassay.errors import InvalidInput
from graphassay.graph import Edge, Graph, GraphSet

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
UInt64 = npt.NDArray[np.uint64]
DfsTuple = tuple[int, int, str, str, str]

MAX_CLASS_WORK = 3_000_000_000
"""Default limit for one class id, in edges scanned: some ten seconds."""

MAX_CODE_WORK = 200_000_000
"""Default limit for one minimum DFS code, in edges scanned and vertices copied: about a second."""


def class_ids(
    graphs: GraphSet, *, threads: int | None = None, max_work: int = MAX_CLASS_WORK
) -> UInt64:
    """The isomorphism class of every graph, as a 128-bit id.

    Two graphs get the same id exactly when they are isomorphic with their labels (up to a
    collision of 128-bit hashes: below 1e-24 for ten million classes). The id is a function of
    structure and label strings, comparable across sets, files and sessions of one version.

    Args:
        graphs: any graphs; several components, no edges and no vertices included.
        threads: threads to use; None takes all cores. The ids do not depend on it.
        max_work: limit per graph in edges scanned; 0 means none.

    Returns:
        uint64, shape (n_graphs, 2).

    Raises:
        BudgetExceeded: when a graph needs more than ``max_work``; the message names its index.

    Source: colour refinement, and individualization-refinement with automorphism pruning
    (McKay and Piperno, Practical graph isomorphism II, 2014) where it does not settle a graph.

    Example:
        >>> ids = class_ids(GraphSet.from_graphs([Graph("CO", [(0, 1, "-")]),
        ...                                       Graph("OC", [(0, 1, "-")]),
        ...                                       Graph("OC", [(0, 1, "=")])]))
        >>> bool((ids[0] == ids[1]).all()), bool((ids[0] == ids[2]).all())
        (True, False)
    """
    ids, _ = _class_ids_and_paths(graphs, threads=threads, max_work=max_work)
    return ids


def _class_ids_and_paths(
    graphs: GraphSet, *, threads: int | None, max_work: int
) -> tuple[UInt64, npt.NDArray[np.uint8]]:
    """The ids, and per graph what it took: 0 tree, 1 discrete, 2 symmetric, 3 searched."""
    ids, paths = native.class_ids(
        graphs.view,
        graphs.vertex_label_keys,
        graphs.edge_label_keys,
        _checked_work(max_work),
        _n_threads(threads),
    )
    return ids.reshape(-1, 2), paths


def class_index(sets: Sequence[GraphSet], *, threads: int | None = None) -> list[Int64]:
    """Dense class numbers over several sets: equal numbers, isomorphic graphs.

    Classes are numbered from 0 by first appearance, going through the sets in order.

    Args:
        sets: any number of graph sets, empty ones included.
        threads: as in `class_ids`.

    Returns:
        One int64 array per set, shape (n_graphs,).

    Raises:
        BudgetExceeded: as `class_ids`.
    """
    if not sets:
        return []
    ids = np.concatenate([class_ids(s, threads=threads) for s in sets])
    order = np.lexsort((ids[:, 1], ids[:, 0]))  # stable: a class's first graph leads its group
    leads = np.ones(len(ids), dtype=bool)
    leads[1:] = (ids[order[1:]] != ids[order[:-1]]).any(axis=1)
    first_graphs = order[leads]
    numbers = np.empty(len(first_graphs), dtype=np.int64)
    numbers[np.argsort(first_graphs)] = np.arange(len(first_graphs))
    index = np.empty(len(ids), dtype=np.int64)
    index[order] = numbers[np.cumsum(leads) - 1]
    return np.split(index, np.cumsum([len(s) for s in sets])[:-1])


def canonical_code(graph: Graph, *, max_work: int = MAX_CODE_WORK) -> str:
    """The minimum DFS code as text: equal for isomorphic graphs, different for all others.

    Labels are ordered as strings. Components are sorted, so several are fine; the graph without
    vertices has the empty code. See the module for the grammar, `decode_code` for the way back.

    Args:
        graph: any graph.
        max_work: limit in edges scanned and vertices copied; 0 means none.

    Raises:
        BudgetExceeded: when more than ``max_work`` is asked for, or more tied traversals than fit
            into 256 MB. Molecules are far from it; dense graphs without labels may meet it from
            about 16 vertices (a complete graph less the edges of a cubic one), as every order of a
            clique ties.

    Source: Yan and Han, gSpan: graph-based substructure pattern mining, ICDM 2002.

    Example:
        >>> canonical_code(Graph("OCC", [(0, 1, "-"), (1, 2, "-")]))
        'C [-]C [-]O'
    """
    return canonical_codes(GraphSet.from_graphs([graph]), max_work=max_work, threads=1)[0]


def canonical_codes(
    graphs: GraphSet, *, max_work: int = MAX_CODE_WORK, threads: int | None = None
) -> list[str]:
    """`canonical_code` of every graph, on several threads.

    Raises:
        BudgetExceeded: when a graph needs more than ``max_work``; the message names its index.
    """
    return native.dfs_code_texts(
        graphs.view,
        _string_ranks(graphs.vertex_label_names),
        _string_ranks(graphs.edge_label_names),
        [_escape(name) for name in graphs.vertex_label_names],
        [_escape(name) for name in graphs.edge_label_names],
        _checked_work(max_work),
        _n_threads(threads),
    )


def dfs_code(graph: Graph, *, max_work: int = MAX_CODE_WORK) -> list[DfsTuple]:
    """The minimum DFS code as tuples ``(i, j, l_i, l_j, l_ij)``, in DEFINITIONS' field order.

    Components follow one another with running vertex numbers. Only an isolated vertex ``i``, which
    has no edge to write, becomes ``(i, i, l_i, l_i, "")``. `graph_from_dfs_code` is the way back.

    Raises:
        BudgetExceeded: as `canonical_code`.

    Example:
        >>> dfs_code(Graph("OCN", [(0, 1, "=")]))
        [(0, 1, 'C', 'O', '='), (2, 2, 'N', 'N', '')]
    """
    graphs = GraphSet.from_graphs([graph])
    tuples, order = dfs_code_columns(graphs, max_work=max_work, threads=1)
    vertices, edges = graphs.vertex_label_names, graphs.edge_label_names
    code = [(i, j, vertices[a], vertices[b], edges[e]) for i, j, a, b, e in tuples.tolist()]
    with_edges = {number for i, j, *_ in code for number in (i, j)}
    for number, vertex in enumerate(order.tolist()):
        if number not in with_edges:
            label = graph.vertex_labels[vertex]
            code.append((number, number, label, label, ""))
    # An isolated vertex stands between components, where its number says; edges keep their order.
    newest = np.maximum.accumulate([max(i, j) for i, j, *_ in code[: graph.n_edges]] or [0])
    places = [*newest.tolist()[: graph.n_edges], *(i for i, *_ in code[graph.n_edges :])]
    return [code[k] for k in np.argsort(places, kind="stable")]


def dfs_code_columns(
    graphs: GraphSet, *, max_work: int = MAX_CODE_WORK, threads: int | None = None
) -> tuple[Int32, Int32]:
    """Minimum DFS codes of a whole set, on the columns of the set.

    Returns:
        The tuples, int32 of shape (n_edges, 5): ``(i, j, l_i, l_j, l_ij)`` with label indices into
        the set's tables, graph ``g`` at ``edge_offsets[g]:edge_offsets[g + 1]``. And the order,
        int32 of shape (n_vertices,): the vertex that bears each number, graph ``g`` at
        ``vertex_offsets[g]:vertex_offsets[g + 1]``. Numbers run on over a graph's components.

    Raises:
        BudgetExceeded: when a graph needs more than ``max_work``; the message names its index.
    """
    tuples, order = native.min_dfs_codes(
        graphs.view,
        _string_ranks(graphs.vertex_label_names),
        _string_ranks(graphs.edge_label_names),
        _checked_work(max_work),
        _n_threads(threads),
    )
    return tuples.reshape(-1, 5), order


def graph_from_dfs_code(code: Sequence[DfsTuple]) -> Graph:
    """The graph that a DFS code (minimum or not) writes, with the code's vertex numbers.

    Raises:
        InvalidInput: when vertex numbers do not come in order, or labels contradict each other.
        InvalidGraph: on a repeated edge.
    """
    labels: list[str] = []
    edges: list[Edge] = []
    for place, (i, j, label_i, label_j, label_ij) in enumerate(code):
        for number, label in ((i, label_i), (j, label_j)):
            if number == len(labels):
                labels.append(label)
            elif not 0 <= number < len(labels):
                raise InvalidInput(
                    f"DFS code, tuple {place}: expected a vertex in 0..{len(labels)}, got {number}"
                )
            elif labels[number] != label:
                raise InvalidInput(
                    f"DFS code, tuple {place}: expected vertex {number} to keep its label "
                    f"{labels[number]!r}, got {label!r}"
                )
        if i != j:
            edges.append((i, j, label_ij))
    return Graph(labels, edges)


def decode_code(code: str) -> Graph:
    """The graph that a code describes, numbered as in the code.

    ``canonical_code(decode_code(code)) == code`` for every canonical code.

    Raises:
        InvalidInput: when the text does not follow the grammar.
        InvalidGraph: when it writes an edge twice.

    Example:
        >>> decode_code("C [-]C [=]O")
        Graph(vertex_labels=('C', 'C', 'O'), edges=((0, 1, '-'), (1, 2, '=')))
    """
    labels: list[str] = []
    edges: list[Edge] = []
    if code == "":
        return Graph(())
    for component in code.split(" | "):
        first = len(labels)
        head, *steps = component.split(" ")
        if not _LABEL.fullmatch(head):
            raise InvalidInput(f"code: expected a vertex label, got {head!r}")
        labels.append(_unescape(head))
        for step in steps:
            match = _STEP.fullmatch(step)
            if match is None:
                raise InvalidInput(
                    f"code: expected a step such as '[-]C', '3[-]C' or '[-]@0', got {step!r}"
                )
            source, label, vertex, back_label, back = match.groups()
            newest = len(labels) - 1
            other = back or source
            number = newest if other is None else first + int(other)
            if number > newest:
                raise InvalidInput(f"code: {step!r} names a vertex that has not appeared yet")
            if back is None:
                labels.append(_unescape(vertex))
                newest += 1
            edges.append((number, newest, _unescape(back_label if label is None else label)))
    return Graph(labels, edges)


_RESERVED = re.compile(r"[%\[\]@|\x00-\x20\x7f]")
_PLAIN = r"(?:[^%\[\]@|\x00-\x20\x7f]|%[0-9A-F]{2})+|%_"
_LABEL = re.compile(_PLAIN)
_STEP = re.compile(rf"(?:([0-9]+)?\[({_PLAIN})\]({_PLAIN})|\[({_PLAIN})\]@([0-9]+))")


def _escape(label: str) -> str:
    return _RESERVED.sub(lambda m: f"%{ord(m[0]):02X}", label) or "%_"


def _unescape(text: str) -> str:
    if text == "%_":
        return ""
    return re.sub(r"%([0-9A-F]{2})", lambda m: chr(int(m[1], 16)), text)


def _string_ranks(names: Sequence[str]) -> Int32:
    """Place of each name in sorted order, so that codes follow the strings, not the table."""
    ranks = np.empty(len(names), dtype=np.int32)
    ranks[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names), dtype=np.int32)
    return ranks


def _n_threads(threads: int | None) -> int:
    if threads is None:
        return n_cores()
    if threads < 1:
        raise InvalidInput(f"threads: expected at least 1, got {threads}")
    return threads


def _checked_work(max_work: int) -> int:
    if max_work < 0:
        raise InvalidInput(f"max_work: expected 0 (no limit) or more, got {max_work}")
    return max_work
