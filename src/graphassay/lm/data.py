"""From graphs to batches of tokens: splits, an endless shuffled stream, grouping and packing.

Everything is a function of (seed, batch number), so a run that was killed goes on with exactly the
batches it would have seen, on any number of processes.
"""

import hashlib
import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt
import torch

from graphassay.errors import InvalidInput
from graphassay.graph import GraphSet

if TYPE_CHECKING:
    from graphassay.linearize import Linearizer

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]

IGNORED = -100
"""The label of a token that is not predicted (BOS, padding): Hugging Face's convention."""

MAX_PADDING = 0.05
"""Largest share of padding that grouping may leave; packing takes over beyond."""

_WINDOW_BATCHES = 256
_LENGTH_DRAWS = 4


@dataclass(frozen=True)
class Splits:
    """Indices of the train, validation and test graphs, and of those too long for the model."""

    train: Int64
    valid: Int64
    test: Int64
    too_long: Int64


def split(n_graphs: int, *, train_share: float, valid_share: float, seed: int) -> Splits:
    """Random disjoint splits, each ascending; test is what train and valid leave.

    Raises:
        InvalidInput: when a share that was asked for gets no graph.
    """
    order = np.random.default_rng([seed, 0x5911]).permutation(n_graphs)
    n_train, n_valid = round(n_graphs * train_share), round(n_graphs * valid_share)
    n_train = min(n_train, n_graphs - n_valid)
    if n_train < 1 or (valid_share > 0 and n_valid < 1):
        raise InvalidInput(
            f"{n_graphs} graphs are too few for train_share {train_share} and valid_share "
            f"{valid_share}: both need at least one graph"
        )
    parts = np.split(order.astype(np.int64), [n_train, n_train + n_valid])
    train, valid, test = (np.sort(part) for part in parts)
    return Splits(train, valid, test, np.empty(0, dtype=np.int64))


def set_sha256(graphs: GraphSet) -> str:
    """Digest of the graphs as a collection: neither their order nor unused labels matter.

    So a part of a data set has the same digest when it is read from a file of its own. A graph
    whose vertices are numbered otherwise is another one here.
    """
    used = [
        sorted(names[i] for i in np.unique(labels).tolist())
        for names, labels in (
            (graphs.vertex_label_names, graphs.vertex_labels),
            (graphs.edge_label_names, graphs.edge_labels),
        )
    ]
    plain = graphs.with_label_names(*used)
    digests = []
    vertices, edges = plain.vertex_offsets.tolist(), plain.edge_offsets.tolist()
    for g in range(len(plain)):
        of_vertices = plain.vertex_labels[vertices[g] : vertices[g + 1]]
        digest = hashlib.sha256(len(of_vertices).to_bytes(8, "little") + of_vertices.tobytes())
        for column in (plain.edge_u, plain.edge_v, plain.edge_labels):
            digest.update(column[edges[g] : edges[g + 1]].tobytes())
        digests.append(digest.digest())
    whole = hashlib.sha256(b"".join(sorted(digests)))
    whole.update("\0".join((*used[0], "", *used[1])).encode())
    return whole.hexdigest()


def longest_draws(linearizer: "Linearizer", graphs: GraphSet, *, seed: int) -> Int64:
    """The longest of a few linearizations of each graph, in tokens, int64 (n_graphs,)."""
    longest = np.zeros(len(graphs), dtype=np.int64)
    for epoch in range(_LENGTH_DRAWS if linearizer.is_random else 1):
        offsets = linearizer.batch(graphs, seed=seed, epoch=epoch).offsets
        np.maximum(longest, np.diff(offsets), out=longest)
    return longest


