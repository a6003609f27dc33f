"""Exact frequent subgraph mining of one or several weighted databases in one traversal.

Definitions: DEFINITIONS 3. A pattern is a connected graph with at least one edge; a graph supports
it when it contains it as a (not necessarily induced) subgraph with equal labels. No cap and no
skipped branch: the answer is complete, or an error says which limit stopped the run.
"""

import math
import numbers
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from graphassay.cores import n_cores
from graphassay.errors import InvalidInput, NothingToCompare
from graphassay.graph import GraphSet
from graphassay.pattern_table import Occurrences, PatternTable

__all__ = ["Database", "MiningProgress", "Occurrences", "PatternTable", "min_count", "mine"]

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]

_EPSILON = 1e-9


@dataclass(frozen=True, eq=False)
class Database:
    """A weighting of a graph set; what is mined.

    Databases that share one `GraphSet` object share its storage and search, so that hundreds of
    bootstrap resamples cost little more than one database.

    Args:
        graphs: the graphs.
        weights: int64, shape (n_graphs,), each 0 or more: how often each graph counts (a bootstrap
            resample is its multiplicities); None counts each once. The sum must stay below 2**32.
        name: for tables.
    """

    graphs: GraphSet
    weights: Int64 | None = None
    name: str = ""

    def __post_init__(self) -> None:
        if self.weights is None:
            return
        given = np.asarray(self.weights)
        if given.dtype.kind not in "iu":
            raise InvalidInput(f"weights: expected integers, got {given.dtype}")
        if given.shape != (len(self.graphs),):
            raise InvalidInput(
                f"weights: expected one for each of the {len(self.graphs)} graphs, "
                f"got an array of shape {given.shape}"
            )
        if given.size and int(given.min()) < 0:
            raise InvalidInput(f"weights: expected 0 or more, got {int(given.min())}")
        object.__setattr__(self, "weights", np.ascontiguousarray(given, dtype=np.int64))

    @property
    def total(self) -> int:
        """The sum of the weights."""
        return len(self.graphs) if self.weights is None else int(self.weights.sum())


@dataclass(frozen=True)
class MiningProgress:
    """Where a run stands: ``n_done`` of the ``n_level`` patterns with ``n_edges`` are extended."""

    n_edges: int
    n_done: int
    n_level: int
    n_patterns: int
    n_bytes: int
    elapsed_s: float


def mine(
    databases: GraphSet | Database | Sequence[GraphSet | Database],
    min_support: float,
    *,
    max_vertices: int = 8,
    max_edges: int | None = None,
    min_edges: int = 1,
    threads: int | None = None,
    occurrences: bool = False,
    embeddings: bool = False,
    time_limit_s: float | None = None,
    memory_limit_bytes: int | None = None,
    max_patterns: int | None = None,
    progress: Callable[[MiningProgress], None] | None = None,
) -> PatternTable:
    """All patterns that are frequent in at least one database, with exact counts in all.

    Args:
        databases: one or several; a bare `GraphSet` counts each graph once.
        min_support: a share in (0, 1] of each database's total weight (a float), or an absolute
            count (an int); see `min_count`. Note that ``1`` is one graph and ``1.0`` all of them.
        max_vertices: largest pattern, 2 to 16.
        max_edges: largest pattern; None for no limit of its own.
        min_edges: smaller patterns are not listed.
        threads: None for one per core. The result does not depend on it.
        occurrences: also list the graphs that contain each pattern.
        embeddings: also count the subgraphs that are images of each pattern; this enumerates them
            and can take far longer than mining.
        time_limit_s: give up after so many seconds.
        memory_limit_bytes: give up when graphs, patterns and results take so many bytes.
        max_patterns: give up when more patterns than this are frequent.
        progress: called some 20 times a second from this thread; raising ends the run.

    Returns:
        The table; empty when nothing is frequent.

    Raises:
        InvalidInput: a threshold or limit outside its range, or a graph with more than 65,535
            vertices.
        NothingToCompare: no database, or one whose total weight is 0.
        BudgetExceeded: a limit was hit; the message names it.
        KeyboardInterrupt: Ctrl-C, within a fraction of a second.

    Example:
        >>> from graphassay.graph import Graph, GraphSet
        >>> ethanol, water = Graph("CCO", [(0, 1, "-"), (1, 2, "-")]), Graph("O")
        >>> table = mine(GraphSet.from_graphs([ethanol, ethanol, water]), 0.5)
        >>> [(g.n_edges, int(n)) for g, n in zip(table.patterns, table.counts[:, 0])]
        [(1, 2), (1, 2), (2, 2)]
    """
    from graphassay import native  # keeps `import graphassay.mining` light

    listed = _as_databases(databases)
    _check_range("max_vertices", max_vertices, 2, native.MAX_PATTERN_VERTICES)
    _check_range("min_edges", min_edges, 1, None)
    for name, value in (
        ("max_edges", max_edges),
        ("threads", threads),
        ("memory_limit_bytes", memory_limit_bytes),
        ("max_patterns", max_patterns),
    ):
        if value is not None:
            _check_range(name, value, 1, None)
    if time_limit_s is not None and not time_limit_s >= 0:  # also NaN
        raise InvalidInput(f"time_limit_s: expected a number of seconds, got {time_limit_s}")
    totals = np.array([database.total for database in listed], dtype=np.int64)
    min_counts = _min_counts(min_support, listed, totals)
    sets = list({id(database.graphs): database.graphs for database in listed}.values())
    place = {id(graphs): i for i, graphs in enumerate(sets)}
    vertex_names, vertex_ids = _shared_ids([graphs.vertex_label_names for graphs in sets])
    edge_names, edge_ids = _shared_ids([graphs.edge_label_names for graphs in sets])
    columns = native.mine(
        [graphs.view for graphs in sets],
        vertex_ids,
        edge_ids,
        [place[id(database.graphs)] for database in listed],
        [database.weights for database in listed],
        min_counts.tolist(),
        max_vertices=max_vertices,
        min_edges=min_edges,
        max_edges=max_edges,
        threads=threads or n_cores(),
        occurrences=occurrences,
        embeddings=embeddings,
        time_limit_s=time_limit_s,
        memory_limit_bytes=memory_limit_bytes,
        max_patterns=max_patterns,
        progress=None if progress is None else lambda *args: progress(MiningProgress(*args)),
    )
    molecules = {graphs.molecules for graphs in sets}
    patterns = GraphSet(
        vertex_offsets=columns["vertex_offsets"],
        edge_offsets=columns["edge_offsets"],
        vertex_labels=columns["vertex_labels"],
        edge_u=columns["edge_u"],
        edge_v=columns["edge_v"],
        edge_labels=columns["edge_labels"],
        vertex_label_names=vertex_names,
        edge_label_names=edge_names,
        molecules=molecules.pop() if len(molecules) == 1 else None,
    )
    shape = (len(patterns), len(listed))
    found: tuple[Occurrences, ...] = ()
    if occurrences:
        per_set = _split_occurrences(columns, [len(graphs) for graphs in sets])
        found = tuple(per_set[place[id(database.graphs)]] for database in listed)
    return PatternTable(
        patterns=patterns,
        counts=columns["counts"].reshape(shape),
        totals=totals,
        min_counts=min_counts,
        names=tuple(database.name for database in listed),
        occurrences=found,
        embeddings=columns["embeddings"].reshape(shape) if embeddings else None,
    )


