"""LaTeX tables of the linearization audit."""

from graphassay.report import numbers as fmt
from graphassay.report.heatmap import MEASURES, measure_name
from graphassay.report.latex_text import escape, table, value, with_interval
from graphassay.report.matrix import Matrix, matrix, over_seeds
from graphassay.report.names import TOKEN_KINDS, predictor
from graphassay.results import Undefined
from graphassay.results.linearization import (
    LinearizationAudit,
    Prediction,
    SelfAssessment,
    StrategyScores,
)


def linearization_tables(audit: LinearizationAudit) -> list[str]:
    """Robustness, the matrix, self-assessment, prediction and its sweep, diversity, bounds."""
    cells = matrix(audit)
    parts = []
    if cells.rows:
        parts += [_robustness(cells), _matrix(cells)]
    if isinstance(audit.self_assessment, SelfAssessment):
        parts.append(_self_assessment(audit.self_assessment))
    predictions = [p for p in audit.predictions if isinstance(p, Prediction)]
    for i, prediction in enumerate(predictions):
        label = "" if i == 0 else f"-{i + 1}"
        if prediction.predictors:
            parts.append(_prediction(prediction, label))
        if prediction.sweep:
            parts.append(_sweep(prediction, label))
    if any(curve.drawn for curve in audit.saturation):
        parts.append(_saturation(audit))
    if any(not isinstance(s.bound, Undefined) for s in audit.matrix):
        parts.append(_bounds(audit))
    return parts


def _mean(scores: tuple[StrategyScores, ...], measure: str, digits: int = 3) -> str:
    mean = over_seeds(scores, measure)
    if mean is None:
        return "--"
    text = value(mean.value, digits)
    if isinstance(mean.value, Undefined) or isinstance(mean.sd, Undefined):
        return text
    return rf"{text} $\pm$ {escape(fmt.deviation(mean.sd, digits))}"


def _robustness(cells: Matrix) -> str:
    rows = []
    for row in cells.rows:
        line = [escape(row.name), _mean(row.native, "tokens_per_graph", 1)]
        for measure in ("nll_per_token", "lu", "ece:all"):
            line += [_mean(row.native, measure), _mean(row.random, measure)]
        rows.append(line)
    head = ["Trained on", "Tokens"]
    for name in ("NLL", "LU", "ECE"):
        head += [f"{name} native", f"{name} random"]
    caption = (
        "Held-out graphs in the order of training (native) and in random order; with several "
        "training seeds mean $\\pm$ standard deviation."
    )
    return table(head, rows, caption, "audit-robustness")


def _matrix(cells: Matrix) -> str:
    rows = []
    for measure in (*MEASURES, *(f"ece:{kind}" for kind in TOKEN_KINDS)):
        for row in cells.rows:
            line = [_mean(row.cells.get(column, ()), measure) for column in cells.columns]
            if any(cell != "--" for cell in line):
                rows.append([escape(measure_name(measure)), escape(row.name), *line])
    head = ["Measure", "Trained on", *(escape(cells.column_names[c]) for c in cells.columns)]
    caption = "Training order (rows) against evaluation order (columns)."
    return table(head, rows, caption, "audit-matrix")


def _self_assessment(found: SelfAssessment) -> str:
    rows = [
        ["Tokens", with_interval(found.tokens_generated), with_interval(found.tokens_resampled)],
        ["NLL, nats", with_interval(found.nll_generated), with_interval(found.nll_resampled)],
        [
            "Back-references",
            with_interval(found.back_references_generated),
            with_interval(found.back_references_resampled),
        ],
        ["LU", "--", with_interval(found.lu)],
    ]
    caption = (
        f"Means over {escape(fmt.count(found.n))} generated graphs: the sequence that the model "
        "generated, and re-linearizations of the same graph in the native order."
    )
    return table(["", "Generated", "Linearized again"], rows, caption, "audit-self")


def _prediction(found: Prediction, label: str) -> str:
    rows = [
        [escape(predictor(p.key)), with_interval(p.auc), value(p.spearman)]
        for p in found.predictors
    ]
    caption = (
        f"Prediction of {escape(found.target)} ({escape(fmt.count(found.n_good))} of "
        f"{escape(fmt.count(found.n))} generated graphs): lower values are taken as better."
    )
    return table(["Number", "ROC-AUC", "Spearman"], rows, caption, f"audit-prediction{label}")


def _sweep(found: Prediction, label: str) -> str:
    keys = list(dict.fromkeys(p.key for point in found.sweep for p in point.predictors))
    rows = []
    for point in found.sweep:
        by_key = {p.key: p for p in point.predictors}
        cells = [with_interval(by_key[k].auc) if k in by_key else "--" for k in keys]
        rows.append([str(point.n_permutations), *cells])
    caption = f"ROC-AUC for {escape(found.target)} with $K$ permutations."
    head = ["$K$", *(escape(predictor(k)) for k in keys)]
    return table(head, rows, caption, f"audit-k-sweep{label}")


def _saturation(audit: LinearizationAudit) -> str:
    drawn = sorted({n for curve in audit.saturation for n in curve.drawn})
    rows = []
    for curve in audit.saturation:
        seen = dict(zip(curve.drawn, curve.distinct, strict=True))
        cells = [value(seen[n], 1) if n in seen else "--" for n in drawn]
        rows.append([escape(curve.strategy), escape(fmt.count(curve.n_graphs)), *cells])
    caption = "Distinct linearizations per graph (mean) among those drawn."
    head = ["Strategy", "Graphs", *(escape(fmt.count(n)) for n in drawn)]
    return table(head, rows, caption, "audit-diversity")


def _bounds(audit: LinearizationAudit) -> str:
    rows = []
    for s in audit.matrix:
        row = [escape(s.run), escape(s.evaluated_on), str(s.n_permutations)]
        if isinstance(s.bound, Undefined):
            row += [value(s.bound), "--", "--", "--"]
        else:
            row += [with_interval(e) for e in (s.bound.mean_log_p, s.bound.plain)]
            row += [with_interval(s.bound.importance), value(s.bound.variance)]
        rows.append(row)
    head = ["Run", "Evaluated on", "$K$", "Mean $\\log p(s)$", "Plain", "Importance", "Variance"]
    caption = "Lower bounds of $\\log p(G)$ in nats, means over graphs."
    return table(head, rows, caption, "audit-bound")
