"""Are likelihoods about the graph or about the order it was written in (L; DEFINITIONS 9)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from graphassay.assay.cross_strategy import (
    automorphism_counts,
    check_permutations,
    random_strategies,
    score_permutations,
    strategy_scores,
)
from graphassay.assay.saturation import DRAWN, saturation
from graphassay.assay.self_assessment import (
    GeneratedScores,
    Target,
    predict,
    score_generated,
    scored_graphs,
    self_assessment,
    target_of,
)
from graphassay.errors import InvalidInput
from graphassay.graph import GraphSet
from graphassay.lm.score import with_strategy
from graphassay.results import Undefined
from graphassay.results.linearization import LinearizationAudit, Saturation, StrategyScores
from graphassay.results.model import ModelSummary

if TYPE_CHECKING:
    from graphassay.lm.job import SampleSet
    from graphassay.lm.run import Run

N_SATURATION_GRAPHS = 500

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
    options: LinearizationOptions = LinearizationOptions(),
    samples: "SampleSet | None" = None,
    targets: Mapping[str, Target] | None = None,
    assess_only: str | None = None,
    test_name: str = "test",
    device: str = "auto",
    threads: int | None = None,
    progress: Progress | None = None,
) -> LinearizationAudit:
    """The linearization audit of one or several runs; the first is the one under audit.

    Args:
        runs: trained models. Every one is scored under every strategy of its family asked for.
        test: held-out graphs.
        options: how.
        samples: drawn by the first run; without them, there is nothing to say of its samples.
        targets: name -> whether each sample is good; quality prediction asks whether numbers tell.
        assess_only: name of a target; self-assessment keeps good samples only (L: valid ones).
        test_name: what to call the test graphs.
        device: as for `graphassay.lm.run.Run.llama`.
        threads: for linearizing; the network uses PyTorch's.
        progress: called with what is being done.

    Raises:
        InvalidInput: K below 2; a run without random linearizations; no graphs; a target that does
            not fit.
    """
    say = progress or (lambda text: None)
    check_inputs(runs, test, options, targets or {}, assess_only)
    chosen = test_subset(test, options)
    shown = f"{len(test):,} graphs of {test_name}"
    if len(chosen) < len(test):
        shown = f"{len(chosen):,} of {shown}, chosen at random (seed {options.seed})"
    say(f"counting the automorphisms of {len(chosen):,} graphs")
    counts = automorphism_counts(chosen, threads=threads)
    matrix: list[StrategyScores] = []
    notes: list[str] = []
    generated: GeneratedScores | None = None
    for run in runs:
        model = run.llama(precision=options.precision, device=device)
        for strategy in evaluation_strategies(run, options.strategies):
            name = f"{run_name(run)} on {strategy}"

            def scored(done: int, n: int, name: str = name) -> None:
                say(f"scoring {name}: {done:,} of {n:,} graphs x {options.permutations}")

            found = score_permutations(
                model,
                run.linearizer,
                chosen,
                strategy=strategy,
                permutations=options.permutations,
                seed=options.seed,
                threads=threads,
                log_automorphism_counts=counts,
                progress=scored,
            )
            if found.n_refused:
                notes.append(
                    f"{name}: {found.n_refused:,} of {len(chosen):,} graphs cannot be scored "
                    f"({found.first_refusal})"
                )
            matrix.append(
                strategy_scores(
                    found,
                    run=run_name(run),
                    trained_on=run.linearizer.name,
                    training_seed=int(run.record.config.get("seed", 0)),
                    seed=options.seed,
                )
            )
        if samples is not None and run is runs[0]:
            generated = score_generated(
                model,
                run.linearizer,
                samples,
                strategy=generated_strategy(run),
                permutations=options.permutations,
                seed=options.seed,
                threads=threads,
                progress=lambda done, n: say(f"scoring samples: {done:,} of {n:,}"),
            )
    say("counting distinct linearizations")
    audit = LinearizationAudit(
        models=tuple(summarize(run) for run in runs),
        n_permutations=options.permutations,
        test_set=shown,
        matrix=tuple(matrix),
        saturation=_saturations(runs[0], chosen, options, threads),
        notes=tuple(notes),
    )
    if generated is None or samples is None:
        return audit
    return with_samples(audit, generated, samples, targets or {}, assess_only, seed=options.seed)
