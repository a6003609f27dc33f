"""``graphassay convert``: from one graph format to another."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from graphassay.cli.common import AsJson

Hydrogens = Literal["heavy", "explicit-h"]


def convert(
    source: Annotated[Path, typer.Argument(metavar="A", help="File to read (or a TU folder).")],
    target: Annotated[Path, typer.Argument(metavar="B", help="File to write.")],
    *,
    from_format: Annotated[
        str | None, typer.Option("--from", "--format", help="Format of A (default: guessed).")
    ] = None,
    to_format: Annotated[
        str | None, typer.Option("--to", help="Format of B (default: by its name).")
    ] = None,
    column: Annotated[
        str | None, typer.Option("--column", help="Column of a table that holds the SMILES.")
    ] = None,
    hydrogens: Annotated[
        Hydrogens, typer.Option("--hydrogens", help="Of molecules: leave them implicit, or not.")
    ] = "heavy",
    kekulize: Annotated[
        bool, typer.Option("--kekulize", help="Single and double bonds instead of aromatic ones.")
    ] = False,
    charges: Annotated[
        bool, typer.Option("--charges", help="Put formal charges into the labels (N+).")
    ] = False,
    isotopes: Annotated[
        bool, typer.Option("--isotopes", help="Put isotopes into the labels (13C).")
    ] = False,
    drop_labels: Annotated[
        bool, typer.Option("--drop-labels", help="Let graph6 and sparse6 lose the labels.")
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Fail on the first refused record.")
    ] = False,
    processes: Annotated[
        int | None,
        typer.Option("--processes", min=1, help="Processes that parse molecules (all cores)."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Convert graphs between formats, and report what became of every record.

    Formats: smiles, csv, sdf, tu, gspan, graph6, sparse6, graphml, jsonl, npz, arrow.

    Example: graphassay convert moses_train.csv.gz moses_train.arrow
    """
    from graphassay.cli.progress import intake_report, reading
    from graphassay.graph import MoleculeOptions
    from graphassay.io import read, write

    options = MoleculeOptions(
        hydrogens=hydrogens, kekulize=kekulize, charges=charges, isotopes=isotopes
    )
    with reading(source) as progress:
        graphs = read(
            source,
            format=from_format,
            column=column,
            molecules=options,
            processes=processes,
            progress=progress,
            strict=strict,
        )
    written = write(graphs, target, format=to_format, drop_labels=drop_labels, strict=strict)
    intake_report(graphs.intake)
    if written.refused:
        intake_report(written, verb="written")
    if as_json:
        import dataclasses
        import json

        result = {"read": graphs.intake, "written": written}
        plain = {key: value and dataclasses.asdict(value) for key, value in result.items()}
        typer.echo(json.dumps(plain, ensure_ascii=False, indent=2))
    else:
        typer.echo(f"{target}: {written.n_kept:,} graphs ({written.format})")
