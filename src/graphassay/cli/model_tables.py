"""What a model says itself, as short tables on the terminal."""

from typing import TYPE_CHECKING

from graphassay.cli.tables import new_table, number

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from graphassay.results import Estimate, Undefined
    from graphassay.results.model import HitMiss, ModelDiagnostics, SampleScores, SeedSpread

COLUMNS = ("exact_match", "unique", "failed", "rho", "jsd", "missing_mass")
"""Numbers of the short tables; all are in results.json."""


def print_model(console: "Console", model: "ModelDiagnostics") -> None:
    """The model's side as short tables."""
    from rich.markup import escape

    from graphassay.results import Undefined

    summary = model.summary
    console.print()
    console.print(
        escape(
            f"Model: {summary.run} ({summary.serialization}, {summary.n_parameters:,} parameters, "
            f"step {summary.n_steps:,}, {summary.n_train:,} training graphs)"
        )
    )
    for note in model.notes:
        console.print(escape(f"note: {note}"), soft_wrap=True)
    if isinstance(model.hit_miss, Undefined):
        console.print(escape(f"Hits and misses: undefined ({model.hit_miss.reason})"))
    elif model.hit_miss is not None:
        console.print(_hit_miss(model.hit_miss))
        console.print(_test_line(model.hit_miss), soft_wrap=True)
    if model.trajectory:
        console.print(_trajectory(model))
    if model.sweep:
        console.print(_sweep(model))
    if model.variance is not None:
        console.print(_variance(model))
    if model.training_seeds is not None:
        console.print(_seeds(model))


def _names() -> list[str]:
    from graphassay.metric_cards import CARDS

    return [CARDS[key].symbol for key in COLUMNS]


def _interval(estimate: "Estimate", digits: int = 3) -> str:
    bounds = (estimate.low, estimate.high)
    if not all(isinstance(bound, float | int) for bound in bounds):
        return number(estimate.value, digits)
    low, high = (number(bound, digits) for bound in bounds)
    return f"{number(estimate.value, digits)} ({low} to {high})"


def _hit_miss(found: "HitMiss") -> "Table":
    table = new_table("Training graphs", "Number", "NLL per token")
    table.add_row("reproduced", f"{found.n_hits:,}", _interval(found.hit_mean))
    table.add_row("not reproduced", f"{found.n_misses:,}", _interval(found.miss_mean))
    return table


def _test_line(found: "HitMiss") -> str:
    p = f"{found.p:.2g}" if isinstance(found.p, float) else "undefined"
    return f"AUC {_interval(found.auc)}, Mann-Whitney U {number(found.u, 1)}, p {p}"


def _cells(scores: "SampleScores") -> list[str]:
    from graphassay.assay.sample_spread import numbers_of

    numbers = numbers_of(scores)
    return [number(numbers[key]) for key in COLUMNS]


def _trajectory(model: "ModelDiagnostics") -> "Table":
    table = new_table("Step", "Tokens", "Valid NLL", *_names())
    for at in model.trajectory:
        valid = at.valid_nats_per_token
        shown = f"{valid:.4f}" if isinstance(valid, float) else ""
        table.add_row(f"{at.step:,}", f"{at.n_tokens:,}", shown, *_cells(at.scores))
    return table


def _spread_cell(spread: "SeedSpread") -> str:
    if not isinstance(spread.sd, float):
        return number(spread.mean.value)
    return f"{number(spread.mean.value)} ± {spread.sd:.3f}"


def _sweep(model: "ModelDiagnostics") -> "Table":
    table = new_table("Decoding", "Seeds", *_names())
    for one in model.sweep:
        cells = (
            [_spread_cell(one.spread[key]) for key in COLUMNS]
            if one.spread
            else _cells(one.per_seed[0])
        )
        table.add_row(one.name, str(len(one.per_seed)), *cells)
    return table


def _variance(model: "ModelDiagnostics") -> "Table":
    table = new_table("Share of variance (η²)", *_names())
    assert model.variance is not None
    shares = [model.variance[key].eta_squared for key in COLUMNS]
    table.add_row("checkpoint", *(number(share) for share in shares))
    rest: list[float | Undefined] = [
        1 - share if isinstance(share, float) else share for share in shares
    ]
    table.add_row("decoding", *(number(share) for share in rest))
    return table


def _seeds(model: "ModelDiagnostics") -> "Table":
    assert model.training_seeds is not None
    runs = model.training_seeds.runs
    table = new_table("Training seeds", *(str(run.seed) for run in runs), "Mean (95 %)", "sd")
    from graphassay.metric_cards import CARDS

    for key, spread in model.training_seeds.spread.items():
        table.add_row(
            CARDS[key].symbol,
            *(number(value) for value in spread.values),
            _interval(spread.mean),
            number(spread.sd),
        )
    return table
