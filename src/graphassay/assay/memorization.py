"""The memorization audit: what a generated set shows beside its training set (DEFINITIONS 4-8)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from graphassay.assay.clock import Clock
from graphassay.assay.galleries import make_galleries, pattern_table
from graphassay.assay.inputs import Settings, check_inputs, check_settings, intake_of, notes_on
from graphassay.assay.material import Material, mine_runs, prepare
from graphassay.assay.plan import GENERATED, MIN_NOVEL, TRAIN
from graphassay.assay.quality import quality as quality_of
from graphassay.assay.scoring import MinedRun, compare, novel_only, stratify
from graphassay.assay.sensitivity import sensitivity_rows
from graphassay.assay.verdict import judge
from graphassay.graph import GraphSet
from graphassay.metrics.alignment import Support
from graphassay.metrics.copying import TrainClasses, copy_rates, expected_repeats
from graphassay.metrics.intervals import rate
from graphassay.results import (
    Alignment,
    AuditResult,
    CopyRates,
    Estimate,
    NovelOnly,
    PatternCounts,
    SensitivityRow,
    SetSummary,
    Stratum,
    Undefined,
    Verdict,
)
from graphassay.results.quality import Quality

if TYPE_CHECKING:
    import pyarrow as pa

Progress = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class Audit:
    """An audit's result, and what is too large for it: every pattern."""

    result: AuditResult
    first_run: MinedRun
    molecules: bool
    """Whether the graphs were molecules, so that patterns are parts of molecules."""

    def pattern_table(self) -> "pa.Table":
        """All patterns frequent in train or generated, as `galleries.pattern_table` lists them."""
        smiles_of = None
        if self.molecules:
            from graphassay.assay.fragments import fragment_smiles

            smiles_of = fragment_smiles
        return pattern_table(self.first_run, smiles_of)


def audit(train: GraphSet, generated: GraphSet, **options: Any) -> AuditResult:
    """Audit a generated set against its training set; options as in `run_audit`.

    Example:
        >>> from graphassay import datasets
        >>> train = datasets.load("qm9-sample")
        >>> result = audit(train[:300], train[300:600], bootstraps=10)
        >>> result.copying["generated"].n_records
        300
    """
    return run_audit(train, generated, **options).result


def run_audit(
    train: GraphSet,
    generated: GraphSet,
    *,
    holdout: GraphSet | None = None,
    min_support: float | int = 0.1,
    max_vertices: int = 8,
    support: Support = "frequent",
    bootstraps: int = 200,
    subsample: int = 10_000,
    repeats: int = 5,
    n_holdout_draws: int | None = None,
    n_interval_resamples: int | None = None,
    seed: int = 0,
    threads: int | None = None,
    sensitivity: bool = False,
    quality: bool = False,
    progress: Progress | None = None,
    name: str = "generated",
    command: str | None = None,
) -> Audit:
    """Everything that DEFINITIONS 4-8 ask and that needs no model, in one traversal per run.

    Train, generated and every draw (photocopies, fresh real graphs, rewired graphs, resamples and
    subsets of the generated graphs) are databases of one search, so that each has its own exact
    frequent patterns. A training set of more than ``subsample`` graphs is represented by
    ``repeats`` random subsets, one run each; copies are always looked up in all of train.

    Args:
        train: what the model was trained on.
        generated: what it generated; its intake tells how many records failed.
        holdout: real graphs that it never saw.
        min_support: a float in (0, 1] is a share of each set, an int a count.
        max_vertices: largest pattern, at least 2.
        support: ``frequent`` (M: an infrequent pattern has support 0) or ``exact``.
        bootstraps: resamples of train, each as large as the generated set; shared out evenly over
            the runs.
        subsample: training graphs per run.
        repeats: runs for a training set larger than that.
        n_holdout_draws: draws from the holdout (default: at most 50), shared out likewise.
        n_interval_resamples: resamples of the generated set (default: at most 100).
        seed: same seed, same result, whatever the threads.
        threads: default all cores.
        sensitivity: also mine at half and twice the support and for smaller patterns.
        quality: also the metrics of `graphassay.assay.quality.quality`.
        progress: called with the name of each phase as it begins.
        name: what the report calls the generator.
        command: how to run it again (default: this process's command line).

    Raises:
        InvalidInput: an option out of range.
        NothingToCompare: a set without graphs or edges, no label in common, no frequent pattern.
    """
    clock = Clock(progress)
    settings = check_settings(
        Settings(
            min_support=min_support,
            max_vertices=max_vertices,
            support=support,
            bootstraps=bootstraps,
            subsample=subsample,
            repeats=repeats,
            n_holdout_draws=n_holdout_draws,
            n_interval_resamples=n_interval_resamples,
            seed=seed,
            sensitivity=sensitivity,
        )
    )
    check_inputs(train, generated, holdout, settings)
    material = prepare(train, generated, holdout, settings, threads=threads, clock=clock)
    runs = mine_runs(material, clock)
    scores = _score(material, runs, clock)
    with clock.phase("choosing what to show"):
        galleries = make_galleries(
            runs[0], generated, material.classes["generated"], material.novel, seed=seed
        )
    rows = _sensitivity(material, clock) if sensitivity else ()
    usual: Quality | None = None
    if quality:
        with clock.phase("quality metrics"):
            usual = quality_of(
                train, generated, holdout=holdout, seed=seed, threads=threads, progress=progress
            )
    result = AuditResult(
        name=name,
        provenance=clock.provenance(command=command, seed=seed, threads=threads),
        options=settings.as_options(),
        inputs={
            role: _summary(role, graphs, material.classes[role])
            for role, graphs in material.sets.items()
        },
        copying=scores.copying,
        alignment=scores.alignment,
        strata=scores.strata,
        novel_only=scores.novel_only,
        galleries=galleries,
        verdict=scores.verdict,
        sensitivity=rows,
        expected_repeats=scores.expected_repeats,
        notes=(
            *notes_on(train, generated, holdout, settings),
            *_preference(material.known, material.classes),
        ),
        quality=usual,
    )
    return Audit(result, runs[0], train.molecules is not None and generated.molecules is not None)


