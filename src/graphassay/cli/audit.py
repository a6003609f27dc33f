"""``graphassay audit``: parse, call, print."""

import shlex
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from graphassay.cli.audit_linearization import (
    AssessOnly,
    Linearization,
    LinearizationAsked,
    LinearizationStudy,
    MatrixRuns,
    Permutations,
    Precision,
    Strategies,
    Targets,
    TestGraphs,
    open_linearization,
)
from graphassay.cli.audit_run import (
    DecodingName,
    DecodingSeeds,
    Device,
    NllDraws,
    NSamples,
    RunOptions,
    Runs,
    RunStudy,
    Sweep,
    Trajectory,
    Unconstrained,
    open_runs,
)
from graphassay.cli.common import AsJson, Seed, Threads, option_groups
from graphassay.cli.inputs import (
    Charges,
    Column,
    FromFormat,
    Hydrogens,
    Kekulize,
    molecule_options,
    parse_support,
    read_graphs,
)
from graphassay.cli.progress import phases
from graphassay.cli.tables import number

if TYPE_CHECKING:
    from rich.table import Table

    from graphassay.graph import GraphSet, MoleculeOptions
    from graphassay.results import AuditResult


GROUPS = {
    "What to compare": ("train", "generated", "run", "holdout", "quality"),
    "A trained run": (
        "n",
        "decoding",
        "unconstrained",
        "trajectory",
        "sweep",
        "decoding_seeds",
        "nll_draws",
        "device",
    ),
    "Orders": (
        "linearization",
        "permutations",
        "strategies",
        "test_graphs",
        "matrix_run",
        "target",
        "assess_only",
        "precision",
    ),
    "Mining": (
        "min_support",
        "max_vertices",
        "support",
        "bootstraps",
        "subsample",
        "repeats",
        "sensitivity",
    ),
    "Input": ("from_format", "column", "hydrogens", "kekulize", "charges"),
    "Output": ("out", "name", "force", "as_json"),
}
"""The options as ``--help`` shows them; the rest, which most commands have, comes before."""


