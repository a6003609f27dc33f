"""``graphassay train``: a language model of the graphs in a file."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from graphassay.cli.common import AsJson, say

if TYPE_CHECKING:
    from graphassay.lm.run import RunRecord
    from graphassay.lm.trainer import TrainProgress

Hydrogens = Literal["heavy", "explicit-h"]


def train(
    *,
    data: Annotated[Path, typer.Option("--data", help="Graphs to learn (any format of convert).")],
    out: Annotated[Path, typer.Option("--out", help="Run folder; holding this run: go on.")],
    serialization: Annotated[
        str | None, typer.Option("--serialization", help="How graphs become tokens: sent:random …")
    ] = None,
    size: Annotated[
        str | None, typer.Option("--size", help="tiny, medium, small, large, or custom.")
    ] = None,
    config: Annotated[
        Path | None, typer.Option("--config", help="A TOML recipe; options here override it.")
    ] = None,
    steps: Annotated[int | None, typer.Option("--steps", help="Budget: optimizer steps.")] = None,
    tokens: Annotated[int | None, typer.Option("--tokens", help="Budget: tokens.")] = None,
    epochs: Annotated[float | None, typer.Option("--epochs", help="Budget: passes.")] = None,
    set_option: Annotated[
        list[str] | None, typer.Option("--set", help="Any option of a recipe: NAME=VALUE.")
    ] = None,
    hydrogens: Annotated[
        Hydrogens, typer.Option("--hydrogens", help="Of molecules: leave them implicit, or not.")
    ] = "heavy",
    column: Annotated[
        str | None, typer.Option("--column", help="Column of a table that holds the SMILES.")
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", min=0, help="Same seed, same run.")] = None,
    device: Annotated[str, typer.Option("--device", help="auto, cpu or cuda.")] = "auto",
    as_json: AsJson = False,
) -> None:
    """Train a LLaMA from scratch on graphs; started again after a crash, it goes on exactly.

    Budget: steps, tokens or epochs, here or in the recipe (default: 10 epochs).

    Example: graphassay train --data qm9.smi.gz --serialization sent:random --size tiny --out run
    """
    import graphassay.lm  # first: asks OpenMP to sleep before torch loads it
    from graphassay.cli.progress import intake_report, reading
    from graphassay.graph import MoleculeOptions
    from graphassay.io import read
    from graphassay.lm.config import TrainConfig, read_recipe

    del graphassay
    options = read_recipe(config) if config else {}
    options |= dict(_option(text) for text in set_option or ())
    given = {"serialization": serialization, "size": size, "seed": seed}
    options |= {name: value for name, value in given.items() if value is not None}
    budget = {"steps": steps, "tokens": tokens, "epochs": epochs}
    budget = {name: value for name, value in budget.items() if value is not None}
    if budget:
        options = {k: v for k, v in options.items() if k not in ("steps", "tokens", "epochs")}
    elif not {"steps", "tokens", "epochs"} & options.keys():
        budget = {"epochs": 10}
    settings = TrainConfig.from_dict(options | budget, where=str(config or "options"))
    with reading(data) as progress:
        graphs = read(
            data,
            column=column,
            molecules=MoleculeOptions(hydrogens=hydrogens),
            progress=progress,
        )
    intake_report(graphs.intake)
    from graphassay.lm.train import train as train_model

    result = train_model(
        graphs,
        out,
        settings,
        source=str(data),
        device=device,
        begin=_say_left_out,
        progress=_say_progress,
    )
    context = result.measured["context"]
    if n_skipped := result.measured.get("n_too_long_draws_skipped", 0):
        say(f"{n_skipped:,} random linearizations skipped: longer than {context:,} tokens")
    if as_json:
        import json

        n_too_long = result.run.record.data.get("n_too_long", 0)
        account = {"run": str(out), "n_too_long": n_too_long, **result.measured}
        typer.echo(json.dumps(account, indent=2))
        return
    nll = result.measured.get("valid_nats_per_token")
    tail = "" if nll is None else f", validation {nll:.4f} nats/token"
    typer.echo(f"{out}: {result.measured['steps']:,} steps{tail}")


def _say_left_out(record: "RunRecord") -> None:
    if n_too_long := record.data.get("n_too_long", 0):
        say(
            f"{n_too_long:,} of {record.data['n_graphs']:,} graphs left out: "
            f"longer than the context of {record.measured['context']:,} tokens"
        )


def _say_progress(at: "TrainProgress") -> None:
    parts = [f"step {at.step:,} of {at.n_steps:,}"]
    if at.loss is not None:
        parts.append(f"loss {at.loss:.4f}")
    if at.valid_nats_per_token is not None:
        parts.append(f"validation {at.valid_nats_per_token:.4f} nats/token")
    if at.tokens_per_s is not None:
        parts.append(f"{at.tokens_per_s:,.0f} tokens/s")
    say(", ".join(parts))


def _option(text: str) -> tuple[str, Any]:
    """NAME=VALUE, with the value read as TOML where it is any, and as plain text otherwise."""
    import tomllib

    from graphassay.errors import InvalidInput

    name, equals, value = text.partition("=")
    if not equals:
        raise InvalidInput(f"--set: expected NAME=VALUE, got {text!r}")
    try:
        return name.strip(), tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return name.strip(), value.strip()