class _Scores(NamedTuple):
    """What an `AuditResult` says of copies and patterns."""

    copying: Mapping[str, CopyRates]
    alignment: Alignment
    strata: tuple[Stratum, ...]
    novel_only: NovelOnly | Undefined
    expected_repeats: Estimate
    verdict: Verdict


def _score(material: Material, runs: list[MinedRun], clock: Clock) -> _Scores:
    known, classes, generated = material.known, material.classes, material.generated
    with clock.phase("scoring"):
        copying = _copying(known, classes, generated)
        alignment = _alignment(runs)
        alone = novel_only(runs[0], int(material.novel.sum()), len(generated), MIN_NOVEL)
        by_chance = expected_repeats(known)
        unseen = _without_preference(known, classes, copying["generated"].n_records)
        verdict = judge(copying, by_chance, alignment, alone, without_preference=unseen)
        return _Scores(copying, alignment, stratify(runs), alone, by_chance, verdict)


def _sensitivity(material: Material, clock: Clock) -> tuple[SensitivityRow, ...]:
    settings = material.settings
    with clock.phase("mining at other supports"):
        return sensitivity_rows(
            material.samples[0],
            material.generated,
            min_support=settings.min_support,
            max_vertices=settings.max_vertices,
            support=settings.support,
            bootstraps=settings.bootstraps,
            seed=settings.seed,
            threads=material.threads,
        )


def _copying(
    known: TrainClasses, classes: Mapping[str, npt.NDArray[np.int64]], generated: GraphSet
) -> dict[str, CopyRates]:
    n_failed = intake_of("generated", generated).n_refused
    rates = {"generated": copy_rates(known, classes["generated"], n_failed=n_failed)}
    for role in ("holdout", "rewired"):
        if role in classes:
            rates[role] = copy_rates(known, classes[role])
    return rates


def _preference(
    known: TrainClasses, classes: Mapping[str, npt.NDArray[np.int64]]
) -> tuple[str, ...]:
    """Whether the model repeats train more than real graphs that it never saw.

    Where real data exhaust a small space (QM9), a set without duplicates gives a holdout that
    never repeats train although any good model does; then these two shares tell copying apart.
    """
    if "holdout" not in classes:
        return ()
    unseen = np.unique(classes["holdout"])
    unseen = unseen[~known.contains(unseen)]
    if not len(unseen):
        return ()
    made = np.unique(classes["generated"])
    of_train = int(known.contains(made).sum()) / known.n_classes
    of_unseen = int(np.isin(made, unseen).sum()) / len(unseen)
    return (
        f"the generated set repeats {of_train:.2%} of the {known.n_classes:,} distinct training "
        f"graphs and {of_unseen:.2%} of the {len(unseen):,} distinct holdout graphs that train "
        "lacks: equal shares would mean that it does not prefer what it was trained on",
    )


def _without_preference(
    known: TrainClasses, classes: Mapping[str, npt.NDArray[np.int64]], n_records: int
) -> Estimate | None:
    """Exact-match rate if training graphs were repeated as often as unseen real ones, per graph."""
    if "holdout" not in classes:
        return None
    unseen = np.unique(classes["holdout"])
    unseen = unseen[~known.contains(unseen)]
    if not len(unseen):
        return None
    hits = rate(int(np.isin(classes["generated"], unseen).sum()), n_records)
    factor = known.n_classes / len(unseen)
    value, low, high = (
        v if isinstance(v, Undefined) else min(1.0, v * factor)
        for v in (hits.value, hits.low, hits.high)
    )
    return Estimate(value, low, high, n_records, "Wilson, scaled to the size of train")


def _alignment(runs: list[MinedRun]) -> Alignment:
    frequent = [(run.frequent(TRAIN), run.frequent(GENERATED)) for run in runs]
    return Alignment(
        n_runs=len(runs),
        n_train_per_run=int(runs[0].totals[TRAIN]),
        n_generated=int(runs[0].totals[GENERATED]),
        min_count_train=int(runs[0].min_counts[TRAIN]),
        min_count_generated=int(runs[0].min_counts[GENERATED]),
        patterns=PatternCounts(
            train=float(np.mean([a.sum() for a, _ in frequent])),
            generated=float(np.mean([b.sum() for _, b in frequent])),
            shared=float(np.mean([(a & b).sum() for a, b in frequent])),
        ),
        metrics=compare(runs),
    )


def _summary(role: str, graphs: GraphSet, classes: npt.NDArray[np.int64]) -> SetSummary:
    used = np.unique(graphs.vertex_labels), np.unique(graphs.edge_labels)
    return SetSummary(
        intake=intake_of(role, graphs),
        n_graphs=len(graphs),
        n_classes=int(np.count_nonzero(np.bincount(classes))),
        mean_vertices=float(graphs.vertex_counts.mean()),
        mean_edges=float(graphs.edge_counts.mean()),
        vertex_labels=tuple(sorted(graphs.vertex_label_names[i] for i in used[0].tolist())),
        edge_labels=tuple(sorted(graphs.edge_label_names[i] for i in used[1].tolist())),
    )
