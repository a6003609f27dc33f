"""The command line: one file per command (parse, call, print); this file only assembles them."""

import sys
from typing import Annotated, Any, NoReturn

import typer

import graphassay
from graphassay.cli.audit import audit
from graphassay.cli.compare import compare
from graphassay.cli.convert import convert
from graphassay.cli.datasets import datasets
from graphassay.cli.demo import demo
from graphassay.cli.metrics import metrics
from graphassay.cli.mine import mine
from graphassay.cli.sample import sample
from graphassay.cli.score import score
from graphassay.cli.train import train
from graphassay.errors import GraphAssayError

ClickException: Any = typer.BadParameter.__mro__[2]
"""Typer's own copy of click's, or click's, by its version."""

INTERRUPTED = 130
"""What shells expect of a program that Ctrl-C ended."""

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


app.command("audit")(audit)
app.command("datasets")(datasets)
app.command("demo")(demo)
app.command("compare")(compare)
app.command("convert")(convert)
app.command("metrics")(metrics)
app.command("mine")(mine)
app.command("train")(train)
app.command("sample")(sample)
app.command("score")(score)


def main() -> None:
    """Run a command; every failure is one line on stderr (exit 2: bad input, 1: failed)."""
    try:
        status = app(standalone_mode=False)  # the exit status when the command ended by one
    except GraphAssayError as error:
        _fail(str(error), error.exit_code)
    except ClickException as error:
        if not sys.argv[1:]:  # the help was printed
            sys.exit(2)
        _fail(_usage(error), 2)
    except MemoryError as error:
        reason = f" ({error})" if str(error) else ""
        _fail(f"out of memory{reason}; give fewer graphs, draws or patterns", 1)
    except RuntimeError as error:
        if not _is_allocation(error):
            raise
        reason = _allocation(error)
        _fail(f"out of memory ({reason}); choose a smaller batch, context or model", 1)
    except OSError as error:  # after all that a command has words of its own for
        _fail(_system(error), 2)
    except KeyboardInterrupt:
        status = INTERRUPTED
    if status == INTERRUPTED:
        _fail("interrupted; nothing half-written was left", INTERRUPTED)
    sys.exit(status if isinstance(status, int) else 0)


def _fail(message: str, status: int) -> NoReturn:
    typer.echo("graphassay: " + " ".join(message.splitlines()), err=True)
    sys.exit(status)


def _is_allocation(error: RuntimeError) -> bool:
    """Whether PyTorch, which is not imported here, was refused memory."""
    return type(error).__name__ == "OutOfMemoryError" or "can't allocate memory" in str(error)


def _allocation(error: RuntimeError) -> str:
    """How much it asked for; what follows is advice for programmers."""
    text = str(error)
    text = text.partition("DefaultCPUAllocator: ")[2] or text
    return ". ".join(text.rstrip(".").split(". ")[:2])


def _system(error: OSError) -> str:
    """What the system refused, and why."""
    reason = error.strerror or str(error)
    return f"{error.filename}: {reason}" if error.filename is not None else reason


def _usage(error: Any) -> str:
    """What was wrong with the options, and where to read about them."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "graphassay"
    return f"{error.format_message().rstrip('.')}; see {command} --help"
