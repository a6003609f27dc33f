"""``graphassay mine``: all frequent subgraphs of one or several files."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphassay.cli.common import AsJson, Threads, say
from graphassay.cli.inputs import parse_support

if TYPE_CHECKING:
    from graphassay.graph import GraphSet
    from graphassay.mining import MiningProgress, PatternTable


def mine(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE…", help="Files of graphs; one database each.")
    ],
    *,
    min_support: Annotated[
        str,
        typer.Option(
            "--min-support", help="Share of the graphs (0.1) or, without a point, a count (18)."
        ),
    ] = "0.1",
    max_vertices: Annotated[
        int, typer.Option("--max-vertices", help="Largest pattern, 2 to 16.")
    ] = 8,
    max_edges: Annotated[int | None, typer.Option("--max-edges", help="Largest pattern.")] = None,
    min_edges: Annotated[int, typer.Option("--min-edges", help="Smallest pattern listed.")] = 1,
    out: Annotated[Path | None, typer.Option("--out", help="Write the patterns to a file.")] = None,
    to_format: Annotated[
        str | None,
        typer.Option(
            "--format", help="csv, parquet, gspan or jsonl (default: by the file's name)."
        ),
    ] = None,
    from_format: Annotated[
        str | None, typer.Option("--from", help="Format of the inputs (default: guessed).")
    ] = None,
    column: Annotated[
        str | None, typer.Option("--column", help="Column of a table that holds the SMILES.")
    ] = None,
    occurrences: Annotated[
        bool, typer.Option("--occurrences", help="gspan: list the first file's graphs by pattern.")
    ] = False,
    embeddings: Annotated[
        bool, typer.Option("--embeddings", help="Count the images of each pattern (slow).")
    ] = False,
    time_limit_s: Annotated[
        float | None, typer.Option("--time-limit", help="Give up after so many seconds.")
    ] = None,
    memory_limit_mb: Annotated[
        int | None, typer.Option("--memory-limit", min=1, help="Give up beyond so many MB.")
    ] = None,
    max_patterns: Annotated[
        int | None, typer.Option("--max-patterns", help="Give up beyond so many patterns.")
    ] = None,
    threads: Threads = None,
    as_json: AsJson = False,
) -> None:
    """List every subgraph that is frequent in at least one file, with exact counts in all.

    Example: graphassay mine train.smi generated.smi --min-support 0.1 --out patterns.parquet
    """
    from graphassay.cli.progress import intake_report, reading
    from graphassay.io import read
    from graphassay.mining import Database
    from graphassay.mining import mine as mine_databases
    from graphassay.output import is_stdout

    support = parse_support(min_support)
    databases = []
    for path, name in zip(files, _names(files), strict=True):
        with reading(path) as progress:
            graphs: GraphSet = read(path, format=from_format, column=column, progress=progress)
        intake_report(graphs.intake)
        databases.append(Database(graphs, name=name))
    with _mining() as watch:
        table = mine_databases(
            databases,
            support,
            max_vertices=max_vertices,
            max_edges=max_edges,
            min_edges=min_edges,
            threads=threads,
            occurrences=occurrences,
            embeddings=embeddings,
            time_limit_s=time_limit_s,
            memory_limit_bytes=None if memory_limit_mb is None else memory_limit_mb * 1_000_000,
            max_patterns=max_patterns,
            progress=watch,
        )
    if out is not None:
        table.write(out, format=to_format)
    if not (out is not None and is_stdout(out)):
        _print(table, out, as_json=as_json)


def _names(files: list[Path]) -> list[str]:
    """File names, or paths where names repeat."""
    names = [path.name for path in files]
    return names if len(set(names)) == len(names) else [str(path) for path in files]


@contextmanager
def _mining() -> "Iterator[Callable[[MiningProgress], None] | None]":
    """A progress callback for a line on stderr; None off a terminal."""
    import sys

    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress, TextColumn

    with Progress(
        TextColumn("{task.description}"), console=Console(stderr=True), transient=True
    ) as line:
        task = line.add_task("mining", total=None)

        def show(progress: "MiningProgress") -> None:
            line.update(
                task,
                description=f"mining: {progress.n_patterns:,} patterns; extending those of "
                f"{progress.n_edges} edges, {progress.n_done:,} of {progress.n_level:,}; "
                f"{progress.n_bytes / 1e6:,.0f} MB",
            )

        yield show


def _print(table: "PatternTable", out: Path | None, *, as_json: bool) -> None:
    databases = [
        {"name": name, "total": total, "min_count": least, "n_frequent": frequent}
        for name, total, least, frequent in zip(
            table.names,
            table.totals.tolist(),
            table.min_counts.tolist(),
            table.frequent.sum(axis=0).tolist(),
            strict=True,
        )
    ]
    if as_json:
        import json

        result = {"n_patterns": len(table), "databases": databases, "out": out and str(out)}
        typer.echo(json.dumps(result, ensure_ascii=False, indent=2))
        return
    typer.echo(f"{len(table):,} patterns" + (f" -> {out}" if out else ""))
    for database in databases:
        typer.echo(
            f"{database['name']}: {database['n_frequent']:,} frequent "
            f"(in at least {database['min_count']:,} of {database['total']:,} graphs)"
        )
    if out is None:
        say("the patterns themselves: --out FILE.csv, .parquet, .gspan or .jsonl")
