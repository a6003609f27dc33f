"""``graphassay audit --run``: a trained model's graphs and samples, and what it says itself."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Protocol

import typer

if TYPE_CHECKING:
    from graphassay.assay.model_side import Questions
    from graphassay.assay.run_graphs import RunGraphs
    from graphassay.assay.sample_sets import Mining
    from graphassay.graph import GraphSet, MoleculeOptions
    from graphassay.lm.run import Run
    from graphassay.results import AuditResult

Runs = Annotated[
    list[Path] | None,
    typer.Option(
        "--run",
        help="Instead of --train (and of --generated): a run folder of `graphassay train`, or a "
        "checkpoint in it. Further ones: the same run with other training seeds.",
    ),
]
NSamples = Annotated[
    int | None, typer.Option("-n", min=1, help="With --run: samples in each set (default 1024).")
]
DecodingName = Annotated[
    str | None,
    typer.Option("--decoding", help="With --run: a named decoding (default both_default)."),
]
Unconstrained = Annotated[
    bool, typer.Option("--unconstrained", help="With --run: let the model break the grammar.")
]
Trajectory = Annotated[
    bool, typer.Option("--trajectory", help="With --run: score samples of every checkpoint.")
]
Sweep = Annotated[
    bool,
    typer.Option(
        "--sweep",
        help="With --run: all six named decodings; with --trajectory, at every checkpoint.",
    ),
]
DecodingSeeds = Annotated[
    int | None,
    typer.Option("--decoding-seeds", help="With --run: the spread over so many seeds."),
]
NllDraws = Annotated[
    int | None,
    typer.Option(
        "--nll-draws",
        min=1,
        help="With --run: random linearizations averaged into a likelihood (default 4).",
    ),
]
Device = Annotated[
    str | None, typer.Option("--device", help="With --run: auto, cpu, cuda, cuda:1, …")
]

SAMPLING = ("-n", "--decoding", "--unconstrained")
"""Options that only matter where samples are drawn."""


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """The options of the command line that ask about a run; None or False where not given."""

    runs: tuple[Path, ...] = ()
    n: int | None = None
    decoding: str | None = None
    unconstrained: bool = False
    trajectory: bool = False
    sweep: bool = False
    decoding_seeds: int | None = None
    nll_draws: int | None = None
    device: str | None = None

    def given(self) -> list[str]:
        """Names of the options that were given, ``--run`` aside."""
        names = {
            "-n": self.n,
            "--decoding": self.decoding,
            "--unconstrained": self.unconstrained or None,
            "--trajectory": self.trajectory or None,
            "--sweep": self.sweep or None,
            "--decoding-seeds": self.decoding_seeds,
            "--nll-draws": self.nll_draws,
            "--device": self.device,
        }
        return [name for name, value in names.items() if value is not None]

    def check(self, *, train: str | None, generated: str | None) -> None:
        """Refuse combinations that have no meaning.

        Raises:
            InvalidInput: says what to give or to leave out.
        """
        from graphassay.errors import InvalidInput

        if not self.runs:
            missing = [
                name
                for name, value in (("--train", train), ("--generated", generated))
                if value is None
            ]
            if missing:
                raise InvalidInput(
                    f"expected {' and '.join(missing)} (or --run): nothing to audit otherwise"
                )
            if self.given():
                raise InvalidInput(f"{self.given()[0]}: asks about a trained model: give --run")
            return
        if self.decoding_seeds is not None and self.decoding_seeds < 2:
            raise InvalidInput(
                f"--decoding-seeds: expected at least 2, for a spread, got {self.decoding_seeds}; "
                "leave it out for one seed"
            )
        idle = [name for name in self.given() if name in SAMPLING]
        if generated is not None and idle and not self.draws:
            raise InvalidInput(
                f"{idle[0]}: the samples are given and no others are asked for; leave it out, or "
                "leave --generated out"
            )

    @property
    def draws(self) -> bool:
        """Whether samples are drawn beside those that are audited."""
        several = self.decoding_seeds is not None or len(self.runs) > 1
        return self.trajectory or self.sweep or several

    def questions(self, seed: int) -> "Questions":
        """As the study takes them."""
        from graphassay.assay.model_side import Questions

        given: dict[str, Any] = {
            "n": self.n,
            "decoding": self.decoding,
            "decoding_seeds": self.decoding_seeds,
            "nll_draws": self.nll_draws,
        }
        return Questions(
            trajectory=self.trajectory,
            sweep=self.sweep,
            constrained=not self.unconstrained,
            seed=seed,
            **{name: value for name, value in given.items() if value is not None},
        )


class ReadSet(Protocol):
    """Reads a file or a data set.

    Args:
        source: its name.
        of_run: the molecule options of the run; without, those of the command.
        guess: whatever format the command names, guess it: the file is the run's own.
    """

    def __call__(
        self, source: str, of_run: "MoleculeOptions | None" = None, *, guess: bool = False
    ) -> "GraphSet":
        """Read it."""


@dataclass(frozen=True, eq=False)
class RunStudy:
    """Opened runs, their graphs, and what is asked of them."""

    runs: tuple["Run", ...]
    graphs: tuple["RunGraphs", ...]
    questions: "Questions"
    mining: "Mining"
    keep: Path
    device: str
    threads: int | None
    notes: tuple[str, ...] = field(default=())
    """What a reader must know of the graphs."""

    @property
    def name(self) -> str:
        """What to call the generator."""
        run = self.runs[0]
        root = run.root.resolve().name
        return root if run.folder == run.root else f"{root}-{run.folder.name}"

    def generated(self, progress: Callable[[str], None]) -> "GraphSet":
        """The samples that are audited, drawn now or in an earlier start."""
        from graphassay.assay.model_side import draw_generated

        return draw_generated(
            self.runs[0],
            self.questions,
            keep=self.keep,
            device=self.device,
            threads=self.threads,
            progress=progress,
        )

    def add_to(
        self, result: "AuditResult", generated: "GraphSet", progress: Callable[[str], None]
    ) -> "AuditResult":
        """The result with the model's own side."""
        from importlib import metadata

        from graphassay.assay.model_side import model_diagnostics

        start = time.perf_counter()
        model = model_diagnostics(
            self.runs,
            self.graphs,
            generated,
            self.questions,
            mining=self.mining,
            keep=self.keep,
            device=self.device,
            threads=self.threads,
            progress=progress,
        )
        elapsed_s = round(time.perf_counter() - start, 4)
        made = result.provenance
        packages = {name: metadata.version(name) for name in ("torch", "transformers")}
        provenance = replace(
            made,
            elapsed_s=round(made.elapsed_s + elapsed_s, 4),
            phases_s={**made.phases_s, "asking the model": elapsed_s},
            versions={**made.versions, **packages},
        )
        asked = {name: getattr(self.questions, name) for name in ("decoding", "n", "constrained")}
        asked |= {"decoding_seeds": self.questions.decoding_seeds, "run": str(self.runs[0].folder)}
        return replace(
            result,
            model=replace(model, notes=(*self.notes, *model.notes)),
            provenance=provenance,
            options={**result.options, **asked},
            notes=(*self.notes, *result.notes),
        )


