"""How likely a model finds graphs: NLL in nats of one or many linearizations of each.

Graphs stream through in windows, so memory does not grow with their number; within a window,
sequences are sorted by length, so that next to nothing is padding where a device pads; logits exist
for a few thousand tokens at a time, and only for real ones.
"""

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import torch

from graphassay.automorphisms import log_automorphisms
from graphassay.errors import InvalidInput
from graphassay.graph import GraphSet
from graphassay.linearize import TokenBatch, TokenType, largest_components
from graphassay.lm.data import length_sorted_batches
from graphassay.lm.llama import Llama, cross_entropies, predictions
from graphassay.metrics.uncertainty import (
    check_permutations,
    has_one_linearization,
    importance_bounds,
    linearization_uncertainty,
)

if TYPE_CHECKING:
    from graphassay.linearize import Linearizer

Float64 = npt.NDArray[np.float64]
Int64 = npt.NDArray[np.int64]

BATCH_TOKENS = {"cpu": 1024, "cuda": 65536, "mps": 16384}
"""Tokens computed together, by kind of device: on a CPU few enough for the caches."""

WINDOW_SEQUENCES = 8192
"""Sequences sorted together."""

Tally = Callable[[Float64, Float64, Int64, int], Float64]
"""Counts the top-1 predictions of a window: (confidence, 1 where right, group of each token, number
of groups) -> one table per group; `graphassay.metrics.reliability.reliability_table` is one."""


@dataclass(frozen=True)
class Scores:
    """The graphs of one window.

    ``nll`` and ``n_tokens`` have shape (n scored, K). ``n_tokens`` counts the predicted tokens:
    EOS, not BOS. ``refused`` says why a graph has no score; those have no row.
    """

    indices: Int64
    """Which graph each row is."""
    nll: Float64
    n_tokens: Int64
    refused: Mapping[int, str]
    tokens: tuple[TokenBatch, ...] = ()
    """The K linearizations, if asked for; rows as above."""
    token_nll: tuple[tuple[Float64, ...], ...] = ()
    """``token_nll[row][k]``: -log p of each predicted token, if asked for."""
    log_q: Float64 | None = None
    """`TokenBatch.log_q` of each linearization, shape as ``nll``; None where nothing is random."""
    reliability: Float64 | None = None
    """The tally's tables, if asked for: shape (n scored, K, token types, ...)."""
    n_distinct: Int64 | None = None
    """How many of the K linearizations of each graph are distinct."""
    single: npt.NDArray[np.bool_] | None = None
    """Which graphs have one linearization only: their spread is undefined. K equal draws of a
    random strategy are taken for that only where the draws had probability 1, or a graph is too
    symmetric to tell."""
    bound: Float64 | None = None
    """Lower bound of log p(G) over all linearizations, nats, shape (n scored,), by
    `importance_bounds`; NaN where a graph's automorphisms are too costly to count. None where it
    was not asked for, ``log_q`` is None, or there is one linearization of each."""

    @property
    def mean(self) -> Float64:
        """Mean NLL over the K linearizations, nats, shape (n scored,)."""
        mean: Float64 = self.nll.mean(axis=1)
        return mean

    @property
    def sd(self) -> Float64:
        """Standard deviation over the K linearizations (ddof 0), nats.

        Raises:
            InvalidInput: when K is 1: one number has no spread.
        """
        check_permutations(self.nll.shape[1])
        sd: Float64 = self.nll.std(axis=1)
        return sd

    @property
    def uncertainty(self) -> Float64:
        """As `linearization_uncertainty`: NaN where undefined; raises as `sd` does."""
        return linearization_uncertainty(self.nll, single=self.single)


