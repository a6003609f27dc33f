"""Are likelihoods about the graph or about the order it was written in (L; DEFINITIONS 9)."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from graphassay.assay.cells import CellStore
from graphassay.assay.cross_strategy import (
    check_reorderable,
    random_strategies,
    score_permutations,
    strategy_scores,
)
from graphassay.assay.model_summary import mean_tokens, summarize
from graphassay.assay.run_identity import family_of, run_names
from graphassay.assay.saturation import saturation
from graphassay.assay.self_assessment import (
    GeneratedScores,
    Target,
    predict,
    score_generated,
    scored_graphs,
    self_assessment,
    target_values,
)
from graphassay.errors import InvalidInput
from graphassay.graph import GraphSet
from graphassay.lm.score import count_automorphisms, with_strategy
from graphassay.results import Undefined
from graphassay.results.linearization import LinearizationAudit, Saturation, StrategyScores

if TYPE_CHECKING:
    from graphassay.lm.job import SampleSet
    from graphassay.lm.llama import Llama
    from graphassay.lm.run import Run

Bools = npt.NDArray[np.bool_]
Float64 = npt.NDArray[np.float64]

N_SATURATION_GRAPHS = 500
N_LENGTH_GRAPHS = 500
"""Test graphs whose lengths say how many tokens an unfinished training has seen."""

Progress = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class LinearizationOptions:
    """All that decides the numbers, beside models, graphs and samples.

    Args:
        permutations: K.
        strategies: evaluation strategies: ``native``, ``random``, others of the family by name, or
            ``all`` of the family.
        n_test_graphs: score a seeded subset of the test graphs only.
        seed: of linearizations, subsets and bootstraps.
        precision: of the matrix products.
    """

    permutations: int = 32
    strategies: tuple[str, ...] = ("native", "random")
    n_test_graphs: int | None = None
    seed: int = 0
    precision: Literal["float32", "bf16"] = "float32"


def linearization_audit(
    runs: "Sequence[Run]",
    test: GraphSet,
    *,
    options: LinearizationOptions | None = None,
    samples: "SampleSet | None" = None,
    targets: Mapping[str, Target] | None = None,
    assess_only: str | None = None,
    test_name: str = "test",
    store: CellStore | None = None,
    device: str = "auto",
    threads: int | None = None,
    progress: Progress | None = None,
) -> LinearizationAudit:
    """The linearization audit of one or several runs; the first is the one under audit.

    Args:
        runs: trained models. Each is scored under every strategy asked for.
        test: held-out graphs.
        options: how.
        samples: drawn by the first run; without them, nothing is said of its samples.
        targets: name -> whether each sample is good: which of the numbers tell? The first is the
            one that drawn graphs are marked by.
        assess_only: name of a target; self-assessment keeps good samples only (L: valid ones).
        test_name: what to call the test graphs.
        store: keeps finished pieces, so that a killed audit goes on.
        device: as for `graphassay.lm.run.Run.llama`.
        threads: for linearizing; the network uses PyTorch's.
        progress: called with what is being done.

    Raises:
        InvalidInput: K below 2; a run without random linearizations; no graphs; a target that does
            not fit.
    """
    options = options or LinearizationOptions()
    check_inputs(runs, test, options, targets or {}, assess_only)
    chosen = choose_test_graphs(test, options)
    shown = f"{len(test):,} graphs of {test_name}"
    if len(chosen) < len(test):
        shown = f"{len(chosen):,} of {shown}, chosen at random (seed {options.seed})"
    names = run_names(runs)
    say = progress or (lambda _: None)
    work = _Work(options, store or CellStore(None), device, threads, say, names)
    own = None
    matrix: list[StrategyScores] = []
    for run in runs:
        matrix += work.cells(run, chosen)
        if samples is not None and own is None:
            own = work.of_samples(run, samples, targets or {}, assess_only)
    audit = LinearizationAudit(
        models=tuple(
            summarize(
                run,
                mean_tokens=mean_tokens(run, chosen[:N_LENGTH_GRAPHS]),
                name=names[run.folder],
            )
            for run in runs
        ),
        n_permutations=options.permutations,
        test_set=shown,
        matrix=tuple(matrix),
        saturation=work.saturations(runs[0], chosen),
        notes=tuple(note for cell in matrix for note in _cell_notes(cell)),
    )
    if own is None:
        return audit
    return replace(
        audit,
        self_assessment=own.self_assessment,
        predictions=own.predictions,
        scatter=own.scatter,
        n_scatter_of=own.n_scatter_of,
        lowest_lu=own.lowest_lu,
        highest_lu=own.highest_lu,
        scatter_target=own.scatter_target,
        notes=audit.notes + own.notes,
    )


def _cell_notes(cell: StrategyScores) -> list[str]:
    where = f"{cell.run} on {cell.evaluated_on}"
    notes = []
    if cell.n_refused:
        notes.append(
            f"{where}: {cell.n_refused:,} of {cell.n_graphs + cell.n_refused:,} graphs cannot be "
            f"scored; the first, {cell.refusal}"
        )
    if not isinstance(cell.bound, Undefined) and cell.bound.importance.n < cell.n_graphs:
        n_costly = cell.n_graphs - cell.bound.importance.n
        notes.append(
            f"{where}: the automorphisms of {n_costly:,} of {cell.n_graphs:,} graphs cost too much "
            "to count: the bound of log p(G) is over the others"
        )
    return notes


def check_inputs(
    runs: "Sequence[Run]",
    test: GraphSet,
    options: LinearizationOptions,
    targets: Mapping[str, Target],
    assess_only: str | None,
) -> None:
    """Refuse what cannot work before any of the long work starts.

    Raises:
        InvalidInput: as `linearization_audit`.
    """
    if not runs:
        raise InvalidInput("expected at least one run, got none")
    if not len(test):
        raise InvalidInput("expected at least one test graph, got none")
    if options.n_test_graphs is not None and options.n_test_graphs < 1:
        raise InvalidInput(f"n_test_graphs: expected at least 1, got {options.n_test_graphs}")
    if not options.strategies:
        raise InvalidInput("strategies: expected at least one, got none")
    for run in runs:
        check_reorderable(run.linearizer, options.permutations, run=str(run.folder))
        evaluation_strategies(run, options.strategies)
    if assess_only is not None and assess_only not in targets:
        known = ", ".join(targets) or "none given"
        raise InvalidInput(
            f"assess_only: expected one of the targets ({known}), got {assess_only!r}"
        )


def choose_test_graphs(test: GraphSet, options: LinearizationOptions) -> GraphSet:
    """The test graphs to score: all, or a subset that the seed decides, in their order."""
    n = options.n_test_graphs
    if n is None or n >= len(test):
        return test
    rng = np.random.default_rng([options.seed, 0x7E57])
    return test.take(np.sort(rng.choice(len(test), size=n, replace=False)))


def evaluation_strategies(run: "Run", wanted: Sequence[str]) -> tuple[str, ...]:
    """Full names of the strategies to score a run under, each once, the native one first.

    Raises:
        InvalidInput: a strategy whose tokens the run does not know.
    """
    names = []
    for strategy in wanted:
        if strategy == "all":
            names += [run.linearizer.name, *random_strategies(run.linearizer)]
        else:
            names.append(with_strategy(run.linearizer, strategy).name)
    return tuple(dict.fromkeys(sorted(names, key=lambda name: name != run.linearizer.name)))


@dataclass(frozen=True, eq=False)
class _Work:
    """The long pieces, each kept in the store under what decides it."""

    options: LinearizationOptions
    store: CellStore
    device: str
    threads: int | None
    say: Progress
    names: Mapping[Path, str]
    """What to call each run, by its folder."""
    _models: "dict[Path, Llama]" = field(default_factory=dict)
    """The newest one: a run's samples are scored with the model that scored the graphs."""

    def cells(self, run: "Run", graphs: GraphSet) -> list[StrategyScores]:
        """The run's row of the matrix."""
        key, name = self._key(run, graphs), self.names[run.folder]
        loaded: list[tuple[Llama, Float64]] = []  # once, and only when needed

        def cell(strategy: str) -> StrategyScores:
            if not loaded:
                self.say(f"counting the automorphisms of {len(graphs):,} graphs")
                counts = count_automorphisms(run.linearizer, graphs, threads=self.threads)
                loaded.append((self._model(run), counts))
            model, counts = loaded[0]
            found = score_permutations(
                model,
                run.linearizer,
                graphs,
                strategy=strategy,
                log_automorphism_counts=counts,
                progress=self._scoring(f"{name} on {strategy}"),
                **self._common(),
            )
            return strategy_scores(
                found,
                run=name,
                trained_on=run.linearizer.name,
                training_seed=int(run.record.config["seed"]),
                seed=self.options.seed,
            )

        return [
            replace(
                self.store.cell(
                    {**key, "strategy": strategy}, StrategyScores, partial(cell, strategy)
                ),
                run=name,  # the folder may have been renamed
                model=run.fingerprint(),
                family=family_of(run),
            )
            for strategy in evaluation_strategies(run, self.options.strategies)
        ]

    def saturations(self, run: "Run", graphs: GraphSet) -> tuple[Saturation, ...]:
        """One for each random strategy of the family, over at most 500 graphs."""
        self.say("counting distinct linearizations")
        few = graphs.take(np.arange(min(len(graphs), N_SATURATION_GRAPHS)))
        return tuple(
            saturation(
                with_strategy(run.linearizer, name),
                few,
                seed=self.options.seed,
                threads=self.threads,
            )
            for name in random_strategies(run.linearizer)
        )

    def of_samples(
        self,
        run: "Run",
        samples: "SampleSet",
        targets: Mapping[str, Target],
        assess_only: str | None,
    ) -> LinearizationAudit:
        """What is about generated graphs, as an audit with nothing else in it."""
        empty = LinearizationAudit((), self.options.permutations, "", ())
        n = len(samples.samples)
        if not len(samples.graphs):
            return replace(empty, self_assessment=Undefined(f"none of {n:,} samples is a graph"))
        rows, graphs = samples.decoded.rows, samples.graphs
        good = {
            name: target_values(name, target, graphs, rows, n_samples=n)
            for name, target in targets.items()
        }
        key = {
            **self._key(run, graphs),
            "generation_nll": _digest(np.array([one.nll for one in samples.samples])[rows]),
            "tokens": _digest(np.concatenate([samples.samples[i].tokens for i in rows.tolist()])),
            "targets": {name: _digest(values) for name, values in good.items()},
            "assess_only": assess_only,
            "scatter_target": next(iter(good), ""),  # the first: keys have no order
        }

        def make() -> LinearizationAudit:
            scores = score_generated(
                self._model(run),
                run.linearizer,
                samples,
                strategy=run.linearizer.name if run.linearizer.is_random else "random",
                progress=self._scoring(f"samples of {self.names[run.folder]}"),
                **self._common(),
            )
            return _with_generated(
                empty, scores, good, assess_only, n_decoded=len(graphs), seed=self.options.seed
            )

        return self.store.cell(key, LinearizationAudit, make)

    def _common(self) -> dict[str, Any]:
        options = self.options
        return {
            "permutations": options.permutations,
            "seed": options.seed,
            "threads": self.threads,
        }

    def _key(self, run: "Run", graphs: GraphSet) -> dict[str, Any]:
        return {
            "weights": run.fingerprint(),
            "graphs": graphs.sha256(),
            "permutations": self.options.permutations,
            "seed": self.options.seed,
            "precision": self.options.precision,
        }

    def _model(self, run: "Run") -> "Llama":
        if run.folder not in self._models:
            self.say(f"loading {self.names[run.folder]}")
            self._models.clear()
            self._models[run.folder] = run.llama(
                precision=self.options.precision, device=self.device
            )
        return self._models[run.folder]

    def _scoring(self, what: str) -> Callable[[int, int], None]:
        k = self.options.permutations
        return lambda done, n: self.say(f"scoring {what}: {done:,} of {n:,} graphs x {k}")


