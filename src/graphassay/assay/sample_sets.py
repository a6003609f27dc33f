"""Many sample sets beside one training set: drawn once, scored in one traversal, kept in cells."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from graphassay.assay.cells import CellStore
from graphassay.assay.plan import TRAIN, Plan, SharedPool, rng_for
from graphassay.assay.run_graphs import sampled_graphs
from graphassay.assay.scoring import MinedRun
from graphassay.canonical import class_index
from graphassay.graph import GraphSet, concat
from graphassay.lm.decoding import decoding_named
from graphassay.lm.job import SampleJob, SampleSet, sample
from graphassay.lm.run import Run
from graphassay.metrics.alignment import ALIGNMENT_METRICS, Support
from graphassay.metrics.copying import TrainClasses, copy_rates
from graphassay.mining import mine
from graphassay.results import Undefined, Value
from graphassay.results.model import SampleScores

GROUP_SETS = 16
GROUP_GRAPHS = 50_000
"""At most so many sample sets, or graphs in them, share a traversal: what bounds the memory."""


@dataclass(frozen=True)
class Mining:
    """What decides the patterns, as in `graphassay.assay.memorization.run_audit`."""

    min_support: float | int = 0.1
    max_vertices: int = 8
    support: Support = "frequent"
    subsample: int = 10_000
    seed: int = 0
    """Of the subset of train that stands for a training set larger than ``subsample``."""


DEFAULT_MINING = Mining()


@dataclass(frozen=True, eq=False)
class Reference:
    """A training set and how its patterns are mined; copies are looked up in all of it."""

    train: GraphSet
    mining: Mining
    threads: int | None = None

    @cached_property
    def rows(self) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """The training graphs that are mined: all, or the subset of an audit's first run."""
        n = len(self.train)
        if n <= self.mining.subsample:
            return np.arange(n)
        rng = rng_for(self.mining.seed, "subsample", 0)
        return np.sort(rng.choice(n, size=self.mining.subsample, replace=False))

    @cached_property
    def key(self) -> dict[str, Any]:
        """What decides a score, beside the samples."""
        mining = asdict(self.mining)
        if len(self.train) <= self.mining.subsample:
            del mining["subsample"], mining["seed"]
        return {"train": self.train.sha256(), "mining": mining}

    def scores(self, sets: Sequence[GraphSet]) -> list[SampleScores]:
        """Scores of each set; failed records are read from its intake.

        One search has train and every set as a database, so that train's patterns are found once.
        Time is that of mining the distinct graphs of all of them together, and memory grows with
        their number.
        """
        classes = class_index([self.train, *sets], threads=self.threads)
        known = TrainClasses.of(classes[0])
        metrics = self._alignment(sets, classes)
        result = []
        for graphs, own, values in zip(sets, classes[1:], metrics, strict=True):
            n_failed = graphs.intake.n_refused if graphs.intake is not None else 0
            rates = copy_rates(known, own, n_failed=n_failed)
            result.append(
                SampleScores(
                    n_records=rates.n_records,
                    exact_match=rates.exact_match,
                    unique=rates.unique,
                    failed=rates.failed,
                    metrics=values,
                )
            )
        return result

    def _alignment(
        self, sets: Sequence[GraphSet], classes: Sequence[np.ndarray[Any, np.dtype[np.int64]]]
    ) -> list[dict[str, Value]]:
        nothing: dict[str, Value] = dict.fromkeys(
            ALIGNMENT_METRICS, Undefined("no sample is a graph")
        )
        filled = [i for i, graphs in enumerate(sets) if len(graphs)]
        if not filled:
            return [nothing] * len(sets)
        pool = SharedPool.of(
            self.train.take(self.rows),
            concat([sets[i] for i in filled]),
            classes[0][self.rows],
            np.concatenate([classes[i + 1] for i in filled]),
        )
        owner = np.repeat(np.arange(len(filled)), [len(sets[i]) for i in filled])
        plan = Plan()
        plan.add("train", pool.graphs, pool.train_weights())
        for place in range(len(filled)):
            mine_only = (owner == place).astype(np.int64)[None, :]
            plan.add(f"set {place}", pool.graphs, pool.generated_weights(mine_only))
        table = mine(
            plan.databases,
            self.mining.min_support,
            max_vertices=self.mining.max_vertices,
            threads=self.threads,
        )
        run = MinedRun.of(table, plan.columns, self.mining.support, self.threads)
        scored = {i: run.scores(TRAIN + 1 + place) for place, i in enumerate(filled)}
        return [scored.get(i, nothing) for i in range(len(sets))]


