"""Are likelihoods about the graph or about the order it was written in (DEFINITIONS 9)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from graphassay.results.model import ModelSummary
from graphassay.results.values import DrawnGraph, Estimate, Undefined, Value

TokenKind = Literal[
    "all", "new_node", "revisit", "node_index", "node_label", "edge_label", "special"
]
"""``node_index`` is new_node and revisit together."""


@dataclass(frozen=True)
class Reliability:
    """A reliability diagram: 15 equal bins (lo, hi] of top-1 confidence, and the ECE they give."""

    ece: Estimate
    counts: tuple[int, ...]
    confidence: tuple[Value, ...]
    """Mean confidence in each bin; undefined where it is empty."""
    accuracy: tuple[Value, ...]


@dataclass(frozen=True)
class Bound:
    """log p(G) from K linearizations of each graph, mean over the graphs, nats.

    ``importance`` is the log-mean-exp of p(s)/q(s|G): in expectation a lower bound of log p(G) that
    tightens with K; ``plain`` is without q and looser. ``variance`` is the mean over the graphs of
    the estimator's own variance (delta method over the K weights).
    """

    mean_log_p: Estimate
    """Mean over graphs of the mean over K of log p(s): minus the mean NLL."""
    plain: Estimate
    importance: Estimate
    variance: Value


@dataclass(frozen=True)
class StrategyScores:
    """One model under one evaluation strategy: a cell of the train x evaluation matrix.

    ``lu`` is the mean over graphs of LU(G) = sd / mean of the NLL over ``n_permutations``
    linearizations; ``lu.n`` graphs have one, ``n_single`` have a single linearization (no spread).
    Intervals are bootstraps over graphs.
    """

    run: str
    trained_on: str
    evaluated_on: str
    native: bool
    seed: int
    n_graphs: int
    n_refused: int
    n_permutations: int
    n_single: int
    tokens_per_graph: Estimate
    nll_per_token: Estimate
    nll_per_graph: Estimate
    lu: Estimate
    reliability: Mapping[str, Reliability]
    """Keyed by `TokenKind`; a kind that never occurs is absent."""
    bound: Bound | Undefined
    refusal: str = ""
    """The first of the ``n_refused`` reasons."""
    model: str = ""
    """Fingerprint of the weights: cells of one model have the same, whatever the run is called."""
    family: str = ""
    """Digest of data and configuration without the seed: runs of one family are repeats of one
    another. Empty where it is not known: then nothing is known to be a repeat."""


@dataclass(frozen=True)
class SelfAssessment:
    """Generated sequences beside re-linearizations of the graphs they decode to.

    Means over the ``n`` graphs; ``resampled`` is the mean over K linearizations by the native
    strategy. Back-references are revisits of earlier vertices.
    """

    n: int
    tokens_generated: Estimate
    tokens_resampled: Estimate
    nll_generated: Estimate
    nll_resampled: Estimate
    back_references_generated: Estimate
    back_references_resampled: Estimate
    lu: Estimate


@dataclass(frozen=True)
class Predictor:
    """How well a number tells good graphs from bad; the orientation is "lower is better".

    ``auc`` is the probability that a random good graph has a lower value than a random bad one;
    ``spearman`` correlates minus the value with good (1) or bad (0). ``key`` is one of
    ``generation_nll``, ``mean_nll``, ``lu``, ``ece``, ``bound``.
    """

    key: str
    auc: Estimate
    spearman: Value


@dataclass(frozen=True)
class SweepPoint:
    """The predictors with K permutations, subsampled from one run."""

    n_permutations: int
    predictors: tuple[Predictor, ...]


@dataclass(frozen=True)
class Prediction:
    """Quality prediction for one yes/no property of the generated graphs."""

    target: str
    n: int
    n_good: int
    predictors: tuple[Predictor, ...]
    sweep: tuple[SweepPoint, ...]


@dataclass(frozen=True)
class Saturation:
    """Sequence diversity: after ``drawn[i]`` linearizations of each of ``n_graphs`` graphs,
    ``distinct[i]`` of them were distinct, mean per graph."""

    strategy: str
    n_graphs: int
    drawn: tuple[int, ...]
    distinct: tuple[float, ...]


@dataclass(frozen=True)
class ScoredGraph:
    """A generated graph, its numbers, and whether it is good by the audit's ``scatter_target``
    (None: not known)."""

    graph: DrawnGraph
    generation_nll: float
    mean_nll: float
    lu: Value
    ece: Value
    good: bool | None


@dataclass(frozen=True)
class LinearizationAudit:
    """All of it. ``matrix`` has a cell per run and evaluation strategy; the first run is the one
    under audit. The rest is about generated graphs, or a reason why there is none.
    """

    models: tuple[ModelSummary, ...]
    n_permutations: int
    test_set: str
    matrix: tuple[StrategyScores, ...]
    saturation: tuple[Saturation, ...] = ()
    self_assessment: SelfAssessment | Undefined | None = None
    predictions: tuple[Prediction | Undefined, ...] = ()
    scatter: tuple[ScoredGraph, ...] = ()
    """At most 1,000 generated graphs, a seeded selection."""
    n_scatter_of: int = 0
    lowest_lu: tuple[ScoredGraph, ...] = ()
    highest_lu: tuple[ScoredGraph, ...] = ()
    notes: tuple[str, ...] = ()
    scatter_target: str = ""
    """The property that ``good`` of the scored graphs is about; empty where none is known."""
