"""The page of the linearization audit: are likelihoods about the graph or about its order?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from graphassay.metric_cards import LINEARIZATION
from graphassay.report import linearization_wording as wording
from graphassay.report import numbers as fmt
from graphassay.report.curves import Curve, CurvePoint, curves, from_estimate
from graphassay.report.drawing import Drawer
from graphassay.report.explorer import Explorer, explorer
from graphassay.report.heatmap import MEASURES, heatmap, highest, measure_name
from graphassay.report.lanes import Lane, dot_lanes
from graphassay.report.matrix import Matrix, MatrixRow, by_run, matrix, over_seeds
from graphassay.report.names import TOKEN_KINDS, predictor
from graphassay.report.reliability import ReliabilityPanel, reliability_panels
from graphassay.report.scales import Doubling, Linear
from graphassay.report.svg import SERIES
from graphassay.results import AuditResult, Undefined
from graphassay.results.linearization import (
    LinearizationAudit,
    Prediction,
    Saturation,
    ScoredGraph,
    StrategyScores,
)

FILE = "linearization.html"


SUMMARY = {"nll_per_token": "NLL per token", "lu": "LU", "ece:all": "ECE"}


@dataclass(frozen=True)
class PredictionView:
    """One target: which numbers predict it, with all permutations and with fewer."""

    prediction: Prediction
    takeaway: str
    lanes: Markup
    sweep: Markup | None
    legend: tuple[tuple[str, str], ...]
    """(role, name) of each curve."""


def render(result: AuditResult) -> str:
    """The whole page as text. The result must hold a linearization audit."""
    from graphassay.report.page import environment

    audit = result.linearization
    assert audit is not None
    table = matrix(audit)
    drawer = _drawer(audit)
    view: Explorer = explorer(audit, drawer)
    runs = by_run(audit)
    return (
        environment()
        .get_template("linearization.html.j2")
        .render(
            r=result,
            audit=audit,
            takeaway=_takeaways(audit),
            table=table,
            summary=[(row, summary_row(row)) for row in table.rows],
            maps=heatmaps(table),
            reliability=_reliability(table),
            of_first_run=runs[0] if runs else (),
            of_others=[s for cells in runs[1:] for s in cells],
            predictions=[
                p if isinstance(p, Undefined) else _prediction_view(p) for p in audit.predictions
            ],
            explorer=view,
            target=target(audit),
            galleries={
                "lowest": _cards(audit.lowest_lu, drawer),
                "highest": _cards(audit.highest_lu, drawer),
            },
            saturation=_saturation(audit.saturation),
            saturation_legend=[
                (SERIES[i % len(SERIES)], s.strategy) for i, s in enumerate(audit.saturation)
            ],
            drawer=drawer,
            cards=LINEARIZATION,
            measures=SUMMARY,
            kinds=TOKEN_KINDS,
        )
    )


def _takeaways(audit: LinearizationAudit) -> dict[str, str]:
    found = {
        "order": wording.order_takeaway(audit),
        "scatter": wording.scatter_takeaway(audit),
        "saturation": wording.saturation_takeaway(audit.saturation),
    }
    if audit.self_assessment is not None and not isinstance(audit.self_assessment, Undefined):
        found["self"] = wording.self_takeaway(audit.self_assessment)
    native = next((s for cells in by_run(audit)[:1] for s in cells if s.native), None)
    if native is not None:
        found["bound"] = wording.bound_takeaway(native)
    return found


def target(audit: LinearizationAudit) -> str:
    """The property that ``good`` of the scored graphs is about."""
    return audit.scatter_target or "good"


def summary_row(row: MatrixRow) -> list[tuple[str, str]]:
    """Tokens per graph, then each measure native and in random order, over the row's seeds: the
    number, and its interval or its standard deviation.
    """
    cells = [_over(row.native, "tokens_per_graph", 1)]
    for measure in SUMMARY:
        cells += [_over(row.native, measure), _over(row.random, measure)]
    return cells


def _over(scores: Sequence[StrategyScores], measure: str, digits: int = 3) -> tuple[str, str]:
    mean = over_seeds(scores, measure)
    if mean is None:
        return ("no such token" if scores else "not evaluated"), ""
    text = fmt.number(mean.value, digits)
    if isinstance(mean.value, Undefined):
        return text, ""
    if not isinstance(mean.sd, Undefined):
        return text, f"± {fmt.deviation(mean.sd, digits)}"
    if isinstance(mean.low, Undefined) or isinstance(mean.high, Undefined):
        return text, ""
    return text, f"{fmt.number(mean.low, digits)} to {fmt.number(mean.high, digits)}"


def heatmaps(table: Matrix) -> list[Markup]:
    """NLL per token, LU, then ECE over all tokens and by kind (on one scale)."""
    alone = len(table.rows) == len(table.columns) == 1  # one number has nothing to stand out from
    maps = [
        heatmap(table, measure, top=0.0 if alone else highest(table, [measure]), caption=name)
        for measure, name in MEASURES.items()
    ]
    present = [f"ece:{kind}" for kind in TOKEN_KINDS if _occurs(table, kind)]
    top = highest(table, present)
    return maps + [heatmap(table, m, top=top, caption=measure_name(m)) for m in present]


def _occurs(table: Matrix, kind: str) -> bool:
    return any(
        kind in s.reliability for row in table.rows for cell in row.cells.values() for s in cell
    )


def _reliability(table: Matrix) -> list[tuple[str, list[ReliabilityPanel]]]:
    """Of the first run of each row: other seeds look alike."""
    return [(row.runs[0], reliability_panels(row.first_run)) for row in table.rows]


def _prediction_view(found: Prediction) -> PredictionView:
    roles = {p.key: SERIES[i % len(SERIES)] for i, p in enumerate(found.predictors)}
    for point in found.sweep:
        for p in point.predictors:
            roles.setdefault(p.key, SERIES[len(roles) % len(SERIES)])
    rows = [Lane(predictor(p.key), p.auc, role=roles[p.key]) for p in found.predictors]
    return PredictionView(
        found,
        wording.prediction_takeaway(found),
        dot_lanes(rows, low=0.0, high=1.0, level=0.5),
        _sweep(found, roles) if found.sweep else None,
        tuple((role, predictor(key)) for key, role in roles.items()),
    )


def _sweep(found: Prediction, roles: Mapping[str, str]) -> Markup:
    """AUC against the number of permutations, one curve for each predictor."""
    series = []
    for key, role in roles.items():
        points = tuple(
            from_estimate(
                point.n_permutations,
                p.auc,
                f"{predictor(key)}, K = {point.n_permutations}: {fmt.number(p.auc.value)}",
            )
            for point in found.sweep
            for p in point.predictors
            if p.key == key
        )
        series.append(Curve(role, points, dashed=key == "generation_nll"))
    known = fmt.finite(
        tuple(v for c in series for p in c.points for v in (p.y, p.low, p.high) if v is not None)
    )
    low = min([0.5, *known])
    across = Doubling(tuple(float(p.n_permutations) for p in found.sweep))
    up = Linear(max(0.0, low - 0.05), 1.0)
    return curves(
        series,
        across,
        up,
        height=240,
        css="curves many",
        x_title="permutations K",
        y_title="ROC-AUC",
        level=0.5,
        n_ticks=5,
    )


def _saturation(found: Sequence[Saturation]) -> Markup | None:
    drawn = [n for curve in found for n in curve.drawn]
    if not drawn:
        return None
    top = float(max(drawn))
    most = 1.1 * max(1.0, *(d for curve in found for d in curve.distinct))
    equal = min(top, most)
    series = [
        Curve(
            SERIES[i % len(SERIES)],
            tuple(
                CurvePoint(
                    n, d, title=f"{curve.strategy}: {fmt.number(d, 1)} distinct of {n} drawn"
                )
                for n, d in zip(curve.drawn, curve.distinct, strict=True)
            ),
        )
        for i, curve in enumerate(found)
    ]
    return curves(
        series,
        Linear(0.0, top),
        Linear(0.0, most),
        height=260,
        x_title="linearizations drawn of each graph",
        y_title="distinct, mean per graph",
        diagonal=((0.0, 0.0), (equal, equal)),
    )


def _cards(graphs: Sequence[ScoredGraph], drawer: Drawer) -> list[tuple[ScoredGraph, Markup]]:
    return list(zip(graphs, drawer.draw([g.graph for g in graphs], whole=True), strict=True))


def _drawer(audit: LinearizationAudit) -> Drawer:
    graphs: list[Any] = [g.graph for g in (*audit.scatter, *audit.lowest_lu, *audit.highest_lu)]
    vertices = {label for g in graphs for label in g.vertex_labels}
    edges = {label for g in graphs for _, _, label in g.edges}
    return Drawer(sorted(vertices), sorted(edges))
