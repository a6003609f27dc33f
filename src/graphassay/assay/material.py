"""What an audit works on: the sets, what stands for train in each run, and which graphs are one."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from graphassay.assay.clock import Clock
from graphassay.assay.inputs import Settings
from graphassay.assay.plan import (
    TRAIN,
    Draws,
    SharedPool,
    holdout_pool,
    plan_run,
    rewired_pool,
    rng_for,
)
from graphassay.assay.scoring import MinedRun
from graphassay.canonical import class_index
from graphassay.errors import NothingToCompare
from graphassay.graph import GraphSet
from graphassay.metrics.copying import TrainClasses
from graphassay.mining import mine

N_REWIRED_DRAWS = 20

Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Material:
    """The sets of an audit, prepared.

    Attributes:
        sets: train, generated and, where there is one, the holdout.
        settings: of the audit.
        threads: None: all cores.
        chosen: of each run, the training graphs that stand for train.
        samples: those graphs.
        rewired: of each run, train rewired.
        classes: of each set and of the first rewired one, the isomorphism class of every graph.
        known: the classes of train.
    """

    sets: Mapping[str, GraphSet]
    settings: Settings
    threads: int | None
    chosen: list[Int64]
    samples: list[GraphSet]
    rewired: list[GraphSet]
    classes: Mapping[str, Int64]
    known: TrainClasses

    @property
    def train(self) -> GraphSet:
        """All training graphs."""
        return self.sets["train"]

    @property
    def generated(self) -> GraphSet:
        """All generated graphs."""
        return self.sets["generated"]

    @property
    def novel(self) -> npt.NDArray[np.bool_]:
        """Which generated graphs are not in train."""
        return ~self.known.contains(self.classes["generated"])


def prepare(
    train: GraphSet,
    generated: GraphSet,
    holdout: GraphSet | None,
    settings: Settings,
    *,
    threads: int | None,
    clock: Clock,
) -> Material:
    """Choose what stands for train, rewire it, and find which graphs are one."""
    sets = {"train": train, "generated": generated}
    if holdout is not None:
        sets["holdout"] = holdout
    n_runs = settings.repeats if len(train) > settings.subsample else 1
    with clock.phase("rewiring train"):
        chosen = [_sample(len(train), settings, run) for run in range(n_runs)]
        samples = [train if len(rows) == len(train) else train.take(rows) for rows in chosen]
        rewired = [
            rewired_pool(sample, len(generated), seed=settings.seed, run=run)
            for run, sample in enumerate(samples)
        ]
    with clock.phase("finding copies"):
        found = class_index([*sets.values(), rewired[0]], threads=threads)
        classes = dict(zip((*sets, "rewired"), found, strict=True))
        known = TrainClasses.of(classes["train"])
    return Material(sets, settings, threads, chosen, samples, rewired, classes, known)


def mine_runs(material: Material, clock: Clock) -> list[MinedRun]:
    """Mine every run: its part of train, the generated graphs and all draws in one search.

    Raises:
        NothingToCompare: when no pattern is frequent in train.
    """
    settings = material.settings
    novel = material.novel
    runs: list[MinedRun] = []
    for run, _ in enumerate(material.samples):
        with clock.phase(f"mining patterns ({run + 1} of {len(material.samples)})"):
            runs.append(_mine_run(material, novel, run))
        if not runs[-1].frequent(TRAIN).any():
            raise NothingToCompare(
                f"no pattern of at most {settings.max_vertices} vertices is frequent in train at "
                f"min_support {settings.min_support}; lower it"
            )
    return runs


def _mine_run(material: Material, novel: npt.NDArray[np.bool_], run: int) -> MinedRun:
    settings, classes, generated = material.settings, material.classes, material.generated
    pool = SharedPool.of(
        material.samples[run],
        generated,
        classes["train"][material.chosen[run]],
        classes["generated"],
    )
    holdout = material.sets.get("holdout")
    plan = plan_run(
        pool,
        draws=_draws(settings, len(material.samples)),
        seed=settings.seed,
        run=run,
        holdout=None
        if holdout is None
        else holdout_pool(holdout, len(generated), seed=settings.seed, run=run),
        rewired=material.rewired[run],
        novel=novel,
    )
    table = mine(
        plan.databases,
        settings.min_support,
        max_vertices=settings.max_vertices,
        threads=material.threads,
    )
    return MinedRun.of(table, plan.columns, settings.support, material.threads)


def _sample(n_train: int, settings: Settings, run: int) -> Int64:
    """The training graphs of one run: all, or a random subset."""
    if n_train <= settings.subsample:
        return np.arange(n_train)
    rng = rng_for(settings.seed, "subsample", run)
    return np.sort(rng.choice(n_train, size=settings.subsample, replace=False))


def _draws(settings: Settings, n_runs: int) -> Draws:
    bootstraps = settings.bootstraps
    holdout = settings.n_holdout_draws or min(50, bootstraps)
    return Draws(
        bootstrap=-(-bootstraps // n_runs),
        interval=settings.n_interval_resamples or max(20, min(100, bootstraps)),
        control=max(20, min(50, bootstraps)),
        holdout=-(-holdout // n_runs),
        rewired=-(-min(N_REWIRED_DRAWS, bootstraps) // n_runs),
    )
