"""The linearization audit as short tables on the terminal."""

from typing import TYPE_CHECKING

from graphassay.cli.tables import new_table, number

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from graphassay.results.linearization import (
        LinearizationAudit,
        Prediction,
        SelfAssessment,
    )


def print_linearization(console: "Console", audit: "LinearizationAudit") -> None:
    """The matrix, the self-assessment and the predictions."""
    from rich.markup import escape

    from graphassay.results import Undefined

    console.print()
    console.print(
        escape(f"Linearizations: {audit.n_permutations} each of {audit.test_set}"), soft_wrap=True
    )
    for note in audit.notes:
        console.print(escape(f"note: {note}"), soft_wrap=True)
    console.print(_matrix(audit))
    own = audit.self_assessment
    if isinstance(own, Undefined):
        console.print(escape(f"Self-assessment: undefined ({own.reason})"), soft_wrap=True)
    elif own is not None:
        console.print(_self_assessment(own))
    for prediction in audit.predictions:
        if isinstance(prediction, Undefined):
            console.print(escape(f"Prediction: undefined ({prediction.reason})"), soft_wrap=True)
        else:
            console.print(_prediction(prediction))


def _matrix(audit: "LinearizationAudit") -> "Table":
    from graphassay.results import Undefined

    names = ("Run", "Trained on", "Scored as")
    table = new_table(*names, "NLL/token", "LU", "ECE", "revisit", "log p(G)", n_text=3)
    for cell in audit.matrix:
        errors = [
            number(cell.reliability[kind].ece.value) if kind in cell.reliability else ""
            for kind in ("all", "revisit")
        ]
        bound = cell.bound
        table.add_row(
            cell.run,
            _strategy(cell.trained_on),
            _strategy(cell.evaluated_on),
            number(cell.nll_per_token.value),
            number(cell.lu.value),
            *errors,
            "undefined" if isinstance(bound, Undefined) else number(bound.importance.value, 2),
        )
    return table


def _strategy(name: str) -> str:
    """``sent:random`` is told apart by ``random``; the family is the same in a matrix."""
    return name.partition(":")[2] or name


def _self_assessment(own: "SelfAssessment") -> "Table":
    table = new_table(f"{own.n:,} samples", "Generated", "Linearized anew")
    for name, generated, again, digits in (
        ("Tokens", own.tokens_generated, own.tokens_resampled, 1),
        ("NLL (nats)", own.nll_generated, own.nll_resampled, 3),
        ("Back-references", own.back_references_generated, own.back_references_resampled, 2),
    ):
        table.add_row(name, number(generated.value, digits), number(again.value, digits))
    table.add_row("LU", "", number(own.lu.value))
    return table


def _prediction(prediction: "Prediction") -> "Table":
    from graphassay.metric_cards.linearization import PREDICTORS

    points = [f"K {point.n_permutations}" for point in prediction.sweep]
    table = new_table(
        f"AUC for {prediction.target} ({prediction.n_good:,} of {prediction.n:,} good)",
        *points,
        "95 % interval",
        "Spearman",
    )
    for row, predictor in enumerate(prediction.predictors):
        sweep = [number(point.predictors[row].auc.value) for point in prediction.sweep]
        auc = predictor.auc
        table.add_row(
            PREDICTORS[predictor.key],
            *sweep,
            f"{number(auc.low)} to {number(auc.high)}",
            number(predictor.spearman),
        )
    return table
