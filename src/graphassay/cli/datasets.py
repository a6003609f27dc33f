"""``graphassay datasets``: list the named sets, or write one to a file."""

from pathlib import Path
from typing import Annotated

import typer

from graphassay.cli.common import AsJson, Seed, say, writing


def datasets(
    name: Annotated[str | None, typer.Argument(help="A set to write (default: list all).")] = None,
    *,
    out: Annotated[Path | None, typer.Option("--out", help="File to write it to.")] = None,
    split: Annotated[str | None, typer.Option("--split", help="train, valid or test.")] = None,
    source: Annotated[
        Path | None, typer.Option("--from", help="A local copy, or the folder that holds it.")
    ] = None,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """List the named data sets, or write one to a file.

    Example: graphassay datasets mutag --out mutag.jsonl
    """
    from graphassay import datasets as sets

    if name is None:
        _list(as_json=as_json)
        return
    dataset = sets.find(name)
    graphs = sets.load(dataset.name, split=split, source=source, seed=seed)
    if out is not None:
        from graphassay import io

        with writing(out):
            io.write(graphs, out)
        say(f"{dataset.name}: {len(graphs):,} graphs written to {out}")
        if not as_json:
            return
    facts = {
        "name": dataset.name,
        "title": dataset.title,
        "graphs": len(graphs),
        "mean_vertices": round(float(graphs.vertex_counts.mean()), 2),
        "mean_edges": round(float(graphs.edge_counts.mean()), 2),
        "origin": dataset.origin,
        "licence": dataset.licence,
        "citation": dataset.citation,
        "splits": ", ".join(dataset.splits) or "none",
    }
    if as_json:
        import json

        typer.echo(json.dumps(facts | {"out": out and str(out)}, indent=2))
    else:
        for key, value in facts.items():
            typer.echo(f"{key.replace('_', ' ')}: {value}")


def _list(*, as_json: bool) -> None:
    from graphassay import datasets as sets

    if as_json:
        import dataclasses
        import json

        typer.echo(json.dumps([dataclasses.asdict(d) for d in sets.available()], indent=2))
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table("name", "what", "graphs", "from", "licence", box=None, header_style="bold")
    for dataset in sets.available():
        table.add_row(
            dataset.name,
            dataset.title,
            f"{dataset.n_graphs:,}",
            escape(dataset.origin),
            dataset.licence,
        )
    Console().print(table)