def open_runs(
    options: RunOptions,
    sources: Mapping[str, str | None],
    read: ReadSet,
    *,
    audit: Mapping[str, Any],
    keep: Path,
    threads: int | None,
) -> tuple[RunStudy, dict[str, "GraphSet"]]:
    """Open the runs and read the graphs that they name, or that are given instead.

    Args:
        options: of the command line.
        sources: ``train``, ``generated`` and ``holdout`` as given.
        read: reads one of them.
        audit: the audit's own options, among them how patterns are mined.
        keep: where finished cells go.
        threads: for drawing and scoring.

    Returns:
        The study, and the audit's sets; ``generated`` is absent where it is to be drawn.

    Raises:
        InvalidRun: a run that is missing, half-written or damaged, whose graphs are gone, or that
            differs from the first in more than its seed.
        InvalidInput: samples of another model; an unknown decoding.
    """
    import graphassay.lm  # first: asks OpenMP to sleep before torch loads it
    from graphassay.assay.run_graphs import (
        check_training_seeds,
        molecule_options,
        read_samples,
    )
    from graphassay.assay.sample_sets import Mining
    from graphassay.lm.run import find_device, load_run

    del graphassay
    questions = options.questions(audit["seed"])
    find_device(options.device or "auto")
    runs = tuple(load_run(folder) for folder in options.runs)
    check_training_seeds(runs)
    molecules = molecule_options(runs[0])
    graphs, notes = _run_graphs(runs, sources["train"], read, molecules)
    sets = {"train": graphs[0].train}
    if sources["generated"] is not None:
        sets["generated"] = read_samples(
            runs[0], Path(sources["generated"]), lambda path: read(str(path), molecules)
        )
    holdout = graphs[0].holdout
    if sources["holdout"] is not None:
        holdout = read(sources["holdout"], molecules)
    if holdout is not None:
        sets["holdout"] = holdout
    mining = ("min_support", "max_vertices", "support", "subsample", "seed")
    study = RunStudy(
        runs,
        graphs,
        questions,
        Mining(**{name: audit[name] for name in mining}),
        keep,
        options.device or "auto",
        threads,
        notes,
    )
    return study, sets


def _run_graphs(
    runs: tuple["Run", ...], train: str | None, read: ReadSet, molecules: "MoleculeOptions"
) -> tuple[tuple["RunGraphs", ...], tuple[str, ...]]:
    """The graphs of each run, and what to say of them."""
    from graphassay.assay.run_graphs import (
        RunGraphs,
        check_labels,
        is_data_of,
        notes_on_given_train,
        run_data,
        split_run,
    )

    def own(path: Path) -> "GraphSet":
        return read(str(path), molecules, guess=True)

    if train is None:
        data = run_data(runs[0], own)
        return tuple(split_run(run, data) for run in runs), ()
    data = read(train, molecules)
    if is_data_of(runs[0], data):  # all that the run was made from, at another place
        return tuple(split_run(run, data) for run in runs), ()
    check_labels(runs[0], data, train, what="not what that model was trained on")
    return tuple(RunGraphs(data, None) for _ in runs), notes_on_given_train(runs, data, own)
