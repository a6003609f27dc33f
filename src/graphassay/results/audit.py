"""What one audit found: copies, alignment, strata, galleries, the verdict."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from graphassay.intake import IntakeReport
from graphassay.results.linearization import LinearizationAudit
from graphassay.results.model import ModelDiagnostics
from graphassay.results.quality import Quality
from graphassay.results.values import Distribution, DrawnGraph, Estimate, Undefined, Value

SCHEMA_VERSION = 2

VerdictKind = Literal["memorization-dominated", "beyond-memorization", "misaligned", "undecided"]


@dataclass(frozen=True)
class CopyRates:
    """Whole-graph memorization of one set against train, by isomorphism class (DEFINITIONS 5).

    ``exact_match``, ``novelty``, ``unique`` and ``failed`` are shares of all ``n_records``
    (failed generations included); ``recall`` is a share of the ``n_train_classes``.
    """

    n_records: int
    n_failed: int
    n_memorized: int
    n_classes: int
    n_train: int
    n_train_classes: int
    n_train_reproduced: int
    exact_match: Estimate
    novelty: Estimate
    unique: Estimate
    failed: Estimate
    recall: Estimate


@dataclass(frozen=True)
class MetricComparison:
    """One alignment metric of the model beside the same metric of each reference.

    ``model`` is the mean over the runs (one run, or one per training subsample); ``per_run`` lists
    them. ``references`` is keyed ``bootstrap`` (photocopier), ``holdout`` (fresh real data) and
    ``rewired`` (chance); a reference that was not asked for is absent. ``percentile`` (0-100),
    ``z`` and ``delta`` place the model in the bootstrap (DEFINITIONS 6).
    """

    model: Estimate
    per_run: tuple[Value, ...]
    run_sd: Value
    references: Mapping[str, Distribution]
    percentile: Value
    z: Value
    delta: Value


@dataclass(frozen=True)
class PatternCounts:
    """How many patterns are frequent where, mean over the runs."""

    train: float
    generated: float
    shared: float


@dataclass(frozen=True)
class Alignment:
    """Alignment of frequent patterns (DEFINITIONS 4 and 6).

    ``metrics`` is keyed ``rho`` (Spearman over the intersection), ``rho_train`` (over P_tr,
    missing = 0), ``jsd`` (natural log, at most ln 2), ``missing_mass``, ``novel_mass``.
    """

    n_runs: int
    n_train_per_run: int
    n_generated: int
    min_count_train: int
    min_count_generated: int
    patterns: PatternCounts
    metrics: Mapping[str, MetricComparison]


@dataclass(frozen=True)
class StratumScores:
    """Scores inside one stratum of P_tr (DEFINITIONS 7); ``coverage`` = shared / patterns."""

    coverage: Value
    missing_mass: Value
    jsd: Value
    rho: Value
    rho_train: Value


@dataclass(frozen=True)
class Stratum:
    """Head, torso or tail of the training patterns: the model's scores and each reference's
    median draw (keys as in `MetricComparison.references`).
    """

    name: Literal["head", "torso", "tail"]
    n_patterns: int
    n_shared: int
    train_support_low: float
    train_support_high: float
    model: StratumScores
    references: Mapping[str, StratumScores]


@dataclass(frozen=True)
class NovelOnly:
    """The generated graphs that are not in train, alone, beside random subsets of all
    generations of the same size (DEFINITIONS 8). Keys of the mappings as in `Alignment`.
    """

    n_novel: int
    metrics: Mapping[str, Value]
    control: Mapping[str, Distribution]
    percentile: Mapping[str, Value]
    """Where the novel-only value lies among the controls, 0-100."""


@dataclass(frozen=True)
class PatternRecord:
    """One pattern with its supports (shares of graphs, 0-1). ``bootstrap_low/high`` is the 95 %
    range of its support over bootstrap resamples.
    """

    code: str
    graph: DrawnGraph
    train: float
    generated: float
    bootstrap_low: float
    bootstrap_high: float


@dataclass(frozen=True)
class GraphRecord:
    """One generated graph shown in a gallery; ``n`` times generated."""

    graph: DrawnGraph
    n: int
    source: str
    place: int | None


@dataclass(frozen=True)
class Galleries:
    """What the report shows: a bounded, seeded selection; all patterns are in patterns.parquet."""

    scatter: tuple[PatternRecord, ...]
    n_scatter_of: int
    most_missing: tuple[PatternRecord, ...]
    most_invented: tuple[PatternRecord, ...]
    memorized: tuple[GraphRecord, ...]
    novel: tuple[GraphRecord, ...]


@dataclass(frozen=True)
class SensitivityRow:
    """The headline numbers under other mining options."""

    min_support: float | int
    max_vertices: int
    n_train_patterns: int
    n_generated_patterns: int
    metrics: Mapping[str, Value]
    bootstrap_median: Mapping[str, Value]
    z: Mapping[str, Value]


@dataclass(frozen=True)
class Check:
    """One rule of the verdict: what it asks, what was measured, whether it holds
    (None: the interval does not decide).
    """

    rule: str
    measured: str
    holds: bool | None


@dataclass(frozen=True)
class Verdict:
    """Two sentences and the rules behind them."""

    kind: VerdictKind
    headline: str
    reason: str
    checks: tuple[Check, ...]


@dataclass(frozen=True)
class SetSummary:
    """One input: its intake and its size."""

    intake: IntakeReport
    n_graphs: int
    n_classes: int
    mean_vertices: float
    mean_edges: float
    vertex_labels: tuple[str, ...]
    edge_labels: tuple[str, ...]


@dataclass(frozen=True)
class Provenance:
    """What is needed to run it again."""

    command: str
    created: str
    elapsed_s: float
    seed: int
    threads: int
    versions: Mapping[str, str]
    phases_s: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class AuditResult:
    """Everything that one audit found. ``inputs`` and ``copying`` are keyed by role:
    ``train`` (inputs only), ``generated``, ``holdout``, ``rewired`` (copying only).
    """

    name: str
    provenance: Provenance
    options: Mapping[str, int | float | str | bool | None]
    inputs: Mapping[str, SetSummary]
    copying: Mapping[str, CopyRates]
    alignment: Alignment
    strata: tuple[Stratum, ...]
    novel_only: NovelOnly | Undefined
    galleries: Galleries
    verdict: Verdict
    sensitivity: tuple[SensitivityRow, ...] = ()
    expected_repeats: Estimate | None = None
    """How often one more real graph would repeat a training graph (Good-Turing, from train)."""
    notes: tuple[str, ...] = ()
    """What a reader must know before comparing numbers (labels, sizes, draws)."""
    quality: Quality | None = None
    """The usual quality metrics, where they were asked for."""
    model: ModelDiagnostics | None = None
    """Of an audit of a run: what its likelihoods, checkpoints and decodings say."""
    linearization: LinearizationAudit | None = None
    """Of an audit of a run: whether its likelihoods are about the graph or its order."""
    schema_version: int = SCHEMA_VERSION
