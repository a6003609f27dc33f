"""What a model says of its own samples, and whether that tells good graphs from bad."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from graphassay.assay.cross_strategy import PermutationScores, score_permutations
from graphassay.errors import InvalidInput
from graphassay.graph import GraphSet
from graphassay.linearize import TokenType
from graphassay.lm.score import Scores
from graphassay.metrics.graph_bootstrap import GraphBootstrap, mean_over_graphs
from graphassay.metrics.ranking import lower_is_better_auc, lower_is_better_spearman
from graphassay.metrics.reliability import calibration_errors
from graphassay.metrics.uncertainty import importance_bounds, linearization_uncertainty
from graphassay.results import DrawnGraph, Undefined
from graphassay.results.linearization import (
    Prediction,
    Predictor,
    ScoredGraph,
    SelfAssessment,
    SweepPoint,
)

if TYPE_CHECKING:
    from graphassay.linearize import Linearizer
    from graphassay.lm.job import SampleSet
    from graphassay.lm.llama import Llama

Bools = npt.NDArray[np.bool_]
Float64 = npt.NDArray[np.float64]
Int64 = npt.NDArray[np.int64]

SWEEP = (2, 4, 8, 16, 32)
MAX_SCATTER = 1_000
MAX_SHOWN = 24

Target = npt.NDArray[np.bool_] | Callable[[GraphSet], npt.NDArray[np.bool_]]
"""Whether each graph is good: one boolean per sample, or a function of the decoded graphs."""


@dataclass(frozen=True)
class GeneratedScores:
    """Samples that decode and can be linearized again, one row each.

    ``samples`` is the place of each among the samples drawn; ``permutations`` is about ``graphs``,
    row by row; ``sweep_tables`` has shape (graphs, sweep, 15, 3): the reliability of all tokens of
    the first K linearizations, for each K of ``sweep``.
    """

    samples: Int64
    graphs: GraphSet
    generation_nll: Float64
    tokens: Int64
    """Predicted tokens of each sample: EOS, not BOS."""
    back_references: Int64
    permutations: PermutationScores
    sweep: tuple[int, ...]
    sweep_tables: Float64


def score_generated(
    model: "Llama",
    linearizer: "Linearizer",
    samples: "SampleSet",
    *,
    permutations: int = 32,
    strategy: str = "native",
    seed: int = 0,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> GeneratedScores:
    """Linearize the graphs of samples anew, K times each, and score them.

    Args:
        model: the network that drew the samples.
        linearizer: the one that it was trained with.
        samples: what it drew; those that are no graph are left out.
        permutations: K.
        strategy: of the new linearizations.
        seed: of the linearizations.
        threads: for linearizing.
        progress: called with (graphs done, graphs).

    Raises:
        InvalidInput: when no sample is a graph.
    """
    decoded = samples.decoded
    if not len(decoded.graphs):
        raise InvalidInput(f"none of {len(samples.samples):,} samples is a graph")
    sweep = (*(k for k in SWEEP if k < permutations), permutations)
    tables: list[Float64] = []

    def keep(window: Scores) -> None:
        assert window.reliability is not None
        of_draws = np.cumsum(window.reliability.sum(axis=2), axis=1)
        tables.append(of_draws[:, [min(k, of_draws.shape[1]) - 1 for k in sweep]])

    found = score_permutations(
        model,
        linearizer,
        decoded.graphs,
        strategy=strategy,
        permutations=permutations,
        seed=seed,
        threads=threads,
        each=keep,
        progress=progress,
    )
    rows = decoded.rows[found.indices]
    chosen = [samples.samples[row] for row in rows.tolist()]
    types = [linearizer.token_types(sample.tokens[1:]) for sample in chosen]
    return GeneratedScores(
        samples=rows,
        graphs=decoded.graphs.take(found.indices),
        generation_nll=np.array([sample.nll for sample in chosen]),
        tokens=np.array([len(sample.tokens) - 1 for sample in chosen], dtype=np.int64),
        back_references=np.array(
            [int((kinds == TokenType.REVISIT).sum()) for kinds in types], dtype=np.int64
        ),
        permutations=found,
        sweep=sweep,
        sweep_tables=np.concatenate(tables),
    )


def self_assessment(
    scores: GeneratedScores, *, seed: int = 0, only: Bools | None = None
) -> SelfAssessment | Undefined:
    """Generated sequences beside new linearizations of the same graphs (L, table 2).

    Args:
        scores: what `score_generated` found.
        seed: of the bootstrap over graphs.
        only: rows to keep; L keeps valid molecules.
    """
    rows = np.arange(len(scores.samples)) if only is None else np.flatnonzero(only)
    if not len(rows):
        return Undefined("no generated graph to assess")
    own = scores.permutations
    bootstrap = GraphBootstrap(len(rows), seed)
    return SelfAssessment(
        n=len(rows),
        tokens_generated=mean_over_graphs(bootstrap, scores.tokens[rows] + 1),
        tokens_resampled=mean_over_graphs(bootstrap, own.n_tokens.mean(axis=1)[rows] + 1),
        nll_generated=mean_over_graphs(bootstrap, scores.generation_nll[rows]),
        nll_resampled=mean_over_graphs(bootstrap, own.nll.mean(axis=1)[rows]),
        back_references_generated=mean_over_graphs(bootstrap, scores.back_references[rows]),
        back_references_resampled=mean_over_graphs(bootstrap, own.back_references[rows]),
        lu=mean_over_graphs(
            bootstrap,
            _uncertainty(scores, own.n_permutations)[rows],
            undefined="every graph has a single linearization: nothing varies",
        ),
    )


def target_values(
    name: str, target: Target, graphs: GraphSet, rows: Int64, *, n_samples: int
) -> Bools:
    """Whether each decoded graph is good.

    Args:
        name: of the target.
        target: a function of the graphs, or one boolean per sample.
        graphs: those that samples decode to.
        rows: which sample each is.
        n_samples: how many samples there are.

    Raises:
        InvalidInput: other values than booleans, or another number of them.
    """
    given = np.asarray(target(graphs) if callable(target) else target)
    expected = len(graphs) if callable(target) else n_samples
    if given.dtype != np.bool_ or given.shape != (expected,):
        raise InvalidInput(
            f"target {name!r}: expected {expected:,} booleans, one per "
            f"{'graph' if callable(target) else 'sample'}, got {given.dtype} of shape {given.shape}"
        )
    good: Bools = given if callable(target) else given[rows]
    return good


def predict(scores: GeneratedScores, name: str, good: Bools) -> Prediction | Undefined:
    """How well each number tells good graphs from bad, with all K draws and with fewer.

    The sweep takes the first K draws of the same run, so that its points share their draws (L,
    appendix E).

    Args:
        scores: what `score_generated` found.
        name: of the property.
        good: one boolean per scored graph.

    Returns:
        `Undefined` when all graphs are good or all bad.
    """
    n, n_good = len(good), int(good.sum())
    if n == 0:
        return Undefined(f"{name}: no generated graph could be scored")
    if n_good in (0, n):
        kind = "good" if n_good else "bad"
        return Undefined(f"{name}: all {n:,} graphs are {kind}, so there is nothing to tell apart")
    sweep = tuple(SweepPoint(k, _predictors(scores, k, good)) for k in scores.sweep)
    return Prediction(target=name, n=n, n_good=n_good, predictors=sweep[-1].predictors, sweep=sweep)


def _uncertainty(scores: GeneratedScores, k: int) -> Float64:
    own = scores.permutations
    if own.n_permutations < 2:
        return np.full(len(own.nll), np.nan)
    return linearization_uncertainty(own.nll[:, :k], single=own.single)


def _predictors(scores: GeneratedScores, k: int, good: Bools) -> tuple[Predictor, ...]:
    own = scores.permutations
    values: dict[str, Float64] = {
        "generation_nll": scores.generation_nll,
        "mean_nll": own.nll[:, :k].mean(axis=1),
        "lu": _uncertainty(scores, k),
        "ece": calibration_errors(scores.sweep_tables[:, scores.sweep.index(k)]),
    }
    if not isinstance(own.log_q, Undefined):
        values["bound"] = -importance_bounds(-own.nll[:, :k], own.log_q[:, :k]).importance
    return tuple(
        Predictor(key, lower_is_better_auc(x, good), lower_is_better_spearman(x, good))
        for key, x in values.items()
    )


@dataclass(frozen=True)
class ScoredGraphs:
    """What is drawn of the generated graphs."""

    scatter: tuple[ScoredGraph, ...]
    n_scatter_of: int
    lowest_lu: tuple[ScoredGraph, ...]
    highest_lu: tuple[ScoredGraph, ...]


def scored_graphs(scores: GeneratedScores, good: Bools | None, *, seed: int = 0) -> ScoredGraphs:
    """At most 1,000 graphs by chance, and those of the lowest and of the highest LU.

    Args:
        scores: what `score_generated` found.
        good: one boolean per scored graph, where known.
        seed: of the choice.
    """
    n = len(scores.graphs)
    rng = np.random.default_rng([seed, 0x5CA7])
    scatter = np.sort(rng.choice(n, size=min(n, MAX_SCATTER), replace=False))
    lu = _uncertainty(scores, scores.permutations.n_permutations)
    ranked = np.argsort(lu, kind="stable")[: int(np.isfinite(lu).sum())]  # NaN sorts last
    n_shown = min(MAX_SHOWN, len(ranked) // 2)
    low, high = ranked[:n_shown], ranked[::-1][:n_shown]
    shown = np.unique(np.concatenate([scatter, low, high]))
    records = dict(zip(shown.tolist(), _records(scores, lu, good, shown.tolist()), strict=True))
    return ScoredGraphs(
        scatter=tuple(records[row] for row in scatter.tolist()),
        n_scatter_of=n,
        lowest_lu=tuple(records[row] for row in low.tolist()),
        highest_lu=tuple(records[row] for row in high.tolist()),
    )


def _records(
    scores: GeneratedScores, lu: Float64, good: Bools | None, rows: Sequence[int]
) -> list[ScoredGraph]:
    errors = calibration_errors(scores.sweep_tables[:, -1])
    mean = scores.permutations.nll.mean(axis=1)
    texts = _smiles(scores.graphs.take(rows))
    return [
        ScoredGraph(
            graph=DrawnGraph(graph.vertex_labels, graph.edges, smiles=texts.get(place)),
            generation_nll=float(scores.generation_nll[row]),
            mean_nll=float(mean[row]),
            lu=float(lu[row]) if np.isfinite(lu[row]) else Undefined(_no_spread(scores)),
            ece=float(errors[row]),
            good=None if good is None else bool(good[row]),
        )
        for place, (row, graph) in enumerate(zip(rows, scores.graphs.take(rows), strict=True))
    ]


def _no_spread(scores: GeneratedScores) -> str:
    if scores.permutations.n_permutations < 2:
        return f"{scores.permutations.strategy} writes each graph in one way"
    return "the graph has a single linearization"


def _smiles(graphs: GraphSet) -> Mapping[int, str]:
    """SMILES of those graphs that are valid molecules, where they are meant to be any."""
    if graphs.molecules is None:
        return {}
    from rdkit import Chem

    from graphassay.errors import InvalidGraph
    from graphassay.molecules.rebuild import graph_to_molecule

    found = {}
    for place, graph in enumerate(graphs):
        try:
            molecule = graph_to_molecule(graph, graphs.molecules, sanitize=True)
        except InvalidGraph:
            continue  # the record has no SMILES: the graph itself is drawn
        found[place] = str(Chem.MolToSmiles(Chem.RemoveHs(molecule)))
    return found
