"""``graphassay score``: how likely a trained model finds graphs, and which of them to keep."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from graphassay.cli.common import AsJson, Seed, Threads, option_groups, say

if TYPE_CHECKING:
    from graphassay.graph import GraphSet
    from graphassay.lm.score import Scores

Precision = Literal["float32", "bf16"]


GROUPS = {
    "Input": ("format", "column", "serialization"),
    "What to score": ("permutations", "strategy", "per_token"),
    "What to keep": ("rank_by", "keep"),
    "Output": ("out", "as_json"),
    "Machine": ("precision", "device", "threads"),
}
"""The options as ``--help`` shows them."""


@option_groups(GROUPS)
def score(
    run: Annotated[
        Path,
        typer.Argument(metavar="RUN", help="Run folder, a checkpoint in it, or a SMILES model."),
    ],
    graphs: Annotated[Path, typer.Argument(metavar="GRAPHS", help="Any format of convert.")],
    *,
    out: Annotated[Path, typer.Option("--out", help="Table: .parquet or .csv.")],
    permutations: Annotated[
        int | None,
        typer.Option("--permutations", help="K random linearizations each, and their spread."),
    ] = None,
    strategy: Annotated[
        str,
        typer.Option("--strategy", help="native, or random, min-degree, max-degree, anchor."),
    ] = "native",
    serialization: Annotated[
        Literal["run", "smiles"],
        typer.Option(
            "--serialization",
            help="smiles: RUN is the folder of any Hugging Face causal language model over SMILES.",
        ),
    ] = "run",
    rank_by: Annotated[
        Literal["lu", "mean", "nll", "bound"] | None,
        typer.Option(
            "--filter",
            help="Rank by it, lowest best (bound of log p: highest); write both halves beside OUT.",
        ),
    ] = None,
    keep: Annotated[
        float | None, typer.Option("--keep", help="With --filter: the share kept (default 0.8).")
    ] = None,
    per_token: Annotated[
        bool, typer.Option("--per-token", help="Also every token's -log p.")
    ] = False,
    format: Annotated[str | None, typer.Option("--format", help="Of GRAPHS.")] = None,
    column: Annotated[
        str | None, typer.Option("--column", help="Column of a table that holds the SMILES.")
    ] = None,
    precision: Annotated[
        Precision, typer.Option(help="bf16 weights are faster, see benchmarks/scoring.py.")
    ] = "float32",
    device: Annotated[str, typer.Option("--device", help="auto, cpu, cuda, cuda:1, …")] = "auto",
    seed: Seed = 0,
    threads: Threads = None,
    as_json: AsJson = False,
) -> None:
    """Score graphs: NLL in nats, one row per graph, with K permutations its spread (sd, LU) too.

    A graph that the model's vocabulary or context cannot hold gets a reason instead of a number.
    With --filter, OUT.kept and OUT.rejected hold the graphs' own records, best and rest.

    Example: graphassay score run molecules.smi --permutations 16 --out scores.parquet
    """
    import graphassay.lm  # first: asks OpenMP to sleep before torch loads it
    from graphassay.errors import InvalidInput
    from graphassay.lm.output import ScoreWriter, score_tables
    from graphassay.lm.ranking import COLUMNS, check_ranking

    del graphassay
    share = 0.8 if keep is None else keep
    if rank_by is not None:
        check_ranking(rank_by, share, permutations)
    elif keep is not None:
        raise InvalidInput("--keep: belongs to --filter: give that too, or leave it out")
    if rank_by == "bound" and serialization == "smiles":
        raise InvalidInput(
            "--filter bound: how likely RDKit is to write a SMILES is not known; rank by mean or lu"
        )
    options = _Options(permutations, strategy, per_token, precision, device, seed, threads)
    open_job = _smiles_job if serialization == "smiles" else _run_job
    halves = _halves(graphs, out) if rank_by else {}
    _check_outputs(graphs, out, halves)
    writer = ScoreWriter(out)
    job = open_job(run, graphs, format, column, options)
    values: list[float | None] = []
    n_scored, total = 0, 0.0
    refused: Counter[str] = Counter()
    with writer:
        for table in score_tables(job.windows, job.graphs, words=job.words):
            writer.write_table(table)
            scored = table["nll_nats"].drop_null()
            n_scored += len(scored)
            total += sum(scored.to_pylist())
            refused.update(map(_kind, table["refused"].drop_null().to_pylist()))
            values += table[COLUMNS[rank_by or "nll"]].to_pylist()
    summary: dict[str, Any] = {"out": str(out), "n": len(job.graphs), "n_scored": n_scored}
    summary["refused"] = dict(refused.most_common())
    intake = job.graphs.intake
    if intake is not None:
        summary |= {"n_records": intake.n_records, "n_not_read": intake.n_refused}
    if n_scored:
        summary["mean_nll_nats"] = total / n_scored
    if rank_by is not None:
        summary["filter"] = _write_halves(job.graphs, graphs, values, halves, rank_by, share)
    _print(summary, as_json=as_json)


@dataclass(frozen=True)
class _Options:
    permutations: int | None
    strategy: str
    per_token: bool
    precision: Precision
    device: str
    seed: int
    threads: int | None


@dataclass(frozen=True)
class _Job:
    graphs: "GraphSet"
    windows: "Iterator[Scores]"
    words: tuple[str, ...] = ()


def _run_job(
    run: Path, path: Path, format: str | None, column: str | None, options: _Options
) -> _Job:
    from graphassay.graph import MoleculeOptions
    from graphassay.lm.run import load_run
    from graphassay.lm.score import score as score_graphs

    opened = load_run(run)
    linearizer = opened.linearizer
    found = _read(path, format, column, linearizer.molecules or MoleculeOptions())
    model = opened.llama(precision=options.precision, device=options.device)
    _set_threads(options.threads)
    windows = score_graphs(
        model,
        linearizer,
        found,
        permutations=options.permutations,
        strategy=options.strategy,
        seed=options.seed,
        per_token=options.per_token,
        bound=True,
        threads=options.threads,
    )
    return _Job(found, windows, linearizer.vocabulary.tokens if options.per_token else ())


def _smiles_job(
    run: Path, path: Path, format: str | None, column: str | None, options: _Options
) -> _Job:
    from graphassay.errors import InvalidInput
    from graphassay.graph import MoleculeOptions
    from graphassay.lm.smiles import load_smiles_model, score_smiles, smiles_of

    if options.per_token or options.strategy != "native":
        raise InvalidInput("--per-token and --strategy are for runs: drop them, or --serialization")
    model = load_smiles_model(run, precision=options.precision, device=options.device)
    found = _read(path, format, column, MoleculeOptions())
    texts = smiles_of(found)
    say(f"each SMILES is framed by {model.framing}")
    _set_threads(options.threads)
    return _Job(
        found,
        score_smiles(model, texts, permutations=options.permutations, seed=options.seed),
    )


def _read(path: Path, format: str | None, column: str | None, molecules: Any) -> "GraphSet":
    from graphassay.cli.progress import intake_report, reading
    from graphassay.io import read

    with reading(path) as progress:
        found = read(path, format=format, column=column, molecules=molecules, progress=progress)
    intake_report(found.intake)
    return found


def _set_threads(threads: int | None) -> None:
    if threads is not None:
        import torch

        torch.set_num_threads(threads)


def _halves(original: Path, out: Path) -> dict[str, Path]:
    """Where kept and rejected records go: beside the table, named as the input."""
    suffix = "".join(original.suffixes[-2:] if original.suffix == ".gz" else [original.suffix])
    return {name: out.with_name(f"{out.stem}.{name}{suffix}") for name in ("kept", "rejected")}


def _check_outputs(graphs: Path, out: Path, halves: Mapping[str, Path]) -> None:
    """Before any work: every output can be written, and none is the input."""
    from graphassay.errors import InvalidInput
    from graphassay.output import check_writable

    for path in (out, *halves.values()):
        if path.exists() and graphs.exists() and path.samefile(graphs):
            raise InvalidInput(f"{path}: would replace the graphs; give another --out")
    for path in halves.values():
        if path.parent.is_dir() and not path.is_dir():  # a TU set's halves are folders
            check_writable(path)


def _kind(refusal: str) -> str:
    """Why a graph was refused, without what differs from graph to graph."""
    return re.sub(r"\b\d[\d,]*\b", "…", refusal)


def _write_halves(
    graphs: "GraphSet",
    original: Path,
    values: list[float | None],
    paths: Mapping[str, Path],
    rank_by: str,
    keep: float,
) -> dict[str, Any]:
    """Kept and rejected records beside the table, in the input's format; what became of them."""
    from graphassay.io.selection import write_selection
    from graphassay.lm.ranking import best_half

    known = [float("nan") if v is None else v for v in values]
    halves = best_half(known, keep, highest=rank_by == "bound")
    account: dict[str, Any] = {"by": rank_by, "keep": keep}
    for name, rows in (("kept", halves.kept), ("rejected", halves.rejected)):
        path = paths[name]
        n_written = write_selection(graphs, rows, original, path)  # of no rows: an empty file
        account[name] = {"out": str(path), "n": len(rows), "n_written": n_written}
    account["rejected"]["n_without_value"] = halves.n_unranked
    account["threshold"] = halves.threshold
    return account