@dataclass(frozen=True)
class Draw:
    """One sample set: which weights, which decoding, which seed, beside which training set."""

    run: Run
    decoding: str
    seed: int
    reference: Reference

    @property
    def title(self) -> str:
        """For progress and intakes."""
        return f"{self.run.folder}, {self.decoding}, seed {self.seed}"


@dataclass(frozen=True, eq=False)
class Sampler:
    """Draws sample sets and scores them; what is in the store is neither drawn nor mined again.

    Args:
        store: keeps scores, and the log of each set of samples.
        n: samples in a set.
        constrained: mask what the grammar forbids.
        device: as in `graphassay.lm.job.sample`.
        threads: likewise.
        progress: called with what is being done.
    """

    store: CellStore
    n: int
    constrained: bool = True
    device: str = "auto"
    threads: int | None = None
    progress: Callable[[str], None] = field(default=lambda _: None)
    _fingerprints: dict[Path, str] = field(default_factory=dict, repr=False)

    def weights(self, run: Run) -> str:
        """The run's fingerprint, computed once."""
        if run.folder not in self._fingerprints:
            self._fingerprints[run.folder] = run.fingerprint()
        return self._fingerprints[run.folder]

    def job(self, draw: Draw) -> SampleJob:
        """All that decides the samples, but the weights."""
        return SampleJob(
            n=self.n,
            decoding=decoding_named(draw.decoding),
            constrained=self.constrained,
            seed=draw.seed,
        )

    def samples(self, draw: Draw) -> SampleSet:
        """The samples, drawn or read from their log."""
        job = self.job(draw)
        key = {"weights": self.weights(draw.run), "job": job.to_dict()}
        log = self.store.file(key, ".samples.jsonl")
        return sample(draw.run, job, device=self.device, threads=self.threads, log=log)

    def graphs(self, draw: Draw) -> GraphSet:
        """Their graphs; the failures are in the intake."""
        return sampled_graphs(self.samples(draw), f"{self.n:,} samples of {draw.title}")

    def scores(self, draws: Sequence[Draw]) -> list[SampleScores]:
        """Scores of each, in order. Sets with one training set share traversals, in groups."""
        keys = [self._key(draw) for draw in draws]
        found = [self.store.get(key, SampleScores) for key in keys]
        missing: dict[int, list[int]] = {}
        for i, draw in enumerate(draws):
            if found[i] is None:
                missing.setdefault(id(draw.reference), []).append(i)
        size = max(1, min(GROUP_SETS, GROUP_GRAPHS // self.n))
        n_done, n_missing = 0, sum(map(len, missing.values()))
        for rows in missing.values():
            for start in range(0, len(rows), size):
                group = rows[start : start + size]
                sets = []
                for i in group:
                    n_done += 1
                    self.progress(f"sampling {n_done} of {n_missing}: {draws[i].title}")
                    sets.append(self.graphs(draws[i]))
                self.progress(f"mining the patterns of {len(sets)} sample sets")
                for i, scores in zip(group, draws[group[0]].reference.scores(sets), strict=True):
                    self.store.put(keys[i], scores)
                    found[i] = scores
        return [scores for scores in found if scores is not None]

    def _key(self, draw: Draw) -> dict[str, Any]:
        return {
            "weights": self.weights(draw.run),
            "job": self.job(draw).to_dict(),
            **draw.reference.key,
        }