@option_groups(GROUPS)
def audit(
    *,
    train: Annotated[
        str | None,
        typer.Option("--train", help="What the model was trained on: a file or a data set."),
    ] = None,
    generated: Annotated[
        str | None,
        typer.Option("--generated", "--samples", help="What it generated: a file or a data set."),
    ] = None,
    run: Runs = None,
    holdout: Annotated[
        str | None, typer.Option("--holdout", help="Real graphs that the model never saw.")
    ] = None,
    out: Annotated[Path, typer.Option("--out", help="Folder for the report.")] = Path("report"),
    min_support: Annotated[
        str, typer.Option("--min-support", help="Share (0.1) or count (18) of graphs.")
    ] = "0.1",
    max_vertices: Annotated[
        int, typer.Option("--max-vertices", min=2, help="Largest pattern.")
    ] = 8,
    support: Annotated[
        Literal["frequent", "exact"],
        typer.Option("--support", help="Count an infrequent pattern as 0, or exactly."),
    ] = "frequent",
    bootstraps: Annotated[
        int, typer.Option("--bootstraps", min=2, help="Resamples of train.")
    ] = 200,
    subsample: Annotated[
        int, typer.Option("--subsample", min=1, help="Training graphs mined per run.")
    ] = 10_000,
    repeats: Annotated[
        int, typer.Option("--repeats", min=1, help="Runs, when train is larger than that.")
    ] = 5,
    sensitivity: Annotated[
        bool, typer.Option("--sensitivity", help="Also at other supports and sizes.")
    ] = False,
    quality: Annotated[
        bool, typer.Option("--quality", help="Also the metrics of graphassay metrics.")
    ] = False,
    n: NSamples = None,
    decoding: DecodingName = None,
    unconstrained: Unconstrained = False,
    trajectory: Trajectory = False,
    sweep: Sweep = False,
    decoding_seeds: DecodingSeeds = None,
    nll_draws: NllDraws = None,
    device: Device = None,
    linearization: Linearization = False,
    permutations: Permutations = None,
    strategies: Strategies = None,
    test_graphs: TestGraphs = None,
    matrix_run: MatrixRuns = None,
    target: Targets = None,
    assess_only: AssessOnly = None,
    precision: Precision = None,
    name: Annotated[
        str | None, typer.Option("--name", help="What to call the generator (default: its file).")
    ] = None,
    from_format: FromFormat = None,
    column: Column = None,
    hydrogens: Hydrogens = "heavy",
    kekulize: Kekulize = False,
    charges: Charges = False,
    seed: Seed = 0,
    threads: Threads = None,
    force: Annotated[
        bool, typer.Option("--force", help="Write into a folder that holds other files.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Does a generator go beyond copying its training set?

    Give --train and --generated, or a --run of `graphassay train`: it knows its graphs, samples are
    drawn, and its likelihoods, checkpoints and decodings are asked too. Killed, the same command
    goes on: what is finished is kept in OUT/cells.

    Example: graphassay audit --train mutag --generated samples.jsonl --out report
    """
    from graphassay.cli.folder import CELLS, report_folder

    options: dict[str, Any] = {
        "min_support": parse_support(min_support),
        "max_vertices": max_vertices,
        "support": support,
        "bootstraps": bootstraps,
        "subsample": subsample,
        "repeats": repeats,
        "seed": seed,
        "sensitivity": sensitivity,
    }
    asked = RunOptions(
        runs=tuple(run or ()),
        n=n,
        decoding=decoding,
        unconstrained=unconstrained,
        trajectory=trajectory,
        sweep=sweep,
        decoding_seeds=decoding_seeds,
        nll_draws=nll_draws,
        device=device,
    )
    asked.check(train=train, generated=generated)
    orders = LinearizationAsked(
        wanted=linearization,
        permutations=permutations,
        strategies=strategies,
        test_graphs=test_graphs,
        matrix_runs=tuple(matrix_run or ()),
        targets=tuple(target or ()),
        assess_only=assess_only,
        precision=precision,
    )
    orders.check(has_run=bool(asked.runs))
    _check_before_reading(options)
    molecules = molecule_options(hydrogens, kekulize=kekulize, charges=charges)

    def read(
        source: str, of_run: "MoleculeOptions | None" = None, *, guess: bool = False
    ) -> "GraphSet":
        return read_graphs(
            source,
            format=None if guess else from_format,
            column=column,
            molecules=_agreed(molecules, of_run),
            seed=seed,
        )

    with report_folder(out, force=force) as folder:
        sources = {"train": train, "generated": generated, "holdout": holdout}
        study: RunStudy | None = None
        if asked.runs:
            study, sets = open_runs(
                asked, sources, read, audit=options, keep=out / CELLS, threads=threads
            )
        else:
            sets = {role: read(source) for role, source in sources.items() if source is not None}
        about_orders = open_linearization(orders, study, sets, sources, seed=seed)
        with phases() as progress:
            result = _audit_and_write(
                sets,
                folder,
                progress,
                study,
                about_orders,
                **options,
                quality=quality,
                threads=threads,
                name=name or (study.name if study else _short_name(str(generated))),
                command=shlex.join(["graphassay", *sys.argv[1:]]),
            )
    if as_json:
        from graphassay.results import dumps

        typer.echo(dumps(result), nl=False)
    else:
        print_result(result)
        typer.echo(f"Report: {out / 'report.html'}")


def _check_before_reading(options: Mapping[str, Any]) -> None:
    """An option out of range is said at once, not after minutes of reading."""
    from graphassay.assay.inputs import Settings, check_settings

    check_settings(Settings(n_holdout_draws=None, n_interval_resamples=None, **options))


def _agreed(ours: "MoleculeOptions", of_run: "MoleculeOptions | None") -> "MoleculeOptions":
    """The run's molecule options; others that were given against it are refused."""
    from graphassay.errors import InvalidInput
    from graphassay.graph import MoleculeOptions

    if of_run is None:
        return ours
    if ours not in (MoleculeOptions(), of_run):
        raise InvalidInput(
            f"--hydrogens, --kekulize, --charges: the run was trained with {of_run}, got {ours}; "
            "leave them out"
        )
    return of_run


def _audit_and_write(
    sets: Mapping[str, "GraphSet"],
    folder: Path,
    progress: Callable[[str], None],
    study: RunStudy | None,
    about_orders: LinearizationStudy | None,
    **options: Any,
) -> "AuditResult":
    from graphassay.assay.memorization import run_audit

    generated = sets.get("generated")
    if generated is None:
        assert study is not None
        generated = study.generated(progress)
    done = run_audit(
        sets["train"], generated, holdout=sets.get("holdout"), progress=progress, **options
    )
    if study is not None:
        done = replace(done, result=study.add_to(done.result, generated, progress))
    if about_orders is not None:
        done = replace(done, result=about_orders.add_to(done.result, progress))
    progress("writing the report")
    from pyarrow import parquet

    from graphassay.report import write_report

    write_report(done.result, folder)
    parquet.write_table(done.pattern_table(), folder / "patterns.parquet")
    return done.result


def print_result(result: "AuditResult") -> None:
    """Intake, verdict and headline numbers on stdout."""
    from rich.console import Console
    from rich.markup import escape

    from graphassay.intake import intake_lines

    console = Console(highlight=False)
    for role, summary in result.inputs.items():
        text = f"{role}: " + "\n".join(intake_lines(summary.intake))
        console.print(escape(text), soft_wrap=True)
    for note in result.notes:
        console.print(escape(f"note: {note}"), soft_wrap=True)
    console.print()
    console.print(f"[bold]{escape(result.verdict.headline)}[/bold]")
    console.print(escape(result.verdict.reason))
    console.print()
    console.print(_numbers(result))
    if result.model is not None:
        from graphassay.cli.model_tables import print_model

        print_model(console, result.model)
    if result.quality is not None:
        from graphassay.cli.metrics import print_quality

        console.print()
        print_quality(result.quality)
    if result.linearization is not None:
        from graphassay.cli.linearization_tables import print_linearization

        print_linearization(console, result.linearization)


def _numbers(result: "AuditResult") -> "Table":
    from rich.table import Table

    from graphassay.metric_cards import CARDS, REFERENCES

    references = [card.short for card in REFERENCES.values()]
    table = Table("", "Generated", *references, CARDS["z"].name, box=None)
    for key in ("exact_match", "unique", "failed", "recall"):
        cells = [
            number(getattr(result.copying[role], key).value) if role in result.copying else ""
            for role in ("generated", "holdout", "rewired")
        ]
        if key == "failed":
            cells[1:] = ["", ""]
        table.add_row(CARDS[key].name, cells[0], "", *cells[1:], "")
    for key, comparison in result.alignment.metrics.items():
        draws = comparison.references
        medians = [number(draws[role].median) if role in draws else "" for role in REFERENCES]
        table.add_row(
            CARDS[key].name, number(comparison.model.value), *medians, number(comparison.z, 1)
        )
    return table


def _short_name(source: str) -> str:
    name = Path(source).name
    return name.split(".")[0] or name