def min_count(min_support: float, total: int) -> int:
    """The least count that is frequent.

    Args:
        min_support: a float is a share in (0, 1] and gives ``ceil(share * total)``, at least 1;
            an int is the count itself. A product that exceeds an integer by rounding error only
            (0.1 * 30 is 3.0000000000000004) is taken for that integer.
        total: total weight of the database.

    Raises:
        InvalidInput: a share outside (0, 1], or a count below 1.

    Example:
        >>> min_count(0.1, 188), min_count(0.1, 30), min_count(18, 188)
        (19, 3, 18)
    """
    value: object = min_support
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise InvalidInput(f"min_support: expected a share or a count, got {value!r}")
    if isinstance(value, numbers.Integral):
        if int(value) < 1:
            raise InvalidInput(f"min_support: expected a count of at least 1, got {value}")
        return int(value)
    share = float(value)
    if not 0 < share <= 1:
        raise InvalidInput(
            f"min_support: expected a share in (0, 1] or a whole count, got {min_support}"
        )
    product = share * total
    return max(1, math.ceil(product - _EPSILON * max(1.0, product)))


def _as_databases(
    databases: GraphSet | Database | Sequence[GraphSet | Database],
) -> list[Database]:
    if isinstance(databases, GraphSet | Database):
        databases = [databases]
    listed = [Database(item) if isinstance(item, GraphSet) else item for item in databases]
    if not listed:
        raise NothingToCompare("expected at least one database to mine")
    for number, database in enumerate(listed):
        if database.total == 0:
            name = database.name or f"number {number}"
            raise NothingToCompare(f"database {name}: expected at least one graph to mine, got 0")
    return listed


def _min_counts(min_support: float, databases: list[Database], totals: Int64) -> Int64:
    counts = np.array([min_count(min_support, int(total)) for total in totals], dtype=np.int64)
    if (counts > totals).all():
        largest = int(totals.max())
        raise InvalidInput(
            f"min_support: expected a count of at most {largest} (the largest of "
            f"{len(databases)} databases), got {min_support}; give a share such as 0.1"
            if len(databases) > 1
            else f"min_support: expected a count of at most {largest}, the number of graphs, "
            f"got {min_support}; give a share such as 0.1"
        )
    return counts


def _check_range(name: str, value: object, low: int, high: int | None) -> None:
    if type(value) is bool or not isinstance(value, numbers.Integral):
        raise InvalidInput(f"{name}: expected a whole number, got {value!r}")
    if int(value) < low or (high is not None and int(value) > high):
        limit = f"at least {low}" if high is None else f"{low} to {high}"
        raise InvalidInput(f"{name}: expected {limit}, got {value}")


def _shared_ids(tables: Sequence[tuple[str, ...]]) -> tuple[tuple[str, ...], list[Int32]]:
    """One sorted label table for all sets, and each set's labels in it."""
    names = tuple(sorted({name for table in tables for name in table}))
    index = {name: i for i, name in enumerate(names)}
    return names, [np.array([index[name] for name in t], dtype=np.int32) for t in tables]


def _split_occurrences(columns: dict[str, Int64], sizes: list[int]) -> list[Occurrences]:
    """Occurrences over all sets, whose graphs are numbered through, as one object per set."""
    offsets, graphs = columns["occurrence_offsets"], columns["occurrence_graphs"]
    first = 0
    result = []
    for size in sizes:
        mine = (graphs >= first) & (graphs < first + size)
        before = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(mine)])
        result.append(Occurrences(before[offsets], graphs[mine] - first))
        first += size
    return result
