"""``graphassay audit --run RUN --linearization``: are likelihoods about graphs or about orders?"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

if TYPE_CHECKING:
    from graphassay.assay.linearization import LinearizationOptions
    from graphassay.assay.self_assessment import Target
    from graphassay.cli.audit_run import RunStudy
    from graphassay.graph import GraphSet
    from graphassay.lm.job import SampleSet
    from graphassay.lm.run import Run
    from graphassay.results import AuditResult

Linearization = Annotated[
    bool,
    typer.Option("--linearization", help="With --run: score graphs in many orders (LU, ECE)."),
]
Permutations = Annotated[
    int | None, typer.Option("--permutations", help="With --linearization: orders (default 32).")
]
Strategies = Annotated[
    str | None,
    typer.Option(
        "--strategies",
        help="With --linearization: native, random, …, or all (default native,random).",
    ),
]
TestGraphs = Annotated[
    int | None,
    typer.Option(
        "--test-graphs", help="With --linearization: score so many held-out graphs, by chance."
    ),
]
MatrixRuns = Annotated[
    list[Path] | None,
    typer.Option(
        "--matrix-run",
        help="With --linearization: a further run of any strategy, for the matrix.",
    ),
]
Targets = Annotated[
    list[str] | None,
    typer.Option(
        "--target",
        help="With --linearization: FILE:COLUMN, whether each sample is good: do LU and NLL tell?",
    ),
]
AssessOnly = Annotated[
    str | None,
    typer.Option(
        "--assess-only",
        metavar="TARGET",
        help="With --linearization: linearize only good samples anew, e.g. by validity.",
    ),
]
Precision = Annotated[
    Literal["float32", "bf16"] | None,
    typer.Option("--precision", help="With --linearization: of the weights (default float32)."),
]


@dataclass(frozen=True, kw_only=True)
class LinearizationAsked:
    """The options of the command line; None where not given."""

    wanted: bool = False
    permutations: int | None = None
    strategies: str | None = None
    test_graphs: int | None = None
    matrix_runs: tuple[Path, ...] = ()
    targets: tuple[str, ...] = ()
    assess_only: str | None = None
    precision: Literal["float32", "bf16"] | None = None

    def check(self, *, has_run: bool) -> None:
        """Refuse combinations that have no meaning.

        Raises:
            InvalidInput: says what to give or to leave out.
        """
        from graphassay.errors import InvalidInput

        given = {
            "--permutations": self.permutations,
            "--strategies": self.strategies,
            "--test-graphs": self.test_graphs,
            "--matrix-run": self.matrix_runs or None,
            "--target": self.targets or None,
            "--assess-only": self.assess_only,
            "--precision": self.precision,
        }
        idle = [name for name, value in given.items() if value is not None]
        if not self.wanted:
            if idle:
                raise InvalidInput(f"{idle[0]}: belongs to --linearization: give that too")
            return
        if not has_run:
            raise InvalidInput("--linearization: asks about a trained model: give --run")
        if self.permutations is not None and self.permutations < 2:
            raise InvalidInput(
                "--permutations: expected at least 2, for a spread, got "
                f"{self.permutations}; leave it out for 32"
            )
        if self.strategies is not None and not self.strategy_names:
            raise InvalidInput(
                "--strategies: expected names (native, random, …, or all), got "
                f"{self.strategies!r}; leave it out for native,random"
            )

    @property
    def strategy_names(self) -> tuple[str, ...]:
        """The strategies that were named."""
        return tuple(s.strip() for s in (self.strategies or "").split(",") if s.strip())

    def options(self, seed: int) -> "LinearizationOptions":
        """As the audit takes them."""
        from graphassay.assay.linearization import LinearizationOptions

        given: dict[str, Any] = {
            "permutations": self.permutations,
            "strategies": self.strategy_names or None,
            "precision": self.precision,
        }
        return LinearizationOptions(
            n_test_graphs=self.test_graphs,
            seed=seed,
            **{name: value for name, value in given.items() if value is not None},
        )


@dataclass(frozen=True, eq=False)
class LinearizationStudy:
    """What is asked, and of which runs and graphs. Samples are drawn when it starts."""

    runs: "tuple[Run, ...]"
    test: "GraphSet"
    test_name: str
    options: "LinearizationOptions"
    targets: "Mapping[str, Target]"
    assess_only: str | None
    samples: "Callable[[], SampleSet | None]"
    keep: Path
    device: str
    threads: int | None
    notes: tuple[str, ...]

    def add_to(self, result: "AuditResult", progress: Callable[[str], None]) -> "AuditResult":
        """The result with the linearization audit."""
        from graphassay.assay.cells import CellStore
        from graphassay.assay.linearization import linearization_audit

        start = time.perf_counter()
        samples = self.samples()
        notes = list(self.notes)
        if samples is None:
            notes.append(
                "the samples come without their token sequences, so that there is no generation "
                "NLL and they are not scored: give what `graphassay sample` wrote, or let them be "
                "drawn"
            )
        audit = linearization_audit(
            self.runs,
            self.test,
            options=self.options,
            samples=samples,
            targets=self.targets,
            assess_only=self.assess_only,
            test_name=self.test_name,
            store=CellStore(self.keep),
            device=self.device,
            threads=self.threads,
            progress=progress,
        )
        elapsed_s = round(time.perf_counter() - start, 4)
        made = result.provenance
        provenance = replace(
            made,
            elapsed_s=round(made.elapsed_s + elapsed_s, 4),
            phases_s={**made.phases_s, "scoring linearizations": elapsed_s},
        )
        asked: dict[str, Any] = {
            "permutations": self.options.permutations,
            "strategies": ",".join(self.options.strategies),
            "precision": self.options.precision,
        }
        if self.assess_only is not None:
            asked["assess_only"] = self.assess_only
        return replace(
            result,
            linearization=replace(audit, notes=(*notes, *audit.notes)),
            provenance=provenance,
            options={**result.options, **asked},
        )


def open_linearization(
    asked: LinearizationAsked,
    study: "RunStudy | None",
    sets: "Mapping[str, GraphSet]",
    sources: Mapping[str, str | None],
    *,
    seed: int,
) -> LinearizationStudy | None:
    """What to ask, once the runs are open; None where nothing is asked.

    Args:
        asked: the options.
        study: the opened runs and what else is asked of them.
        sets: the audit's graphs; ``holdout`` is scored.
        sources: where they were named.
        seed: of the audit.

    Raises:
        InvalidInput: no held-out graphs, a run without random linearizations, an unknown strategy,
            runs over other labels, a target that does not fit the samples.
        UnreadableFile: a target's table that cannot be read.
    """
    if not asked.wanted or study is None:
        return None
    from graphassay.assay.linearization import check_inputs
    from graphassay.assay.model_side import generated_samples
    from graphassay.assay.run_graphs import molecule_options
    from graphassay.assay.targets import beside_own, read_targets
    from graphassay.errors import InvalidInput
    from graphassay.lm.run import load_run

    first = study.runs[0]
    others = tuple(load_run(folder) for folder in asked.matrix_runs)
    for run in others:
        if molecule_options(run) != molecule_options(first):
            raise InvalidInput(
                f"{run.folder}: was trained on {molecule_options(run)}, {first.folder} on "
                f"{molecule_options(first)}: one matrix is over the same graphs"
            )
    test = sets.get("holdout")
    if test is None:
        raise InvalidInput(
            f"--linearization: {first.folder} held no graphs back, so there are none to score: "
            "give --holdout"
        )
    options = asked.options(seed)
    runs = (*study.runs, *others)
    given = sources["generated"]
    with_sequences = None if given is None else _given_samples(first, given, asked)
    n_samples = study.questions.n if with_sequences is None else len(with_sequences.samples)
    targets, notes = beside_own(
        read_targets(asked.targets, n_samples=n_samples),
        first.linearizer.molecules,
        threads=study.threads,
    )
    check_inputs(runs, test, options, targets, asked.assess_only)
    if sources["holdout"] is None:
        notes += _other_splits(runs)

    def samples() -> "SampleSet | None":
        if given is not None:
            return with_sequences
        return generated_samples(
            first, study.questions, keep=study.keep, device=study.device, threads=study.threads
        )

    return LinearizationStudy(
        runs=runs,
        test=test,
        test_name=sources["holdout"] or f"the valid and test split of {study.name}",
        options=options,
        targets=targets,
        assess_only=asked.assess_only,
        samples=samples,
        keep=study.keep,
        device=study.device,
        threads=study.threads,
        notes=tuple(notes),
    )


def _given_samples(run: "Run", given: str, asked: LinearizationAsked) -> "SampleSet | None":
    """The samples with their sequences; without, options that need them are refused."""
    from graphassay.assay.run_graphs import read_sequences
    from graphassay.errors import InvalidInput

    found = read_sequences(run, Path(given))
    if found is None:
        needing = {"--target": asked.targets, "--assess-only": asked.assess_only}
        idle = [name for name, value in needing.items() if value]
        if idle:
            raise InvalidInput(
                f"{idle[0]}: {given} comes without its token sequences, so that its graphs are not "
                "scored: give what `graphassay sample` wrote, or leave it out"
            )
    return found


def _other_splits(runs: "tuple[Run, ...]") -> list[str]:
    import numpy as np

    own = runs[0].splits().train
    strange = [
        run.folder.name
        for run in runs[1:]
        if run.record.data["sha256"] != runs[0].record.data["sha256"]
        or not np.array_equal(run.splits().train, own)
    ]
    if not strange:
        return []
    return [
        f"held-out graphs of {runs[0].folder.name} may be training graphs of {', '.join(strange)}: "
        "give --holdout for graphs that none of them saw"
    ]
