"""How many distinct sequences a strategy writes of a graph, against how many were drawn."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from graphassay.graph import GraphSet
from graphassay.linearize import Linearizer, TokenBatch
from graphassay.metrics.saturation import distinct_sequences
from graphassay.results.linearization import Saturation

UInt64 = npt.NDArray[np.uint64]

DRAWN = (1, 2, 4, 8, 16, 32, 64, 128, 256)


def saturation(
    linearizer: Linearizer,
    graphs: GraphSet,
    *,
    drawn: Sequence[int] = DRAWN,
    seed: int = 0,
    threads: int | None = None,
) -> Saturation:
    """Sequence diversity of a random linearization (L, appendix D.3).

    Sequences are compared by 64-bit hashes: two that differ count as one with a probability below
    1e-14 per graph.

    Args:
        linearizer: draws the sequences; a canonical one has one each.
        graphs: those that it cannot write are left out.
        drawn: numbers of draws, ascending.
        seed: of the draws.
        threads: for linearizing.
    """
    found = []
    kept: npt.NDArray[np.int64] | None = None
    rng = np.random.default_rng(0x5A7)
    keys = rng.integers(2**64, size=1, dtype=np.uint64)
    for epoch in range(max(drawn)):
        batch = linearizer.batch(graphs, seed=seed, epoch=epoch, threads=threads, on_refusal="skip")
        longest = int(batch.lengths.max(initial=0))
        if longest > len(keys):  # more of the same stream: keys of earlier places stay
            more = rng.integers(2**64, size=longest - len(keys), dtype=np.uint64)
            keys = np.concatenate([keys, more])
        hashes = np.zeros(len(graphs), dtype=np.uint64)
        hashes[batch.indices] = sequence_hashes(batch, keys)
        found.append(hashes)
        kept = batch.indices if kept is None else np.intersect1d(kept, batch.indices)
    assert kept is not None, "at least one draw"
    table = np.stack(found, axis=1)[kept]  # (graphs, draws)
    return Saturation(
        strategy=linearizer.name,
        n_graphs=len(table),
        drawn=tuple(drawn) if len(table) else (),  # nothing to count
        distinct=distinct_sequences(table, drawn),
    )


def sequence_hashes(batch: TokenBatch, keys: UInt64) -> UInt64:
    """A universal hash of each row: the sum of key of the place x (odd) mix of the token."""
    if not len(batch):
        return np.empty(0, dtype=np.uint64)
    place = np.arange(len(batch.tokens)) - np.repeat(batch.offsets[:-1], batch.lengths)
    mixed = (batch.tokens.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(29)
    hashes: UInt64 = np.add.reduceat(mixed * keys[place], batch.offsets[:-1])
    return hashes
