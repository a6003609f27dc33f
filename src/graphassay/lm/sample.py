"""Draw graphs from a model: rows that finish make room at once, and a sample is its own stream.

Sample ``i`` of a seed depends on the model, the decoding and (seed, i) alone. To keep it so down to
the last bit, rows are computed in tiles of a fixed size and each attends to its own tokens
(`llama.KeyValueCache`): no row's sums are taken in another order because of its neighbours.
"""

import itertools
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from queue import SimpleQueue
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import torch

from graphassay.errors import InvalidInput
from graphassay.lm.decoding import Decoding, draw, uniforms
from graphassay.lm.llama import KeyValueCache, Llama

if TYPE_CHECKING:
    from graphassay.linearize import Grammar, Vocabulary

Int32 = npt.NDArray[np.int32]

TILE_ROWS = {"cpu": 32, "cuda": 256, "mps": 128}
"""Rows computed together, by kind of device."""


@dataclass(frozen=True)
class Sample:
    """One sequence drawn."""

    index: int
    tokens: Int32
    """From BOS to EOS, or to where the limit cut it off."""
    nll: float
    """-log p of the sequence under the model at T = 1, unmasked, in nats; EOS included."""
    ended: bool
    """Whether EOS came within the limit."""


def draw_samples(
    model: Llama,
    vocabulary: "Vocabulary",
    indices: Iterable[int],
    *,
    decoding: Decoding,
    seed: int,
    grammar: "Grammar | None" = None,
    max_tokens: int | None = None,
    batch_size: int = 64,
    threads: int = 1,
) -> Iterator[Sample]:
    """Draw the samples ``indices`` of a seed, in the order in which they finish.

    Args:
        model: the network.
        vocabulary: its tokens.
        indices: which samples; each is a stream of its own.
        decoding: how to choose.
        seed: of all streams.
        grammar: masks every token that cannot follow; None lets the model choose freely.
        max_tokens: limit, BOS and EOS counted; the model's context by default.
        batch_size: rows in flight, rounded up to whole tiles, one per thread at least.
        threads: on a CPU, tiles computed at the same time, each on a thread of its own.
    """
    limit = model.context if max_tokens is None else max_tokens
    if not 2 <= limit <= model.context:
        raise InvalidInput(f"max_tokens: expected 2..{model.context} (the context), got {limit}")
    tile_rows = TILE_ROWS[model.device.type]
    n_tiles = -(-batch_size // tile_rows)
    source = _Source(indices)
    tiles = [
        _Tile(model, vocabulary, source, tile_rows, decoding, seed, grammar, limit)
        for _ in range(max(n_tiles, threads) if model.device.type == "cpu" else n_tiles)
    ]
    if model.device.type == "cpu" and threads > 1:
        yield from _run_in_threads(tiles, threads)
    else:
        before = torch.get_num_threads()
        if model.device.type == "cpu":
            torch.set_num_threads(1)  # one thread per tile, however many cores: the same sums
        try:
            yield from _run_in_turn(tiles)
        finally:
            torch.set_num_threads(before)


class _Source:
    """Hands out the samples still to be drawn; shared by the tiles."""

    def __init__(self, indices: Iterable[int]) -> None:
        self._indices = iter(indices)
        self._lock = threading.Lock()

    def take(self, n: int) -> list[int]:
        with self._lock:
            return list(itertools.islice(self._indices, n))


def _run_in_turn(tiles: Sequence["_Tile"]) -> Iterator[Sample]:
    active = [tile for tile in tiles if tile.fill()]
    while active:
        for tile in active:
            yield from tile.step()
        active = [tile for tile in active if tile.busy]


def _run_in_threads(tiles: Sequence["_Tile"], threads: int) -> Iterator[Sample]:
    done: SimpleQueue[Sample | None] = SimpleQueue()
    stop = threading.Event()

    def run(mine: Sequence[_Tile]) -> None:
        torch.set_num_threads(1)  # of this thread's operations
        try:
            for sample in _run_in_turn(mine):
                done.put(sample)
                if stop.is_set():
                    return
        finally:
            done.put(None)

    before = torch.get_num_threads()
    with ThreadPoolExecutor(threads) as pool:
        futures: list[Future[None]] = [
            pool.submit(run, tiles[i::threads]) for i in range(threads) if tiles[i::threads]
        ]
        try:
            for _ in futures:
                while (sample := done.get()) is not None:
                    yield sample
        finally:
            stop.set()
            wait(futures, return_when=FIRST_COMPLETED)
            torch.set_num_threads(before)
        for future in futures:
            future.result()


class _Tile:
    """Rows in flight, computed together; a finished row is given the next sample."""

    def __init__(
        self,
        model: Llama,
        vocabulary: "Vocabulary",
        source: _Source,
        rows: int,
        decoding: Decoding,
        seed: int,
        grammar: "Grammar | None",
        limit: int,
    ) -> None:
        self.model, self.source, self.rows, self.limit = model, source, rows, limit
        self.decoding, self.seed = decoding, seed
        self.bos, self.eos, self.pad = vocabulary.bos, vocabulary.eos, vocabulary.pad
        self.cache = KeyValueCache(model, rows=rows, length=limit)
        self.state = None if grammar is None else grammar.start(rows)
        self.allowed = np.empty((rows, len(vocabulary.tokens)), dtype=np.bool_)
        self.samples = np.full(rows, -1, dtype=np.int64)  # -1: an idle row
        self.positions = np.zeros(rows, dtype=np.int64)  # of each row's newest token
        self.tokens = np.full((rows, limit), self.pad, dtype=np.int32)
        self.nll = np.zeros(rows)
        self.uniforms = np.zeros((rows, limit))

    @property
    def busy(self) -> bool:
        """Whether any row is still being drawn."""
        return bool((self.samples >= 0).any())

    def fill(self) -> bool:
        """Give samples to idle rows; False when there was nothing to do at all."""
        idle = np.flatnonzero(self.samples < 0)
        taken = self.source.take(len(idle))
        rows = idle[: len(taken)]
        if len(rows):
            self.samples[rows] = taken
            self.positions[rows] = 0
            self.tokens[rows] = self.pad
            self.tokens[rows, 0] = self.bos
            self.nll[rows] = 0
            self.uniforms[rows] = uniforms(self.seed, taken, self.limit)
            if self.state is not None:
                self.state.reset(rows)
                self.state.advance(np.full(len(rows), self.bos, dtype=np.int32), rows)
        return self.busy

    def step(self) -> list[Sample]:
        """One more token for every row; the samples that this finished."""
        rows, positions = np.arange(self.rows), self.positions
        newest = self.tokens[rows, positions]
        chosen, nll = self._choose(newest, positions, self.uniforms[rows, positions])
        live = self.samples >= 0
        self.nll[live] += nll[live]
        self.positions[live] += 1
        self.tokens[rows[live], self.positions[live]] = chosen[live]
        if self.state is not None:
            moved = rows[live]
            self.state.advance(chosen[moved].astype(np.int32), moved)
        ended = chosen == self.eos
        over = live & (ended | (self.positions == self.limit - 1))
        if not over.any():
            return []
        finished = [
            Sample(
                index=int(self.samples[r]),
                tokens=self.tokens[r, : self.positions[r] + 1].copy(),
                nll=float(self.nll[r]),
                ended=bool(ended[r]),
            )
            for r in np.flatnonzero(over)
        ]
        self.samples[over] = -1
        self.positions[over] = 0  # an idle row is computed along, as one token
        self.fill()
        return finished

    def _choose(
        self, newest: Int32, positions: npt.NDArray[np.int64], uniform: npt.NDArray[np.float64]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        device = self.model.device
        with torch.inference_mode():
            logits = self.model.step(
                torch.from_numpy(newest).long().to(device),
                torch.from_numpy(positions).to(device),
                self.cache,
            )
            masked = logits
            if self.state is not None:
                self.state.allowed(out=self.allowed)
                forbidden = torch.from_numpy(~self.allowed).to(device)
                forbidden[torch.from_numpy(self.samples < 0).to(device)] = False
                masked = logits.masked_fill(forbidden, -torch.inf)
            chosen = draw(masked, self.decoding, torch.from_numpy(uniform).to(device))
            nll = torch.nn.functional.cross_entropy(logits, chosen, reduction="none")
            return chosen.cpu().numpy(), nll.double().cpu().numpy()


def order(
    samples: Iterable[Sample], *, progress: Callable[[int], None] | None = None
) -> list[Sample]:
    """All samples, by index."""
    drawn = []
    for sample in samples:
        drawn.append(sample)
        if progress:
            progress(len(drawn))
    return sorted(drawn, key=lambda sample: sample.index)
