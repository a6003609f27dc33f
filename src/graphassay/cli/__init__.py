"""The command line: one file per command (parse, call, print); this file only assembles them."""

import sys
from typing import Annotated

import typer

import graphassay
from graphassay.cli.convert import convert
from graphassay.cli.sample import sample
from graphassay.cli.score import score
from graphassay.cli.train import train
from graphassay.errors import GraphAssayError

app = typer.Typer(
    name="graphassay",
    help="Audit graph and molecule generators against their training set.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"graphassay {graphassay.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Say which.")
    ] = False,
) -> None:
    """Audit graph and molecule generators against their training set."""


app.command("convert")(convert)
app.command("train")(train)
app.command("sample")(sample)
app.command("score")(score)


def main() -> None:
    """Run a command; every failure is one line on stderr (exit 2: bad input, 1: failed)."""
    try:
        app()
    except GraphAssayError as error:
        typer.echo(f"graphassay: {error}", err=True)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        typer.echo("graphassay: interrupted; nothing half-written was left", err=True)
        sys.exit(130)
