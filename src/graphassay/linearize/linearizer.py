"""The one class behind all linearizations."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from typing import Literal, Self

import numpy as np
import numpy.typing as npt

from graphassay import native
from graphassay.errors import InvalidInput, InvalidSequence
from graphassay.graph import Graph, GraphSet, MoleculeOptions
from graphassay.linearize.batch import Decoded, TokenBatch
from graphassay.linearize.components import largest_components
from graphassay.linearize.dfs import Dfs, NoAffordableCode
from graphassay.linearize.dgmg import Dgmg
from graphassay.linearize.grammar import Grammar
from graphassay.linearize.kind import Kind, Request
from graphassay.linearize.refusals import (
    after_filling,
    before_filling,
    label_map,
    stop_at_first,
)
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

EVALUATION_KINDS: Mapping[str, Kind] = {
    "dfs:random": Dfs(factored=False, is_random=True),
    "dfs:factored-random": Dfs(factored=True, is_random=True),
}
"""Random linearizations over the tokens of a canonical one, to evaluate its models with."""

_ALL_KINDS: Mapping[str, Kind] = {**KINDS, **EVALUATION_KINDS}

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
        name: one of `KINDS`, or of `EVALUATION_KINDS`.
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
        if self.name not in _ALL_KINDS:
            raise InvalidInput(
                f"unknown linearization {self.name!r}: expected one of {', '.join(_ALL_KINDS)}"
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

    def __getstate__(self) -> dict[str, object]:
        # Without what is cached: the core's objects cannot travel to other processes.
        return {one.name: getattr(self, one.name) for one in fields(self)}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)

    @property
    def _kind(self) -> Kind:
        return _ALL_KINDS[self.name]

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
            epoch: 0 or more; another epoch, other draws. K linearizations of each graph are K
                calls with K epochs.
            threads: all cores by default.
            max_length: longest sequence that is accepted, BOS and EOS counted.
            on_refusal: what to do with a graph that the vocabulary cannot express or that is too
                long: stop with an error that names it, or leave it out and list it in ``skipped``.

        Raises:
            InvalidInput: on a refused graph; when a random linearization gets no seed.
            BudgetExceeded: when the search for a canonical form gets out of hand; names the graph.
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
        stop = on_refusal == "error"
        refused = before_filling(
            graphs, rows, self.vertex_labels, self.edge_labels, self.max_vertices
        )
        if stop:
            stop_at_first(refused, chosen)
        while True:
            kept = np.setdiff1d(np.arange(len(rows)), np.array([*refused], dtype=np.int64))
            request = self._request(graphs, rows[kept], chosen[kept], seed or 0, epoch, threads)
            try:
                filled = self._kind.fill(request)
                break
            except NoAffordableCode as error:
                at = int(kept[error.row])
                if stop:
                    raise NoAffordableCode(int(chosen[at]), error.reason) from error
                refused[at] = error.reason
        late = after_filling(filled, self.vertex_labels, self.edge_labels, max_length)
        if stop:
            stop_at_first(late, chosen[kept])
        skipped = {int(chosen[at]): why for at, why in refused.items()}
        skipped |= {int(chosen[kept[at]]): why for at, why in late.items()}
        log_q = filled.log_q if self.is_random else None
        batch = TokenBatch(filled.tokens, filled.offsets, chosen[kept], log_q, skipped)
        if not late:
            return batch
        return batch.take(np.setdiff1d(np.arange(len(kept)), np.array([*late], dtype=np.int64)))

    def _request(
        self,
        graphs: GraphSet,
        rows: Int64,
        streams: Int64,
        seed: int,
        epoch: int,
        threads: int | None,
    ) -> Request:
        return Request(
            graphs=graphs,
            rows=rows,
            streams=streams,
            vertex_map=label_map(graphs.vertex_label_names, self.vertex_labels),
            edge_map=label_map(graphs.edge_label_names, self.edge_labels),
            layout=self.layout,
            tuples=self.tuples.reshape(-1),
            seed=seed % 2**64,
            epoch=epoch,
            threads=threads or os.cpu_count() or 1,
        )

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


def _as_indices(indices: npt.ArrayLike | None, n: int) -> Int64:
    if indices is None:
        return np.arange(n, dtype=np.int64)
    rows = np.asarray(indices)
    if rows.size == 0:
        return np.empty(0, dtype=np.int64)
    if rows.ndim != 1 or rows.dtype.kind not in "iu" or rows.min() < 0 or rows.max() >= n:
        raise InvalidInput(f"expected a list of graph indices in 0..{n - 1}")
    return np.ascontiguousarray(rows, dtype=np.int64)
