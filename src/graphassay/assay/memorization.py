"""The memorization audit: what a generated set shows beside its training set (DEFINITIONS 4-8)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from graphassay.assay.clock import Clock
from graphassay.assay.galleries import make_galleries, pattern_table
from graphassay.assay.inputs import Settings, check_inputs, check_settings, intake_of, notes_on
from graphassay.assay.plan import (
    GENERATED,
    MIN_NOVEL,
    TRAIN,
    Draws,
    SharedPool,
    holdout_pool,
    plan_run,
    rewired_pool,
    rng_for,
)
from graphassay.assay.quality import quality as quality_of
from graphassay.assay.scoring import MinedRun, compare, novel_only, stratify
from graphassay.assay.sensitivity import sensitivity_rows
from graphassay.assay.verdict import judge
from graphassay.canonical import class_index
from graphassay.errors import NothingToCompare
from graphassay.graph import GraphSet
from graphassay.metrics.alignment import Support
from graphassay.metrics.copying import TrainClasses, copy_rates, expected_repeats
from graphassay.metrics.intervals import rate
from graphassay.mining import mine
from graphassay.results import (
    Alignment,
    AuditResult,
    CopyRates,
    Estimate,
    PatternCounts,
    SensitivityRow,
    SetSummary,
    Undefined,
)
from graphassay.results.quality import Quality

if TYPE_CHECKING:
    import pyarrow as pa

Progress = Callable[[str], None]

N_REWIRED_DRAWS = 20


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
    sets = {"train": train, "generated": generated}
    if holdout is not None:
        sets["holdout"] = holdout

    n_runs = repeats if len(train) > subsample else 1
    with clock.phase("rewiring train"):
        chosen = [_sample(len(train), settings, run) for run in range(n_runs)]
        samples = [train if len(rows) == len(train) else train.take(rows) for rows in chosen]
        rewired = [
            rewired_pool(sample, len(generated), seed=seed, run=run)
            for run, sample in enumerate(samples)
        ]
    with clock.phase("finding copies"):
        classes = dict(
            zip(
                (*sets, "rewired"),
                class_index([*sets.values(), rewired[0]], threads=threads),
                strict=True,
            )
        )
        known = TrainClasses.of(classes["train"])
        copying = _copying(known, classes, generated)
        novel = ~known.contains(classes["generated"])

    runs: list[MinedRun] = []
    for run, sample in enumerate(samples):
        with clock.phase(f"mining patterns ({run + 1} of {n_runs})"):
            plan = plan_run(
                SharedPool.of(
                    sample, generated, classes["train"][chosen[run]], classes["generated"]
                ),
                draws=_draws(settings, n_runs),
                seed=seed,
                run=run,
                holdout=None
                if holdout is None
                else holdout_pool(holdout, len(generated), seed=seed, run=run),
                rewired=rewired[run],
                novel=novel,
            )
            table = mine(plan.databases, min_support, max_vertices=max_vertices, threads=threads)
            runs.append(MinedRun.of(table, plan.columns, support, threads))
            del table
        if not runs[-1].frequent(TRAIN).any():
            raise NothingToCompare(
                f"no pattern of at most {max_vertices} vertices is frequent in train at "
                f"min_support {min_support}; lower it"
            )
    with clock.phase("scoring"):
        alignment = _alignment(runs)
        strata = stratify(runs)
        alone = novel_only(runs[0], int(novel.sum()), len(generated), MIN_NOVEL)
        repeats_by_chance = expected_repeats(known)
        unseen = _without_preference(known, classes, copying["generated"].n_records)
        verdict = judge(copying, repeats_by_chance, alignment, alone, without_preference=unseen)
    with clock.phase("choosing what to show"):
        galleries = make_galleries(runs[0], generated, classes["generated"], novel, seed=seed)
    rows: tuple[SensitivityRow, ...] = ()
    if sensitivity:
        with clock.phase("mining at other supports"):
            rows = sensitivity_rows(
                samples[0],
                generated,
                min_support=min_support,
                max_vertices=max_vertices,
                support=support,
                bootstraps=bootstraps,
                seed=seed,
                threads=threads,
            )
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
        inputs={role: _summary(role, s, classes[role]) for role, s in sets.items()},
        copying=copying,
        alignment=alignment,
        strata=strata,
        novel_only=alone,
        galleries=galleries,
        verdict=verdict,
        sensitivity=rows,
        expected_repeats=repeats_by_chance,
        notes=(
            *notes_on(train, generated, holdout, settings),
            *_preference(known, classes),
        ),
        quality=usual,
    )
    return Audit(result, runs[0], train.molecules is not None and generated.molecules is not None)


def _sample(n_train: int, settings: Settings, run: int) -> npt.NDArray[np.int64]:
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
