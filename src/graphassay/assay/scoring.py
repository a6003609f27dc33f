"""From counts of patterns in many databases to comparisons, strata and the novel-only view."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from graphassay.assay.plan import GENERATED, TRAIN
from graphassay.canonical import canonical_codes
from graphassay.graph import GraphSet
from graphassay.metric_cards import CARDS
from graphassay.metrics.alignment import (
    ALIGNMENT_METRICS,
    Support,
    alignment_scores,
    support_pair,
)
from graphassay.metrics.calibration import (
    defined,
    delta,
    mean_value,
    percentile_rank,
    summarize,
    z_score,
)
from graphassay.metrics.intervals import resampled
from graphassay.metrics.strata import split_strata, stratum_scores
from graphassay.mining import PatternTable
from graphassay.results import (
    MetricComparison,
    NovelOnly,
    Stratum,
    StratumScores,
    Undefined,
    Value,
)

REFERENCES = ("bootstrap", "holdout", "rewired")
STRATA: tuple[Literal["head", "torso", "tail"], ...] = ("head", "torso", "tail")


@dataclass(frozen=True, eq=False)
class MinedRun:
    """One run's table, transposed so that a database is a contiguous row of counts.

    Args:
        patterns: one graph per pattern.
        counts: int32, shape (n_databases, n_patterns).
        totals: int64, shape (n_databases,).
        min_counts: int64, shape (n_databases,).
        columns: databases of each role.
        support: which support enters the metrics.
    """

    patterns: GraphSet
    counts: npt.NDArray[np.int32]
    totals: npt.NDArray[np.int64]
    min_counts: npt.NDArray[np.int64]
    columns: Mapping[str, range]
    support: Support
    threads: int | None = None

    @classmethod
    def of(
        cls,
        table: PatternTable,
        columns: Mapping[str, range],
        support: Support,
        threads: int | None = None,
    ) -> "MinedRun":
        """Take over a table."""
        counts = np.ascontiguousarray(table.counts.T, dtype=np.int32)
        return cls(
            table.patterns, counts, table.totals, table.min_counts, columns, support, threads
        )

    def frequent(self, column: int) -> npt.NDArray[np.bool_]:
        """Which patterns are frequent in one database."""
        frequent: npt.NDArray[np.bool_] = self.counts[column] >= self.min_counts[column]
        return frequent

    def supports(self, column: int) -> npt.NDArray[np.float64]:
        """Exact supports in one database, as shares."""
        shares: npt.NDArray[np.float64] = self.counts[column] / max(int(self.totals[column]), 1)
        return shares

    def codes(self, rows: npt.NDArray[np.int64]) -> list[str]:
        """Canonical codes of some patterns."""
        return canonical_codes(self.patterns.take(rows), threads=self.threads)

    def scores(self, column: int, *, rows: npt.NDArray[np.int64] | None = None) -> dict[str, Value]:
        """All alignment metrics of one database against train, over all or some patterns."""
        train, other = self.counts[TRAIN], self.counts[column]
        if rows is not None:
            train, other = train[rows], other[rows]
        return alignment_scores(
            support_pair(
                train,
                other,
                min_count_train=int(self.min_counts[TRAIN]),
                min_count_generated=int(self.min_counts[column]),
                support=self.support,
            )
        )

    @cached_property
    def role_scores(self) -> dict[str, list[dict[str, Value]]]:
        """Scores of every database but train, by role."""
        return {
            role: [self.scores(column) for column in columns]
            for role, columns in self.columns.items()
            if role != "train"
        }

    def values(self, role: str, metric: str) -> list[Value]:
        """One metric over the databases of a role, empty when the role took no part."""
        return [scores[metric] for scores in self.role_scores.get(role, [])]

    @cached_property
    def strata(self) -> tuple[npt.NDArray[np.int64], ...]:
        """Rows of head, torso and tail."""
        rows = np.flatnonzero(self.frequent(TRAIN))
        parts = split_strata(self.counts[TRAIN][rows], lambda tied: self.codes(rows[tied]))
        return tuple(rows[part] for part in parts)

    def stratum(self, rows: npt.NDArray[np.int64], column: int) -> StratumScores:
        """Scores of one database inside one stratum."""
        counts = self.counts[column][rows]
        frequent = counts >= self.min_counts[column]
        if self.support == "frequent":
            counts = np.where(frequent, counts, 0)
        return stratum_scores(self.counts[TRAIN][rows], counts, frequent)


def compare(runs: Sequence[MinedRun]) -> dict[str, MetricComparison]:
    """Every alignment metric of the model beside its references.

    Percentile, z and delta are taken inside each run, against that run's own draws, then averaged:
    a training subsample shifts the model and its photocopies together.
    """
    comparisons = {}
    for metric in ALIGNMENT_METRICS:
        per_run = tuple(run.values("generated", metric)[0] for run in runs)
        kept = defined(per_run)
        run_sd: Value = float(kept.std(ddof=1)) if len(kept) > 1 else Undefined(f"{len(kept)} run")
        extra_sd = 0.0 if isinstance(run_sd, Undefined) else run_sd / len(kept) ** 0.5
        references = {}
        for role in REFERENCES:
            values = [value for run in runs for value in run.values(role, metric)]
            if values:
                references[role] = summarize(values)
        boots = [run.values("bootstrap", metric) for run in runs]
        pairs = list(zip(per_run, boots, strict=True))
        comparisons[metric] = MetricComparison(
            model=resampled(
                mean_value(per_run),
                runs[0].values("interval", metric),
                n=int(runs[0].totals[GENERATED]),
                bounds=(CARDS[metric].low, CARDS[metric].high),
                extra_sd=extra_sd,
            ),
            per_run=per_run,
            run_sd=run_sd,
            references=references,
            percentile=mean_value([percentile_rank(value, draws) for value, draws in pairs]),
            z=mean_value([z_score(value, draws) for value, draws in pairs]),
            delta=mean_value([delta(value, draws) for value, draws in pairs]),
        )
    return comparisons


def stratify(runs: Sequence[MinedRun]) -> tuple[Stratum, ...]:
    """Head, torso and tail: the model and each reference's median draw, mean over the runs."""
    strata = []
    for index, name in enumerate(STRATA):
        model, shared = [], []
        references: dict[str, list[StratumScores]] = {}
        for run in runs:
            rows = run.strata[index]
            model.append(run.stratum(rows, GENERATED))
            shared.append(int(np.sum(run.frequent(GENERATED)[rows])))
            for role in REFERENCES:
                draws = [run.stratum(rows, column) for column in run.columns.get(role, ())]
                if draws:
                    references.setdefault(role, []).append(_combine(draws, _median))
        supports = np.concatenate([run.supports(TRAIN)[run.strata[index]] for run in runs])
        strata.append(
            Stratum(
                name=name,
                n_patterns=round(float(np.mean([len(run.strata[index]) for run in runs]))),
                n_shared=round(float(np.mean(shared))),
                train_support_low=float(supports.min()) if len(supports) else 0.0,
                train_support_high=float(supports.max()) if len(supports) else 0.0,
                model=_combine(model, mean_value),
                references={
                    role: _combine(medians, mean_value) for role, medians in references.items()
                },
            )
        )
    return tuple(strata)