def _with_generated(
    audit: LinearizationAudit,
    scores: GeneratedScores,
    good: Mapping[str, Bools],
    assess_only: str | None,
    *,
    n_decoded: int,
    seed: int,
) -> LinearizationAudit:
    kept = {name: values[scores.permutations.indices] for name, values in good.items()}
    notes = []
    own = scores.permutations
    if own.n_refused:
        notes.append(
            f"samples: {own.n_refused:,} of {n_decoded:,} graphs cannot be linearized anew by "
            f"{own.strategy}; the first, {own.first_refusal}"
        )
    only = None if assess_only is None else kept[assess_only]
    if only is not None:
        notes.append(
            f"self-assessment is over the {int(only.sum()):,} of {len(only):,} scored samples "
            f"that are good by {assess_only}"
        )
    drawn = scored_graphs(scores, next(iter(kept.values()), None), seed=seed)
    return replace(
        audit,
        self_assessment=self_assessment(scores, seed=seed, only=only),
        predictions=tuple(predict(scores, name, values) for name, values in kept.items()),
        scatter=drawn.scatter,
        n_scatter_of=drawn.n_scatter_of,
        lowest_lu=drawn.lowest_lu,
        highest_lu=drawn.highest_lu,
        notes=tuple(notes),
        scatter_target=next(iter(kept), ""),
    )


def _digest(values: npt.NDArray[Any]) -> str:
    return hashlib.sha256(np.ascontiguousarray(values).tobytes()).hexdigest()[:24]
