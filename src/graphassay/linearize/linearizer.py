"""The one class behind all linearizations, and how it is built from data."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Literal, Self

import numpy as np
import numpy.typing as npt

from graphassay import native
from graphassay.errors import InvalidInput, InvalidSequence
from graphassay.graph import Graph, GraphSet, MoleculeOptions
from graphassay.linearize.batch import Decoded, TokenBatch
from graphassay.linearize.components import largest_components
from graphassay.linearize.dfs import Dfs, distinct_tuples
from graphassay.linearize.dgmg import Dgmg
from graphassay.linearize.grammar import Grammar
from graphassay.linearize.kind import Kind, Request, Rows
from graphassay.linearize.sent import STRATEGIES, Sent
from graphassay.linearize.types import token_types
from graphassay.linearize.vocabulary import SPECIAL_TOKENS, Vocabulary, escape_label

Int8 = npt.NDArray[np.int8]
Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
Components = Literal["all", "largest"]

KINDS: Mapping[str, Kind] = {
    **{f"sent:{strategy}": Sent(strategy) for strategy in STRATEGIES},
    "dfs": Dfs(factored=False),
    "dfs:factored": Dfs(factored=True),
    "dgmg:label": Dgmg(canonical=False),
    "dgmg:canonical": Dgmg(canonical=True),
}
"""Every linearization by name."""

BOND_ORDERS: Mapping[str, int] = {"-": 1, "=": 2, "#": 3, ":": 1}
"""What a bond takes of a valence. An aromatic one counts 1, the least it can stand for, so that no
valid molecule is ruled out; labels that are not listed count 1 too."""

_VERSION = 1
_NO_LIMIT = 2**30
_EMPTY: Int32 = np.empty(0, dtype=np.int32)


@dataclass(frozen=True, eq=False)
class Linearizer:
    """Turns graphs into token sequences and back, over a vocabulary fixed by data.

    Lossless on every graph whose labels and size the vocabulary holds: several components,
    isolated vertices, a single vertex. Build one with `linearizer_from_data`.

    Args:
        name: one of `KINDS`.
        vertex_labels: distinct, sorted.
        edge_labels: distinct, sorted; empty where no graph has an edge.
        max_vertices: vertices of the largest graph that can be written.
        components: ``largest`` keeps one component per graph (as M does): most vertices, then
            most edges. Decoding gives what was kept.
        tuples: int32, shape (n, 5), the DFS tuples of the vocabulary; for ``dfs`` only.
        molecules: how molecules became the graphs; decoded sets carry it on.

    Raises:
        InvalidInput: on an unknown name or parts that do not fit.
    """

    name: str
    vertex_labels: tuple[str, ...]
    edge_labels: tuple[str, ...]
    max_vertices: int
    components: Components = "all"
    tuples: Int32 = field(default_factory=lambda: _EMPTY.reshape(0, 5))
    molecules: MoleculeOptions | None = None

    def __post_init__(self) -> None:
        if self.name not in KINDS:
            raise InvalidInput(
                f"unknown linearization {self.name!r}: expected one of {', '.join(KINDS)}"
            )
        if self.components not in ("all", "largest"):
            raise InvalidInput(f"components: expected all or largest, got {self.components!r}")
        if self.max_vertices < 1 or not self.vertex_labels:
            raise InvalidInput("expected at least one vertex and one vertex label")
        for kind, labels in (("vertex", self.vertex_labels), ("edge", self.edge_labels)):
            if list(labels) != sorted(set(labels)):
                raise InvalidInput(f"{kind}_labels: expected distinct, sorted labels")
        tuples = np.ascontiguousarray(self.tuples, dtype=np.int32).reshape(-1, 5)
        object.__setattr__(self, "tuples", tuples)
        _ = self._decoder  # checks the tuples

    @property
    def _kind(self) -> Kind:
        return KINDS[self.name]

    @property
    def is_random(self) -> bool:
        """Whether a graph has many sequences, drawn anew each time."""
        return self._kind.is_random

    @cached_property
    def layout(self) -> native.TokenLayout:
        """Where each kind of token lies in the vocabulary."""
        return native.TokenLayout(
            self._kind.number,
            self._kind.n_positions(self.max_vertices),
            len(self.vertex_labels),
            len(self.edge_labels),
            len(self.tuples) if self._kind.has_tuples else 0,
        )

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The tokens."""
        words = self._kind.words(
            self._kind.n_positions(self.max_vertices),
            tuple(escape_label(label) for label in self.vertex_labels),
            tuple(escape_label(label) for label in self.edge_labels),
            self.tuples.reshape(-1),
        )
        return Vocabulary((*SPECIAL_TOKENS, *self._kind.structural, *words))

    @cached_property
    def _decoder(self) -> Grammar:
        return self.grammar()

    def linearize(self, graph: Graph, rng: np.random.Generator | None = None) -> list[int]:
        """Token ids of one graph, from BOS to EOS.

        Args:
            graph: the graph.
            rng: where random linearizations draw from; canonical ones ignore it.

        Raises:
            InvalidInput: on a label or a size that the vocabulary does not hold; when the
                linearization is random and there is no ``rng``.
        """
        seed = None if rng is None else int(rng.integers(2**63))
        batch = self.batch(GraphSet.from_graphs([graph]), seed=seed, threads=1)
        return [int(token) for token in batch.tokens]

    def decode(self, tokens: Sequence[int] | Int32) -> Graph:
        """The graph of a complete sequence; padding after EOS is fine.

        Raises:
            InvalidSequence: when the tokens are not one; says where, and what was expected.
        """
        decoded = self.decode_batch([tokens])
        if decoded.failed:
            raise InvalidSequence(decoded.failed[0])
        return decoded.graphs[0]

    def decode_batch(self, sequences: TokenBatch | Sequence[Sequence[int] | Int32]) -> Decoded:
        """The graphs of many sequences; those that are not linearizations are listed apart."""
        if isinstance(sequences, TokenBatch):
            batch = sequences
        else:
            rows = [np.asarray(row, dtype=np.int32).reshape(-1) for row in sequences]
            batch = TokenBatch(
                np.concatenate(rows) if rows else _EMPTY,
                np.cumsum([0, *map(len, rows)], dtype=np.int64),
                np.arange(len(rows), dtype=np.int64),
            )
        starts, edge_starts, labels, u, v, edge_labels, failed_at = self._decoder.core.decode(
            batch.tokens, batch.offsets
        )
        graphs = GraphSet(
            starts,
            edge_starts,
            labels,
            u,
            v,
            edge_labels,
            self.vertex_labels,
            self.edge_labels,
            molecules=self.molecules,
        )
        failed = np.flatnonzero(failed_at >= 0)
        good = np.flatnonzero(failed_at < 0)
        reasons = {
            row: self._decoder.failure(batch[row], int(failed_at[row])) for row in failed.tolist()
        }
        return Decoded(graphs.take(good) if len(failed) else graphs, good, reasons)

    def batch(
        self,
        graphs: GraphSet,
        indices: npt.ArrayLike | None = None,
        *,
        seed: int | None = None,
        epoch: int = 0,
        threads: int | None = None,
        max_length: int | None = None,
        on_refusal: Literal["error", "skip"] = "error",
    ) -> TokenBatch:
        """Sequences of many graphs, filled by the core.

        A row is a function of (seed, epoch, index of its graph): not of the other rows, their
        order, or the number of threads.

        Args:
            graphs: the set.
            indices: which graphs, repeats allowed; all by default.
            seed: 0 or more; needed by random linearizations, ignored by the others.
            epoch: 0 or more; another epoch, other draws.
            threads: all cores by default.
            max_length: longest sequence that is accepted, BOS and EOS counted.
            on_refusal: what to do with a graph that the vocabulary cannot express or that is too
                long: stop with an error that names it, or leave it out and list it in ``skipped``.

        Raises:
            InvalidInput: on a refused graph; when a random linearization gets no seed.
            BudgetExceeded: when the search for a canonical form gets out of hand.
        """
        chosen = _as_indices(indices, len(graphs))
        if self.is_random and seed is None:
            raise InvalidInput(f"{self.name} draws at random: expected a seed (or rng), got none")
        if (seed or 0) < 0 or epoch < 0:
            raise InvalidInput("expected a seed and an epoch >= 0")
        rows = chosen
        if self.components == "largest":
            graphs = largest_components(graphs.take(chosen))
            rows = np.arange(len(chosen), dtype=np.int64)
        refused = self._refusals(graphs, rows)
        _check_refused(refused, chosen, on_refusal)
        kept = np.setdiff1d(np.arange(len(rows)), np.array([*refused], dtype=np.int64))
        request = Request(
            graphs=graphs,
            rows=rows[kept],
            streams=chosen[kept],
            vertex_map=label_map(graphs.vertex_label_names, self.vertex_labels),
            edge_map=label_map(graphs.edge_label_names, self.edge_labels),
            layout=self.layout,
            tuples=self.tuples.reshape(-1),
            seed=(seed or 0) % 2**64,
            epoch=epoch,
            threads=threads or os.cpu_count() or 1,
        )
        filled = self._kind.fill(request)
        late = self._late_refusals(filled, max_length)
        _check_refused(late, chosen[kept], on_refusal)
        skipped = {int(chosen[at]): why for at, why in refused.items()}
        skipped |= {int(chosen[kept[at]]): why for at, why in late.items()}
        log_q = filled.log_q if self.is_random else None
        batch = TokenBatch(filled.tokens, filled.offsets, chosen[kept], log_q, skipped)
        if not late:
            return batch
        return batch.take(np.setdiff1d(np.arange(len(kept)), np.array([*late], dtype=np.int64)))

    def _refusals(self, graphs: GraphSet, rows: Int64) -> dict[int, str]:
        """Rows whose graph the vocabulary cannot express, as far as that shows before the work."""
        found: dict[int, str] = {}
        counts = graphs.vertex_counts[rows]
        for at in np.flatnonzero(counts > self.max_vertices).tolist():
            found[at] = f"{counts[at]} vertices, the vocabulary holds {self.max_vertices}"
        for at in np.flatnonzero(counts == 0).tolist():
            found[at] = "no vertex; expected at least one"
        for what, labels, names, known, offsets in (
            (
                "vertex",
                graphs.vertex_labels,
                graphs.vertex_label_names,
                self.vertex_labels,
                graphs.vertex_offsets,
            ),
            (
                "edge",
                graphs.edge_labels,
                graphs.edge_label_names,
                self.edge_labels,
                graphs.edge_offsets,
            ),
        ):
            unknown = label_map(names, known) < 0
            if not unknown.any():
                continue
            before = np.concatenate([[0], np.cumsum(unknown[labels])])
            n_unknown = before[offsets[rows + 1]] - before[offsets[rows]]
            for at in np.flatnonzero(n_unknown).tolist():
                own = labels[offsets[rows[at]] : offsets[rows[at] + 1]]
                name = names[int(own[unknown[own]][0])]
                found[at] = f"{what} label {name!r} is not in the vocabulary"
        return found

    def _late_refusals(self, filled: Rows, max_length: int | None) -> dict[int, str]:
        found: dict[int, str] = {}
        tuples = filled.missing_tuples.reshape(-1, 5).tolist()
        for at, (i, j, a, b, c) in zip(filled.missing_rows.tolist(), tuples, strict=True):
            labels = f"{self.vertex_labels[a]},{self.vertex_labels[b]},{self.edge_labels[c]}"
            found[at] = f"DFS tuple ({i},{j},{labels}) is not in the vocabulary"
        if max_length is not None:
            lengths = np.diff(filled.offsets)
            for at in np.flatnonzero(lengths > max_length).tolist():
                found[at] = f"{lengths[at]} tokens, at most {max_length} are accepted"
        return found

    def grammar(
        self,
        *,
        max_vertices: int | None = None,
        valences: Mapping[str, int] | None = None,
        bond_orders: Mapping[str, int] = BOND_ORDERS,
    ) -> Grammar:
        """Which tokens may follow a prefix.

        Args:
            max_vertices: no graph gets larger than this (nor than ``self.max_vertices``).
            valences: vertex label -> the most that its edges may add up to; labels that are not
                listed have no limit. None (default): topology only.
            bond_orders: edge label -> what it adds; 1 where not listed.

        Raises:
            InvalidInput: on a valence for a label that the vocabulary lacks, or a number below 0.
        """
        most = self.max_vertices if max_vertices is None else min(max_vertices, self.max_vertices)
        limits, orders = _EMPTY, _EMPTY
        if valences is not None:
            for label in valences:
                if label not in self.vertex_labels:
                    raise InvalidInput(f"valence of {label!r}: the vocabulary has no such label")
            limits = np.array(
                [valences.get(label, _NO_LIMIT) for label in self.vertex_labels], dtype=np.int32
            )
            orders = np.array(
                [bond_orders.get(label, 1) for label in self.edge_labels], dtype=np.int32
            )
        tuples = self.tuples.reshape(-1) if self._kind.has_tuples else _EMPTY
        core = native.Grammar.make(self.layout, most, limits, orders, tuples)
        return Grammar(core, self.vocabulary)

    def token_types(self, tokens: npt.ArrayLike) -> Int8:
        """`TokenType` of each token of one or more sequences (packed or padded), same shape."""
        return token_types(self.vocabulary, self.layout, self.tuples, np.asarray(tokens))

    def to_json(self) -> str:
        """All that defines the linearizer, as JSON; `from_json` is the inverse."""
        return json.dumps(
            {
                "format": "graphassay.linearizer",
                "version": _VERSION,
                "name": self.name,
                "components": self.components,
                "max_vertices": self.max_vertices,
                "vertex_labels": self.vertex_labels,
                "edge_labels": self.edge_labels,
                "tuples": self.tuples.tolist(),
                "molecules": None if self.molecules is None else asdict(self.molecules),
            }
        )

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Reads what `to_json` wrote.

        Raises:
            InvalidInput: when ``text`` is something else, or of another version.
        """
        try:
            data = json.loads(text)
            if data["format"] != "graphassay.linearizer" or data["version"] != _VERSION:
                raise InvalidInput(
                    f"expected a linearizer of version {_VERSION}, got {data['format']} of version "
                    f"{data['version']}"
                )
            molecules = data["molecules"]
            return cls(
                name=data["name"],
                vertex_labels=tuple(map(str, data["vertex_labels"])),
                edge_labels=tuple(map(str, data["edge_labels"])),
                max_vertices=int(data["max_vertices"]),
                components=data["components"],
                tuples=np.array(data["tuples"], dtype=np.int32).reshape(-1, 5),
                molecules=None if molecules is None else MoleculeOptions(**molecules),
            )
        except (json.JSONDecodeError, KeyError, TypeError) as error:
            raise InvalidInput(f"expected the JSON of a linearizer: {error!r}") from error


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
    tuples = _EMPTY
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


def label_map(names: Sequence[str], known: Sequence[str]) -> Int32:
    """The place of each name among the known ones, or -1."""
    index = {label: i for i, label in enumerate(known)}
    return np.array([index.get(name, -1) for name in names], dtype=np.int32)


def _used(labels: Int32, names: Sequence[str]) -> tuple[str, ...]:
    return tuple(sorted(names[i] for i in np.unique(labels).tolist()))


def _as_indices(indices: npt.ArrayLike | None, n: int) -> Int64:
    if indices is None:
        return np.arange(n, dtype=np.int64)
    rows = np.asarray(indices)
    if rows.size == 0:
        return np.empty(0, dtype=np.int64)
    if rows.ndim != 1 or rows.dtype.kind not in "iu" or rows.min() < 0 or rows.max() >= n:
        raise InvalidInput(f"expected a list of graph indices in 0..{n - 1}")
    return np.ascontiguousarray(rows, dtype=np.int64)


def _check_refused(refused: Mapping[int, str], graph_of: Int64, on_refusal: str) -> None:
    if not refused or on_refusal == "skip":
        return
    at = min(refused)
    others = f" ({len(refused) - 1} more graphs are refused)" if len(refused) > 1 else ""
    raise InvalidInput(f"graph {graph_of[at]}: {refused[at]}{others}")