def novel_only(
    run: MinedRun, n_novel: int, n_generated: int, min_novel: int
) -> NovelOnly | Undefined:
    """The novel graphs alone beside random subsets of the same size, in the first run."""
    if n_novel < min_novel:
        return Undefined(
            "every generated graph is a copy"
            if n_novel == 0
            else f"only {n_novel} of {n_generated} generated graphs are novel; at least "
            f"{min_novel} are needed to mine them alone"
        )
    # When all are novel, the only subset of their number is the set itself.
    role, controls = ("generated",) * 2 if n_novel == n_generated else ("novel", "control")
    values = {metric: run.values(role, metric)[0] for metric in ALIGNMENT_METRICS}
    control = {metric: run.values(controls, metric) for metric in ALIGNMENT_METRICS}
    return NovelOnly(
        n_novel=n_novel,
        metrics=values,
        control={metric: summarize(control[metric]) for metric in ALIGNMENT_METRICS},
        percentile={
            metric: percentile_rank(values[metric], control[metric]) for metric in ALIGNMENT_METRICS
        },
    )


def _median(values: Sequence[Value]) -> Value:
    kept = defined(values)
    return float(np.median(kept)) if len(kept) else mean_value(values)


def _combine(
    scores: Sequence[StratumScores], how: Callable[[Sequence[Value]], Value]
) -> StratumScores:
    return StratumScores(
        coverage=how([s.coverage for s in scores]),
        missing_mass=how([s.missing_mass for s in scores]),
        jsd=how([s.jsd for s in scores]),
        rho=how([s.rho for s in scores]),
        rho_train=how([s.rho_train for s in scores]),
    )