def score(
    model: Llama,
    linearizer: "Linearizer",
    graphs: GraphSet,
    *,
    permutations: int | None = None,
    strategy: str = "native",
    seed: int = 0,
    per_token: bool = False,
    tally: Tally | None = None,
    bound: bool = False,
    log_automorphism_counts: Float64 | None = None,
    batch_tokens: int | None = None,
    threads: int | None = None,
) -> Iterator[Scores]:
    """Score graphs in their order, window by window.

    Args:
        model: the network.
        linearizer: the one it was trained with.
        graphs: what to score.
        permutations: K >= 2 draws of a random linearization for each graph; None scores one
            linearization of each (the canonical one, where there is one).
        strategy: ``native`` (as trained), or another that writes the same tokens: of SENT,
            ``random``, ``min-degree``, ``max-degree`` or ``anchor``; of DFS codes, ``random``.
        seed: of the random linearizations; never those that a training run of any seed saw.
        per_token: also give every token's share.
        tally: also count confidences and hits of each linearization by `TokenType` of the token
            predicted. Tokens and logits are not kept.
        bound: with several random linearizations, also the bound of log p(G).
        log_automorphism_counts: by `count_automorphisms` of all ``graphs``, where they are known
            already; else those that are needed are counted.
        batch_tokens: tokens computed together.
        threads: for linearizing; the network uses as many as PyTorch is set to.

    Raises:
        InvalidInput: one permutation, or several of a linearization that has only one; a strategy
            whose tokens the model does not know.
    """
    linearizer = with_strategy(linearizer, strategy)
    n_draws = _n_draws(linearizer, permutations)

    def counts_of(chosen: Int64) -> Float64:
        if log_automorphism_counts is not None:
            return log_automorphism_counts[chosen]
        return count_automorphisms(linearizer, graphs.take(chosen), threads=threads)

    window = max(1, WINDOW_SEQUENCES // n_draws)
    for start in range(0, len(graphs), window):
        chosen = np.arange(start, min(start + window, len(graphs)))
        draws: list[TokenBatch] = []
        refused: dict[int, str] = {}
        for draw in range(n_draws):
            batch = linearizer.batch(
                graphs,
                chosen,
                seed=scoring_seed(seed),
                epoch=draw,
                threads=threads,
                max_length=model.context,
                on_refusal="skip",
            )
            draws.append(batch)
            refused |= batch.skipped
        if n_draws > 1 and refused:  # a draw can be too long where another is not
            draws = [batch.take(_rows_without(batch, refused)) for batch in draws]
        scores = _score_window(
            model, draws, refused, tally=tally, linearizer=linearizer, batch_tokens=batch_tokens
        )
        if n_draws > 1:
            scores = _with_spread(scores, counts_of, bound=bound)
        yield scores if per_token else dataclasses.replace(scores, tokens=(), token_nll=())


def scoring_seed(seed: int) -> int:
    """The linearizer's seed for scoring: apart from all training seeds, which are below 2**32.

    Otherwise a training graph would be scored on the very sequences that the model learned.
    """
    return 2**32 + seed


def with_strategy(linearizer: "Linearizer", strategy: str) -> "Linearizer":
    """The linearizer with another strategy over the same vocabulary.

    Raises:
        InvalidInput: when there is no such strategy, or it writes other tokens.
    """
    if strategy == "native":
        return linearizer
    family = linearizer.name.partition(":")[0]
    name = strategy if strategy.partition(":")[0] == family else f"{family}:{strategy}"
    if name == "dfs:random" and linearizer.name.startswith("dfs:factored"):
        name = "dfs:factored:random"
    other = dataclasses.replace(linearizer, name=name)
    if other.vocabulary.tokens != linearizer.vocabulary.tokens:
        raise InvalidInput(
            f"strategy {strategy!r}: {name} writes other tokens than {linearizer.name}, "
            "which the model was trained on"
        )
    return other


def _n_draws(linearizer: "Linearizer", permutations: int | None) -> int:
    if permutations is None:
        return 1
    check_permutations(permutations)
    if not linearizer.is_random:
        raise InvalidInput(
            f"permutations: {linearizer.name} has one linearization per graph, so its spread is "
            "undefined; leave permutations out, or choose a random strategy"
        )
    return permutations


def count_automorphisms(
    linearizer: "Linearizer", graphs: GraphSet, *, threads: int | None = None
) -> Float64:
    """`log_automorphisms` of what a linearizer writes of each graph; NaN where they cost too much.

    Args:
        linearizer: with ``components="largest"`` the symmetries of that component count.
        graphs: any.
        threads: as there.
    """
    written = largest_components(graphs) if linearizer.components == "largest" else graphs
    return log_automorphisms(written, threads=threads, on_budget="nan")


def _with_spread(scores: Scores, counts_of: Callable[[Int64], Float64], *, bound: bool) -> Scores:
    """What several linearizations of each graph say together.

    Args:
        scores: of a window, tokens included.
        counts_of: graphs -> the logarithm of the number of their automorphisms.
        bound: also the bound: the automorphisms of all graphs are counted.
    """
    rows = range(len(scores.indices))
    n_distinct = [len({batch[row].tobytes() for batch in scores.tokens}) for row in rows]
    counts = np.array(n_distinct, dtype=np.int64)
    single = counts == 1
    found: Float64 | None = None
    if scores.log_q is not None and (bound or single.any()):
        at = np.arange(len(counts)) if bound else np.flatnonzero(single)
        log_q = scores.log_q[at] + counts_of(scores.indices[at])[:, None]
        # K equal draws may be chance: the linearizer's own probability of the sequence decides.
        # Too symmetric to count: leave it at K draws.
        single[at] &= np.isnan(log_q[:, 0]) | has_one_linearization(log_q)
        if bound:
            found = importance_bounds(-scores.nll, log_q).importance
    return dataclasses.replace(scores, n_distinct=counts, single=single, bound=found)


def _rows_without(batch: TokenBatch, refused: Mapping[int, str]) -> list[int]:
    return [row for row, graph in enumerate(batch.indices.tolist()) if graph not in refused]


def _score_window(
    model: Llama,
    draws: list[TokenBatch],
    refused: Mapping[int, str],
    *,
    tally: Tally | None,
    linearizer: "Linearizer",
    batch_tokens: int | None,
) -> Scores:
    n = len(draws[0])
    sequences = [batch[row] for batch in draws for row in range(n)]
    reliability = None
    if tally is None:
        losses = token_nlls(model, sequences, batch_tokens=batch_tokens)
    else:
        predicted = _each(model, sequences, predictions, batch_tokens)
        losses = [one[0] for one in predicted]
        counted = _tally(predicted, sequences, linearizer, tally)
        reliability = np.swapaxes(counted.reshape(len(draws), n, *counted.shape[1:]), 0, 1)
    shape = (len(draws), n)
    nll = np.array([loss.sum() for loss in losses]).reshape(shape).T
    n_tokens = np.array([len(loss) for loss in losses], dtype=np.int64).reshape(shape).T
    by_row = tuple(tuple(losses[k * n + row] for k in range(len(draws))) for row in range(n))
    log_q = [batch.log_q for batch in draws if batch.log_q is not None]
    return Scores(
        indices=draws[0].indices,
        nll=nll,
        n_tokens=n_tokens,
        refused=dict(refused),
        tokens=tuple(draws),
        token_nll=by_row,
        log_q=np.stack(log_q, axis=1) if log_q else None,
        reliability=reliability,
    )


def _tally(
    predicted: list[Float64],
    sequences: list[npt.NDArray[np.int32]],
    linearizer: "Linearizer",
    tally: Tally,
) -> Float64:
    """Tables of each sequence and token type, shape (sequences, token types, ...)."""
    n_types = len(TokenType)
    if not sequences:
        return tally(np.empty(0), np.empty(0), np.empty(0, np.int64), n_types)[None][:0]
    types = linearizer.token_types(np.concatenate(sequences)).astype(np.int64)
    lengths = np.array([len(sequence) for sequence in sequences])
    first = np.cumsum(lengths) - lengths
    group = np.repeat(np.arange(len(sequences)) * n_types, lengths - 1) + np.delete(types, first)
    _, confidence, correct = np.concatenate(predicted, axis=1)
    table = tally(confidence, correct, group, len(sequences) * n_types)
    return table.reshape(len(sequences), n_types, *table.shape[1:])


def token_nlls(
    model: Llama,
    sequences: list[npt.NDArray[np.int32]],
    *,
    batch_tokens: int | None = None,
) -> list[Float64]:
    """-log p of every token after the first, in nats, float64, for each sequence.

    Args:
        model: the network.
        sequences: token ids from BOS on, each within the model's context.
        batch_tokens: tokens computed together, padding included.

    Raises:
        InvalidInput: when a sequence is longer than the context.
    """
    return _each(model, sequences, cross_entropies, batch_tokens)


def _each(
    model: Llama,
    sequences: list[npt.NDArray[np.int32]],
    head: Callable[[Llama, torch.Tensor, torch.Tensor], Iterator[torch.Tensor]],
    batch_tokens: int | None,
) -> list[Float64]:
    """What ``head`` says of every token after the first (last axis), for each sequence."""
    lengths = np.array([len(s) for s in sequences], dtype=np.int64)
    if len(lengths) and int(lengths.max()) > model.context:
        raise InvalidInput(
            f"a sequence of {lengths.max()} tokens exceeds the model's context of {model.context}"
        )
    limit = batch_tokens or BATCH_TOKENS[model.device.type]
    # Small and symmetric graphs repeat themselves: what is equal is computed once.
    distinct: dict[bytes, int] = {}
    places = [distinct.setdefault(s.tobytes(), len(distinct)) for s in sequences]
    first = np.unique(places, return_index=True)[1]
    result: list[Float64] = [np.empty(0)] * len(first)
    batches = list(length_sorted_batches(lengths[first], max_tokens=limit))

    def compute(rows: Int64) -> list[Float64]:
        return _one_batch(model, [sequences[i] for i in first[rows]], head)

    side_by_side = _on_each_core if model.device.type == "cpu" else map
    for rows, found in zip(batches, side_by_side(compute, batches), strict=True):
        for i, values in zip(rows.tolist(), found, strict=True):
            result[i] = values
    return [result[place] for place in places]


def _on_each_core(
    compute: Callable[[Int64], list[Float64]], batches: list[Int64]
) -> Iterator[list[Float64]]:
    """Batches side by side, one on each of PyTorch's threads, in order.

    Faster than one batch after the other on all threads (where there are as many batches), and the
    sums do not depend on the number of threads.
    """
    threads = torch.get_num_threads()
    with ThreadPoolExecutor(threads, initializer=torch.set_num_threads, initargs=(1,)) as pool:
        futures = [pool.submit(compute, rows) for rows in batches]
        try:
            for future in futures:
                yield future.result()
        finally:
            for future in futures:
                future.cancel()
            pool.shutdown()
            torch.set_num_threads(threads)  # what new threads of others start with


def _one_batch(
    model: Llama,
    sequences: list[npt.NDArray[np.int32]],
    head: Callable[[Llama, torch.Tensor, torch.Tensor], Iterator[torch.Tensor]],
) -> list[Float64]:
    n_predicted = np.array([len(s) - 1 for s in sequences], dtype=np.int64)
    given = torch.from_numpy(np.concatenate([s[:-1] for s in sequences])).long()
    targets = torch.from_numpy(np.concatenate([s[1:] for s in sequences])).long()
    with torch.inference_mode():
        hidden = model.hidden_states(given.to(model.device), n_predicted)
        chunks = [c.cpu() for c in head(model, hidden, targets.to(model.device))]
    flat = torch.cat(chunks, dim=-1).double().numpy()
    return np.split(flat, np.cumsum(n_predicted)[:-1], axis=-1)
