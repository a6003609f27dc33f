"""Which databases one traversal mines: the sets, and every draw as weights over a set."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from graphassay.baselines.resampling import bootstrap_weights, sample_weights, subset_weights
from graphassay.baselines.rewiring import rewire
from graphassay.graph import GraphSet
from graphassay.mining import Database

TRAIN, GENERATED = 0, 1
"""Columns of the two sets in every table."""

MIN_NOVEL = 50
"""Fewer novel graphs are not mined alone: at a support of 10 % chance patterns would rule."""

MIN_REWIRED = 500
"""Rewired graphs made at least, so that small generated sets do not depend on a few of them."""

_PURPOSES = (
    "subsample",
    "bootstrap",
    "interval",
    "control",
    "holdout",
    "rewired",
    "gallery",
    "sensitivity",
)


def rng_for(seed: int, purpose: str, run: int = 0) -> np.random.Generator:
    """A stream per purpose and run: asking for more of one leaves the others as they were."""
    return np.random.default_rng([seed, _PURPOSES.index(purpose), run])


@dataclass(frozen=True)
class Draws:
    """How many draws of each kind take part in one run."""

    bootstrap: int
    interval: int
    control: int
    holdout: int
    rewired: int


@dataclass
class Plan:
    """Databases of one traversal, and the columns of each role in its table."""

    databases: list[Database] = field(default_factory=list)
    columns: dict[str, range] = field(default_factory=dict)

    def add(self, role: str, graphs: GraphSet, weights: npt.NDArray[np.int64] | None) -> None:
        """Add one database, or one per row of weights."""
        first = len(self.databases)
        rows: Sequence[npt.NDArray[np.int64] | None] = [None] if weights is None else list(weights)
        self.databases.extend(
            Database(graphs, weights=row, name=f"{role} {i}" if len(rows) > 1 else role)
            for i, row in enumerate(rows)
        )
        self.columns[role] = range(first, len(self.databases))


def plan_run(
    train: GraphSet,
    generated: GraphSet,
    *,
    draws: Draws,
    seed: int,
    run: int,
    holdout: GraphSet | None,
    rewired: GraphSet,
    novel: npt.NDArray[np.bool_],
) -> Plan:
    """One run's databases.

    The spread of the model's own numbers and the novel-only question belong to the generated set,
    so they take part in the first run only.

    Args:
        train: the training graphs of this run.
        generated: all parsed generated graphs.
        draws: how many of each kind.
        seed: the audit's seed.
        run: number of this run.
        holdout: pool of real graphs the model never saw.
        rewired: pool of rewired training graphs.
        novel: which generated graphs are not in train.
    """
    size = len(generated)
    plan = Plan()
    plan.add("train", train, None)
    plan.add("generated", generated, None)
    plan.add(
        "bootstrap",
        train,
        bootstrap_weights(len(train), size, draws.bootstrap, rng=rng_for(seed, "bootstrap", run)),
    )
    plan.add(
        "rewired",
        rewired,
        bootstrap_weights(len(rewired), size, draws.rewired, rng=rng_for(seed, "rewired", run)),
    )
    if holdout is not None:
        plan.add(
            "holdout",
            holdout,
            sample_weights(len(holdout), size, draws.holdout, rng=rng_for(seed, "holdout", run)),
        )
    if run == 0:
        rng = rng_for(seed, "interval")
        plan.add("interval", generated, bootstrap_weights(size, size, draws.interval, rng=rng))
        n_novel = int(novel.sum())
        if MIN_NOVEL <= n_novel < size:
            plan.add("novel", generated, novel.astype(np.int64)[None, :])
            rng = rng_for(seed, "control")
            plan.add("control", generated, subset_weights(size, n_novel, draws.control, rng=rng))
    return plan


def holdout_pool(holdout: GraphSet, size: int, *, seed: int, run: int) -> GraphSet:
    """The part of the holdout that one run's draws come from.

    Draws without replacement from a pool of 4 sizes vary as fresh draws do up to a factor
    sqrt(3/4); large sets make do with 2 sizes, because every pool graph is mined.
    """
    n = min(len(holdout), size * (4 if size <= 5_000 else 2))
    if n == len(holdout):
        return holdout
    chosen = rng_for(seed, "holdout", 1_000_000 + run).choice(len(holdout), size=n, replace=False)
    return holdout.take(np.sort(chosen))


def rewired_pool(train: GraphSet, size: int, *, seed: int, run: int) -> GraphSet:
    """Rewirings of ``max(size, 500)`` training graphs, every graph about equally often."""
    rng = rng_for(seed, "rewired", 1_000_000 + run)
    chosen = rng.permutation(len(train))[np.arange(max(size, MIN_REWIRED)) % len(train)]
    return rewire(train.take(chosen), seed=int(rng.integers(2**63)))
