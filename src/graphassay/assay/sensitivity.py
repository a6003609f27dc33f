"""The headline numbers under other mining options, from one traversal (M appendix J)."""

import math
from collections.abc import Sequence

import numpy as np

from graphassay.assay.plan import GENERATED, TRAIN, Plan, rng_for
from graphassay.assay.scoring import MinedRun
from graphassay.baselines.resampling import bootstrap_weights
from graphassay.graph import GraphSet
from graphassay.metrics.alignment import (
    ALIGNMENT_METRICS,
    Support,
    alignment_scores,
    support_pair,
)
from graphassay.metrics.calibration import summarize, z_score
from graphassay.mining import mine
from graphassay.results import SensitivityRow, Value

SUPPORT_FACTORS = (0.5, 1, 2)
SIZES = (4, 6, 8)
N_BOOTSTRAPS = 50


def sensitivity_rows(
    train: GraphSet,
    generated: GraphSet,
    *,
    min_support: float | int,
    max_vertices: int,
    support: Support,
    bootstraps: int,
    seed: int,
    threads: int | None = None,
) -> tuple[SensitivityRow, ...]:
    """Half, once and twice the support, by patterns of at most 4, 6, 8 and ``max_vertices``.

    Everything is mined once, at the lowest support and the largest size; a higher support or a
    smaller size is a filter on that table.
    """
    supports = support_grid(min_support)
    sizes = sorted({*(s for s in SIZES if s < max_vertices), max_vertices})
    plan = Plan()
    plan.add("train", train, None)
    plan.add("generated", generated, None)
    n_draws = min(bootstraps, N_BOOTSTRAPS)
    rng = rng_for(seed, "sensitivity")
    plan.add("bootstrap", train, bootstrap_weights(len(train), len(generated), n_draws, rng=rng))
    table = mine(plan.databases, supports[0], max_vertices=max_vertices, threads=threads)
    run = MinedRun.of(table, plan.columns, support, threads)
    n_vertices = run.patterns.vertex_counts
    rows = []
    for level in supports:
        min_counts = [min_count(level, int(total)) for total in run.totals]
        for size in sizes:
            kept = np.flatnonzero(n_vertices <= size)
            rows.append(_row(run, kept, min_counts, level, size))
    return tuple(rows)


def support_grid(min_support: float | int) -> list[float | int]:
    """Half, once and twice the support, within what is allowed."""
    if isinstance(min_support, int):
        return sorted({max(1, math.ceil(min_support * f)) for f in SUPPORT_FACTORS})
    return sorted({min(1.0, min_support * f) for f in SUPPORT_FACTORS})


def min_count(min_support: float | int, total: int) -> int:
    """Least count of a frequent pattern; the miner's rule (DEFINITIONS 3)."""
    if isinstance(min_support, int):
        return min_support
    return max(1, math.ceil(min_support * total - 1e-9))


def _row(
    run: MinedRun,
    kept: np.ndarray[tuple[int], np.dtype[np.int64]],
    min_counts: Sequence[int],
    level: float | int,
    size: int,
) -> SensitivityRow:
    counts = run.counts[:, kept]

    def scores(column: int) -> dict[str, Value]:
        return alignment_scores(
            support_pair(
                counts[TRAIN],
                counts[column],
                min_count_train=min_counts[TRAIN],
                min_count_generated=min_counts[column],
                support=run.support,
            )
        )

    model = scores(GENERATED)
    draws = [scores(column) for column in run.columns["bootstrap"]]
    by_metric = {metric: [draw[metric] for draw in draws] for metric in ALIGNMENT_METRICS}
    return SensitivityRow(
        min_support=level,
        max_vertices=size,
        n_train_patterns=int(np.sum(counts[TRAIN] >= min_counts[TRAIN])),
        n_generated_patterns=int(np.sum(counts[GENERATED] >= min_counts[GENERATED])),
        metrics=model,
        bootstrap_median={m: summarize(by_metric[m]).median for m in ALIGNMENT_METRICS},
        z={m: z_score(model[m], by_metric[m]) for m in ALIGNMENT_METRICS},
    )
