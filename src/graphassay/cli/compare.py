"""``graphassay compare``: several audits on one page."""

from pathlib import Path
from typing import Annotated

import typer

from graphassay.cli.common import AsJson, say


def compare(
    reports: Annotated[
        list[Path],
        typer.Argument(help="results.json files, or the report folders that hold them."),
    ],
    *,
    out: Annotated[Path, typer.Option("--out", "-o", help="The page to write.")] = Path(
        "compare.html"
    ),
    as_json: AsJson = False,
) -> None:
    """Put several generators on one memorization-alignment plane.

    Example: graphassay compare digress/ graphrnn/results.json --out compare.html
    """
    from graphassay import results
    from graphassay.report.compare import compare_reports, summary, warnings

    audits = [results.load(path) for path in reports]
    page = compare_reports(audits, out)
    found = warnings(audits)
    for warning in found:
        say(f"warning: {warning}")
    if as_json:
        import json

        document = {"page": str(page), "warnings": found, "audits": summary(audits)}
        typer.echo(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False))
    else:
        typer.echo(str(page))
