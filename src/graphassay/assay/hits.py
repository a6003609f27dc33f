"""Which training graphs a model reproduced, and how likely it finds them (M, appendix E)."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from graphassay.assay.cells import CellStore
from graphassay.canonical import class_index
from graphassay.graph import GraphSet
from graphassay.lm.run import Run
from graphassay.lm.score import score
from graphassay.metrics.copying import TrainClasses
from graphassay.metrics.likelihood import hit_miss
from graphassay.results import Undefined
from graphassay.results.model import HitMiss

Float64 = npt.NDArray[np.float64]

_STREAM = 0x4175
"""Of the random numbers that choose which training graphs are scored."""


@dataclass(frozen=True)
class HitsFound:
    """The comparison, and how many distinct training graphs of each kind there are in all."""

    result: HitMiss | Undefined
    n_hits: int
    n_misses: int

    def notes(self, most: int) -> Iterator[str]:
        """What a reader must know where not all of them were scored."""
        found = self.result
        if isinstance(found, Undefined):
            return
        if (found.n_hits, found.n_misses) != (self.n_hits, self.n_misses):
            yield (
                f"likelihoods are of {found.n_hits:,} of the {self.n_hits:,} reproduced and "
                f"{found.n_misses:,} of the {self.n_misses:,} other distinct training graphs: at "
                f"most {most:,} of each, drawn at random, and only graphs that the vocabulary and "
                "the context hold"
            )


def find_hits(
    run: Run,
    train: GraphSet,
    generated: GraphSet,
    store: CellStore,
    *,
    weights: str,
    draws: int,
    seed: int,
    most: int,
    device: str = "auto",
    threads: int | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> HitsFound:
    """Compare the likelihoods of the reproduced training graphs with those of the others.

    A distinct training graph (isomorphism class) is scored once, in the run's own linearization.

    Args:
        run: the model.
        train: what it was trained on.
        generated: what it generated.
        store: keeps the comparison.
        weights: the run's fingerprint.
        draws: linearizations of each graph, averaged; 1 where there is only one.
        seed: of random linearizations, and of the choice below.
        most: score at most so many hits and as many misses, drawn at random.
        device: ``auto``, ``cpu``, ``cuda``, …
        threads: for linearizing and on a CPU for scoring; default all cores.
        progress: called with what is being done.
    """
    rows, is_hit = hits_of(train, generated, threads=threads)
    n_hits, n_misses = int(is_hit.sum()), int((~is_hit).sum())

    def make() -> HitMiss | Undefined:
        if not n_hits or not n_misses:  # nothing to compare, so nothing to score
            return hit_miss(np.zeros(n_hits), np.zeros(n_misses))
        chosen = _at_most(is_hit, most, seed)
        progress(f"likelihood of {len(chosen):,} training graphs under {run.folder}")
        nll = nll_per_token(
            run, train.take(rows[chosen]), draws=draws, seed=seed, device=device, threads=threads
        )
        scored, hits = ~np.isnan(nll), is_hit[chosen]
        return hit_miss(nll[hits & scored], nll[~hits & scored])

    key = {
        "weights": weights,
        "train": train.sha256(),
        "generated": generated.sha256(),
        "draws": draws,
        "seed": seed,
        "most": None if max(n_hits, n_misses) <= most else most,
    }
    found: HitMiss | Undefined | None = store.get(key, HitMiss)
    if found is None:
        found = make()
        if not isinstance(found, Undefined):
            store.put(key, found)
    return HitsFound(found, n_hits, n_misses)


def hits_of(
    train: GraphSet, generated: GraphSet, *, threads: int | None = None
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """The first graph of each isomorphism class of train, and whether the class was generated."""
    own, made = class_index([train, generated], threads=threads)
    classes, first = np.unique(own, return_index=True)
    return first, TrainClasses.of(made).contains(classes)


def nll_per_token(
    run: Run,
    graphs: GraphSet,
    *,
    draws: int = 1,
    seed: int = 0,
    device: str = "auto",
    threads: int | None = None,
) -> Float64:
    """NLL / predicted tokens of each graph, nats, mean over the draws, shape (n_graphs,).

    NaN where the model's vocabulary or context does not hold the graph.
    """
    import torch

    result = np.full(len(graphs), np.nan)
    before = torch.get_num_threads()
    torch.set_num_threads(threads or before)
    try:
        for window in score(
            run.llama(device=device),
            run.linearizer,
            graphs,
            permutations=None if draws == 1 else draws,
            seed=seed,
            threads=threads,
        ):
            result[window.indices] = (window.nll / window.n_tokens).mean(axis=1)
    finally:
        torch.set_num_threads(before)
    return result


def _at_most(is_hit: npt.NDArray[np.bool_], most: int, seed: int) -> npt.NDArray[np.int64]:
    """Places of at most ``most`` hits and as many misses, ascending."""
    rng = np.random.default_rng([seed, _STREAM])
    chosen = []
    for places in (np.flatnonzero(is_hit), np.flatnonzero(~is_hit)):
        kept = rng.choice(places, size=most, replace=False) if len(places) > most else places
        chosen.append(kept)
    return np.sort(np.concatenate(chosen)).astype(np.int64)
