"""One model under one evaluation strategy: a cell of the train x evaluation matrix."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from graphassay.assay.token_kinds import diagrams
from graphassay.errors import InvalidInput
from graphassay.graph import GraphSet
from graphassay.linearize import TokenType
from graphassay.lm.score import Scores, count_automorphisms, score, with_strategy
from graphassay.metrics.graph_bootstrap import GraphBootstrap, mean_over_graphs
from graphassay.metrics.reliability import N_BINS, reliability_table
from graphassay.metrics.uncertainty import (
    GraphBounds,
    check_permutations,
    importance_bounds,
    linearization_uncertainty,
)
from graphassay.results import Estimate, Undefined
from graphassay.results.linearization import Bound, StrategyScores

if TYPE_CHECKING:
    from graphassay.linearize import Linearizer
    from graphassay.lm.llama import Llama

Float64 = npt.NDArray[np.float64]
Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True)
class PermutationScores:
    """K linearizations of each graph that could be scored, by one strategy.

    ``nll`` and ``n_tokens`` (predicted ones: EOS, not BOS) have shape (graphs, K); ``log_q`` too,
    with log |Aut(G)| in it (NaN where that cost too much to count), or it says why there is none;
    ``single`` graphs have one linearization only; ``tables`` has shape (graphs, token types, 15,
    3), over the K together.
    """

    strategy: str
    indices: Int64
    nll: Float64
    n_tokens: Int64
    log_q: Float64 | Undefined
    single: npt.NDArray[np.bool_]
    tables: Float64
    n_refused: int
    first_refusal: str | None

    @property
    def n_permutations(self) -> int:
        """K; 1 where the strategy has one linearization of each graph."""
        return int(self.nll.shape[1])

    @property
    def uncertainty(self) -> Float64:
        """LU of each graph; NaN where undefined."""
        return linearization_uncertainty(self.nll, single=self.single)

    @property
    def bounds(self) -> GraphBounds | Undefined:
        """Bounds of log p(G) for each graph whose automorphisms could be counted."""
        if isinstance(self.log_q, Undefined):
            return self.log_q
        counted: npt.NDArray[np.bool_] = np.isfinite(self.log_q[:, 0])
        if not counted.any():
            return Undefined(
                f"the automorphisms of none of {len(counted):,} graphs could be counted: they cost "
                "too much"
            )
        return importance_bounds(-self.nll[counted], self.log_q[counted])

    @property
    def back_references(self) -> Float64:
        """Revisits of earlier vertices, mean over the K, of each graph."""
        found: Float64 = self.tables[:, TokenType.REVISIT, :, 0].sum(axis=1) / self.n_permutations
        return found


def random_strategies(linearizer: "Linearizer") -> tuple[str, ...]:
    """The random linearizations over the tokens of a linearizer, by their full names."""
    from graphassay.linearize import KINDS

    if linearizer.name.startswith("sent:"):
        return tuple(name for name in KINDS if name.startswith("sent:"))
    try:
        return (with_strategy(linearizer, "random").name,)
    except InvalidInput:
        return ()


def check_reorderable(linearizer: "Linearizer", permutations: int, *, run: str = "") -> None:
    """Say at once what a linearization audit cannot do.

    Raises:
        InvalidInput: K below 2; a run whose tokens have no random linearization.
    """
    check_permutations(permutations)
    if not random_strategies(linearizer):
        raise InvalidInput(
            f"{run or 'the run'}: expected a run whose graphs have random linearizations (sent:*, "
            f"dfs, dfs:factored), got {linearizer.name}, which writes each graph in one way; its "
            "likelihoods cannot be compared over orders"
        )


def score_permutations(
    model: "Llama",
    linearizer: "Linearizer",
    graphs: GraphSet,
    *,
    strategy: str = "native",
    permutations: int = 32,
    seed: int = 0,
    threads: int | None = None,
    log_automorphism_counts: Float64 | None = None,
    each: Callable[[Scores], None] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> PermutationScores:
    """Score K linearizations of each graph by a strategy; one, where the strategy is canonical.

    Args:
        model: the network.
        linearizer: the one that it was trained with.
        graphs: what to score.
        strategy: as in `graphassay.lm.score.score`.
        permutations: K.
        seed: of the linearizations.
        threads: for linearizing.
        log_automorphism_counts: as there.
        each: called with every window's scores, reliability tables by draw in them.
        progress: called with (graphs done, graphs).
    """
    chosen = with_strategy(linearizer, strategy)
    if log_automorphism_counts is None:
        log_automorphism_counts = count_automorphisms(linearizer, graphs, threads=threads)
    windows: list[Scores] = []
    tables: list[Float64] = []
    done = 0
    for window in score(
        model,
        linearizer,
        graphs,
        strategy=strategy,
        permutations=permutations if chosen.is_random else None,
        seed=seed,
        threads=threads,
        tally=reliability_table,
        log_automorphism_counts=log_automorphism_counts,
    ):
        assert window.reliability is not None
        tables.append(window.reliability.sum(axis=1))
        if each is not None:
            each(window)
        windows.append(window)
        done += len(window.indices) + len(window.refused)
        if progress:
            progress(done, len(graphs))
    if not windows:
        raise InvalidInput("expected at least one graph to score, got none")
    indices = np.concatenate([w.indices for w in windows])
    refused = {graph: why for w in windows for graph, why in w.refused.items()}
    return PermutationScores(
        strategy=chosen.name,
        indices=indices,
        nll=np.concatenate([w.nll for w in windows]),
        n_tokens=np.concatenate([w.n_tokens for w in windows]),
        log_q=_log_q(windows, indices, log_automorphism_counts),
        single=np.concatenate(
            [np.zeros(len(w.indices), np.bool_) if w.single is None else w.single for w in windows]
        ),
        tables=np.concatenate(tables).reshape(-1, len(TokenType), N_BINS, 3),
        n_refused=len(refused),
        first_refusal=next((f"graph {g}: {why}" for g, why in refused.items()), None),
    )


def _log_q(
    windows: list[Scores], indices: Int64, log_automorphism_counts: Float64
) -> Float64 | Undefined:
    parts = [w.log_q for w in windows if w.log_q is not None]
    if len(parts) < len(windows):
        return Undefined("the strategy writes each graph in one way: nothing is drawn")
    total: Float64 = np.concatenate(parts) + log_automorphism_counts[indices, None]
    return total


def strategy_scores(
    scores: PermutationScores,
    *,
    run: str,
    trained_on: str,
    training_seed: int,
    seed: int,
) -> StrategyScores:
    """The cell of the matrix.

    Args:
        scores: what `score_permutations` found.
        run: the run's name.
        trained_on: the linearization that the model was trained on.
        training_seed: of the run.
        seed: of the bootstrap over graphs.
    """
    n = len(scores.nll)
    nobody = f"none of {scores.n_refused:,} graphs could be scored ({scores.first_refusal})"
    single = scores.single
    if n == 0:
        return _empty_cell(scores, run, trained_on, training_seed, nobody)
    bootstrap = GraphBootstrap(n, seed)
    one_draw = scores.n_permutations == 1
    if one_draw:
        why = Undefined(f"{scores.strategy} writes each graph in one way, so that nothing varies")
        lu = Estimate(why, why, why, 0, "bootstrap over graphs")
    else:
        lu = mean_over_graphs(
            bootstrap,
            scores.uncertainty,
            undefined="every graph has a single linearization: nothing varies",
        )
    total = scores.nll.sum(axis=1)
    return StrategyScores(
        run=run,
        trained_on=trained_on,
        evaluated_on=scores.strategy,
        native=scores.strategy == trained_on,
        seed=training_seed,
        n_graphs=n,
        n_refused=scores.n_refused,
        n_permutations=scores.n_permutations,
        n_single=n if one_draw else int(single.sum()),
        tokens_per_graph=mean_over_graphs(bootstrap, scores.n_tokens.mean(axis=1) + 1),
        nll_per_token=mean_over_graphs(bootstrap, total, scores.n_tokens.sum(axis=1)),
        nll_per_graph=mean_over_graphs(bootstrap, scores.nll.mean(axis=1)),
        lu=lu,
        reliability=diagrams(scores.tables, bootstrap),
        bound=_bound(scores.bounds, seed),
        refusal=scores.first_refusal or "",
    )


def _bound(bounds: GraphBounds | Undefined, seed: int) -> Bound | Undefined:
    if isinstance(bounds, Undefined):
        return bounds
    bootstrap = GraphBootstrap(len(bounds.importance), seed)
    return Bound(
        mean_log_p=mean_over_graphs(bootstrap, bounds.mean_log_p),
        plain=mean_over_graphs(bootstrap, bounds.plain),
        importance=mean_over_graphs(bootstrap, bounds.importance),
        variance=float(bounds.variance.mean()),
    )


def _empty_cell(
    scores: PermutationScores, run: str, trained_on: str, training_seed: int, reason: str
) -> StrategyScores:
    why = Undefined(reason)
    nothing = Estimate(why, why, why, 0, "bootstrap over graphs")
    return StrategyScores(
        run=run,
        trained_on=trained_on,
        evaluated_on=scores.strategy,
        native=scores.strategy == trained_on,
        seed=training_seed,
        n_graphs=0,
        n_refused=scores.n_refused,
        n_permutations=scores.n_permutations,
        n_single=0,
        tokens_per_graph=nothing,
        nll_per_token=nothing,
        nll_per_graph=nothing,
        lu=nothing,
        reliability={},
        bound=why,
        refusal=scores.first_refusal or "",
    )