class TrainingBatches(torch.utils.data.Dataset[dict[str, torch.Tensor]]):
    """Batch ``i`` of a run, for any ``i``, in any order, as Hugging Face model inputs.

    The stream of sequences is one shuffled epoch after another, each with linearizations of its
    own; batch ``i`` is ``batch_size`` sequences of it. ``grouped`` sorts a window of up to 256
    batches by length and shuffles the batches; ``packed`` keeps the order and fits the sequences
    into rows, with ``position_ids`` that start again at each sequence.

    Args:
        graphs: the training graphs only.
        linearizer: what turns them into tokens.
        batch_size: sequences per batch.
        n_batches: length of the run.
        context: longest sequence allowed.
        long_graphs: a sequence beyond ``context`` (an unlucky random draw) stops the run or is left
            out of its batch; `n_skipped` counts those.
        batching: see `graphassay.lm.config.TrainConfig`.
        seed: decides order and linearizations.
    """

    def __init__(
        self,
        graphs: GraphSet,
        linearizer: "Linearizer",
        *,
        batch_size: int,
        n_batches: int,
        context: int,
        long_graphs: Literal["refuse", "skip"] = "refuse",
        batching: Literal["auto", "grouped", "packed"] = "auto",
        seed: int,
    ) -> None:
        if not len(graphs):
            raise InvalidInput("expected at least one graph to train on")
        self.graphs, self.linearizer = graphs, linearizer
        self.batch_size, self.n_batches, self.seed = batch_size, n_batches, seed
        self.context, self.long_graphs = context, long_graphs
        self.n_skipped = 0
        per_epoch = max(1, len(graphs) // batch_size)
        self._window_batches = min(_WINDOW_BATCHES, per_epoch)
        self._order: tuple[int, Int64] = (-1, np.empty(0, dtype=np.int64))
        self._window: tuple[int, list[list[Int32]]] = (-1, [])
        self.packed = batching == "packed"
        if batching == "auto":
            self.packed = self._padding() > MAX_PADDING
            self._window = (-1, [])

    def __len__(self) -> int:
        return self.n_batches

    def __getitem__(self, index: int) -> dict[str, torch.Tensor]:
        sequences = self.sequences(index)
        pad = self.linearizer.vocabulary.pad
        return packed_inputs(sequences, pad) if self.packed else padded_inputs(sequences, pad)

    def sequences(self, index: int) -> list[Int32]:
        """The token sequences of batch ``index``."""
        window, place = divmod(index, self._window_batches)
        if self._window[0] != window:
            self._window = (window, self._batches(window))
        return self._window[1][place]

    def _batches(self, window: int) -> list[list[Int32]]:
        size = self._window_batches * self.batch_size
        drawn = list(self._stream(window * size, (window + 1) * size))
        if self.packed:
            order = np.arange(size)
        else:
            rng = np.random.default_rng([self.seed, 0x91D0, window])
            ties = rng.permutation(size)  # equal lengths in random order
            order = ties[np.argsort([len(drawn[i]) for i in ties], kind="stable")]
        groups = order.reshape(self._window_batches, self.batch_size)
        if not self.packed:
            groups = rng.permutation(groups)
        return [self._fitting([drawn[i] for i in group]) for group in groups]

    def _fitting(self, sequences: list[Int32]) -> list[Int32]:
        kept = [s for s in sequences if len(s) <= self.context]
        if len(kept) == len(sequences):
            return kept
        if self.long_graphs == "refuse":
            longest = max(len(s) for s in sequences)
            raise InvalidInput(
                f"a linearization of {longest} tokens exceeds the model's context of "
                f"{self.context}: raise context, or set long_graphs = skip"
            )
        self.n_skipped += len(sequences) - len(kept)
        return kept or self._redraw()  # a batch may not be empty

    def _redraw(self) -> list[Int32]:
        for sequence in self._stream(0, len(self.graphs)):
            if len(sequence) <= self.context:
                return [sequence]
        raise InvalidInput(f"no training graph fits the model's context of {self.context} tokens")

    def _stream(self, start: int, stop: int) -> Iterator[Int32]:
        n = len(self.graphs)
        while start < stop:
            epoch, first = divmod(start, n)
            last = min(n, first + stop - start)
            if self._order[0] != epoch:
                order = np.random.default_rng([self.seed, 0x0DE5, epoch]).permutation(n)
                self._order = (epoch, order.astype(np.int64))
            chosen = self._order[1][first:last]
            batch = self.linearizer.batch(self.graphs, chosen, seed=self.seed, epoch=epoch)
            yield from np.split(batch.tokens, batch.offsets[1:-1])
            start += last - first

    def _padding(self) -> float:
        return padding_share([[len(s) for s in batch] for batch in self._batches(0)])


def padding_share(lengths: list[list[int]]) -> float:
    """Share of padding when each batch is padded to its longest sequence."""
    used = sum(sum(batch) for batch in lengths)
    total = sum(len(batch) * max(batch) for batch in lengths)
    return 1 - used / total


def padded_inputs(sequences: list[Int32], pad: int) -> dict[str, torch.Tensor]:
    """Model inputs, one right-padded row per sequence.

    No attention mask is needed: a causal model's real tokens never see the padding behind them.
    """
    shape = (len(sequences), max(len(s) for s in sequences))
    tokens = np.full(shape, pad, dtype=np.int64)
    labels = np.full(shape, IGNORED, dtype=np.int64)
    for row, sequence in enumerate(sequences):
        tokens[row, : len(sequence)] = sequence
        labels[row, 1 : len(sequence)] = sequence[1:]
    return {"input_ids": torch.from_numpy(tokens), "labels": torch.from_numpy(labels)}


def packed_inputs(sequences: list[Int32], pad: int) -> dict[str, torch.Tensor]:
    """Model inputs, several sequences per row; attention stays inside each sequence.

    Hugging Face models read the boundaries from ``position_ids``, which start again at 0; but only
    where the model's ``use_cache`` is off.
    """
    rows = pack([len(s) for s in sequences])
    length = max(sum(len(sequences[i]) for i in row) for row in rows)
    tokens = np.full((len(rows), length), pad, dtype=np.int64)
    labels = np.full((len(rows), length), IGNORED, dtype=np.int64)
    positions = np.zeros((len(rows), length), dtype=np.int64)
    for r, row in enumerate(rows):
        end = 0
        for i in row:
            start, end = end, end + len(sequences[i])
            tokens[r, start:end] = sequences[i]
            labels[r, start + 1 : end] = sequences[i][1:]
            positions[r, start:end] = np.arange(end - start)
        positions[r, end:] = np.arange(length - end)  # the padding is a sequence of its own
    return {
        "input_ids": torch.from_numpy(tokens),
        "labels": torch.from_numpy(labels),
        "position_ids": torch.from_numpy(positions),
    }


def pack(lengths: list[int], *, max_padding: float = MAX_PADDING / 2) -> list[list[int]]:
    """Sequences shared out over rows of about equal length, as short as padding allows.

    Each sequence, longest first, goes to the shortest row; the number of rows is the largest tried
    that pads at most ``max_padding`` (one row pads nothing).
    """
    order = sorted(range(len(lengths)), key=lambda i: -lengths[i])
    n_rows = len(lengths)
    while True:
        heap: list[tuple[int, int]] = [(0, row) for row in range(n_rows)]
        rows: list[list[int]] = [[] for _ in range(n_rows)]
        for i in order:
            load, row = heap[0]
            heapq.heapreplace(heap, (load + lengths[i], row))
            rows[row].append(i)
        longest = max(load for load, _ in heap)
        if 1 - sum(lengths) / (longest * n_rows) <= max_padding or n_rows == 1:
            return rows
        n_rows = max(1, min(n_rows - 1, n_rows * 2 // 3))


def length_sorted_batches(lengths: Int64, *, max_tokens: int) -> Iterator[Int64]:
    """Indices of sequences in batches of at most ``max_tokens`` after padding, longest first.

    A sequence longer than that is a batch of its own.
    """
    order = np.argsort(-lengths, kind="stable")
    start = 0
    while start < len(order):
        n = max(1, max_tokens // max(1, int(lengths[order[start]])))
        yield order[start : start + n]
        start += n