def _print(summary: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        import json

        typer.echo(json.dumps(summary, indent=2))
        return
    mean = f", mean {summary['mean_nll_nats']:.3f} nats" if summary["n_scored"] else ""
    typer.echo(f"{summary['out']}: {summary['n_scored']:,} of {summary['n']:,} graphs scored{mean}")
    for why, n in summary["refused"].items():
        say(f"  {n:,} refused: {why}")
    if "filter" in summary:
        _print_halves(summary["filter"])
    if summary.get("n_not_read"):
        where = " and are in neither file" if "filter" in summary else ""
        counts = f"{summary['n_not_read']:,} of {summary['n_records']:,} records"
        typer.echo(f"{counts} gave no graph{where}")


def _print_halves(account: dict[str, Any]) -> None:
    kept, rejected = account["kept"], account["rejected"]
    side = "at least" if account["by"] == "bound" else "at most"
    limit = f" ({account['by']} {side} {account['threshold']:.4g})" if kept["n"] else ""
    typer.echo(f"{kept['out']}: {kept['n']:,} kept{limit}")
    lost = rejected["n_without_value"]
    why = f", {lost:,} of them for want of a value" if lost else ""
    typer.echo(f"{rejected['out']}: {rejected['n']:,} rejected{why}")
    for half in (kept, rejected):
        if half["n_written"] < half["n"]:
            say(f"{half['out']}: {half['n'] - half['n_written']:,} graphs cannot be written so")
