"""Which databases one traversal mines: the sets, and every draw as weights over a set."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from graphassay.baselines.resampling import bootstrap_weights, sample_weights, subset_weights
from graphassay.baselines.rewiring import rewire
from graphassay.graph import GraphSet, concat
from graphassay.mining import Database

TRAIN, GENERATED = 0, 1
"""Columns of the two sets in every table."""

MIN_NOVEL = 50
"""Fewer novel graphs are not mined alone: at a support of 10 % chance patterns would rule."""

MIN_REWIRED = 500
MAX_REWIRED_EDGES = 40_000

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


@dataclass(frozen=True, eq=False)
class SharedPool:
    """Train and generated over one set of graphs: a copy is not mined a second time.

    ``graphs`` are the training graphs, then the generated classes that train lacks; ``rows`` has
    the place of every generated graph among them.
    """

    graphs: GraphSet
    n_train: int
    rows: npt.NDArray[np.int64]

    @classmethod
    def of(
        cls,
        train: GraphSet,
        generated: GraphSet,
        train_classes: npt.NDArray[np.int64],
        generated_classes: npt.NDArray[np.int64],
    ) -> "SharedPool":
        """Match graphs by their class numbers (equal numbers are isomorphic graphs)."""
        classes, first = np.unique(
            np.concatenate([train_classes, generated_classes]), return_index=True
        )
        rows = first[np.searchsorted(classes, generated_classes)]
        new = rows >= len(train)
        kept, place = np.unique(rows[new] - len(train), return_inverse=True)
        rows[new] = len(train) + place
        return cls(concat([train, generated.take(kept)]), len(train), rows)

    def train_weights(self, weights: npt.NDArray[np.int64] | None = None) -> npt.NDArray[np.int64]:
        """Weights of training graphs (default 1 each), shape (n_draws, n_train), over the pool."""
        if weights is None:
            weights = np.ones((1, self.n_train), dtype=np.int64)
        padded = np.zeros((len(weights), len(self.graphs)), dtype=np.int64)
        padded[:, : self.n_train] = weights
        return padded

    def generated_weights(
        self, weights: npt.NDArray[np.int64] | None = None
    ) -> npt.NDArray[np.int64]:
        """Weights of generated graphs (default 1 each), shape (n_draws, n), over the pool."""
        if weights is None:
            weights = np.ones((1, len(self.rows)), dtype=np.int64)
        summed = np.zeros((len(weights), len(self.graphs)), dtype=np.int64)
        for total, row in zip(summed, weights, strict=True):
            np.add.at(total, self.rows, row)
        return summed


def plan_run(
    pool: SharedPool,
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
        pool: the training graphs of this run with all parsed generated graphs.
        draws: how many of each kind.
        seed: the audit's seed.
        run: number of this run.
        holdout: pool of real graphs the model never saw.
        rewired: pool of rewired training graphs.
        novel: which generated graphs are not in train.
    """
    size = len(pool.rows)
    plan = Plan()
    plan.add("train", pool.graphs, pool.train_weights())
    plan.add("generated", pool.graphs, pool.generated_weights())
    rng = rng_for(seed, "bootstrap", run)
    boots = bootstrap_weights(pool.n_train, size, draws.bootstrap, rng=rng)
    plan.add("bootstrap", pool.graphs, pool.train_weights(boots))
    rng = rng_for(seed, "rewired", run)
    plan.add("rewired", rewired, bootstrap_weights(len(rewired), size, draws.rewired, rng=rng))
    if holdout is not None:
        rng = rng_for(seed, "holdout", run)
        plan.add("holdout", holdout, sample_weights(len(holdout), size, draws.holdout, rng=rng))
    if run == 0:
        rng = rng_for(seed, "interval")
        resamples = bootstrap_weights(size, size, draws.interval, rng=rng)
        plan.add("interval", pool.graphs, pool.generated_weights(resamples))
        n_novel = int(novel.sum())
        if MIN_NOVEL <= n_novel < size:
            alone = novel.astype(np.int64)[None, :]
            plan.add("novel", pool.graphs, pool.generated_weights(alone))
            rng = rng_for(seed, "control")
            subsets = subset_weights(size, n_novel, draws.control, rng=rng)
            plan.add("control", pool.graphs, pool.generated_weights(subsets))
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
    """Rewirings of training graphs, every graph about equally often.

    As many as the generated set, but at least 500, so that a small set does not hang on a few,
    and no more than 500 or about 40,000 edges, because all of them are mined. Draws repeat them.
    """
    rng = rng_for(seed, "rewired", 1_000_000 + run)
    affordable = int(MAX_REWIRED_EDGES // max(1.0, float(train.edge_counts.mean())))
    n = max(MIN_REWIRED, min(size, affordable))
    chosen = rng.permutation(len(train))[np.arange(n) % len(train)]
    return rewire(train.take(chosen), seed=int(rng.integers(2**63)))
