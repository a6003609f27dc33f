"""Figures of the linearization audit."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from graphassay.report.figure_style import SERIES, SERIES_MARKERS, cut, new
from graphassay.report.heatmap import MEASURES, highest, measure_name
from graphassay.report.matrix import by_run, is_random, matrix, over_seeds
from graphassay.report.names import TOKEN_KINDS, predictor
from graphassay.report.numbers import defined, deviation, finite
from graphassay.results import AuditResult
from graphassay.results.linearization import Prediction, Reliability

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MATRIX = (*MEASURES, "ece:all", "ece:revisit")


def _matrix(result: AuditResult) -> "Figure | None":
    if result.linearization is None or not result.linearization.matrix:
        return None
    table = matrix(result.linearization)
    drawn = [measure for measure in MATRIX if highest(table, [measure]) > 0]
    if not drawn:
        return None
    rows, columns = len(table.rows), len(table.columns)
    figure, axes = new(2.0 + 0.75 * columns * 2, 2 * (0.9 + 0.45 * rows), len(drawn), rows=2)
    for ax, measure in zip(axes, drawn, strict=True):
        top = highest(table, [measure])
        ax.grid(visible=False)
        for i, row in enumerate(table.rows):
            for j, column in enumerate(table.columns):
                mean = over_seeds(row.cells.get(column, ()), measure)
                value = None if mean is None else defined(mean.value)
                if mean is None or value is None:
                    ax.text(j, i, "–" if mean is None else "undef.", ha="center", va="center")
                    continue
                ax.add_patch(_square(j, i, 0.08 + 0.6 * value / top))
                sd = defined(mean.sd)
                text = deviation(value) + ("" if sd is None else f"\n± {deviation(sd)}")
                ax.text(j, i, text, ha="center", va="center", fontsize=7)
        ax.set_xlim(-0.5, columns - 0.5)
        ax.set_ylim(rows - 0.5, -0.5)
        ax.set_xticks(range(columns), [cut(table.column_names[c], 14) for c in table.columns])
        ax.set_yticks(range(rows), [cut(row.name, 18) for row in table.rows])
        ax.tick_params(labelsize=7, length=0)
        ax.set_title(measure_name(measure), fontsize=9)
    figure.supxlabel("evaluated on", fontsize=8)
    figure.supylabel("trained on", fontsize=8)
    return figure


def _square(x: float, y: float, strength: float) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle((x - 0.5, y - 0.5), 1, 1, color=SERIES[1], alpha=strength, lw=0)


def _reliability(result: AuditResult) -> "Figure | None":
    audit = result.linearization
    if audit is None or not audit.matrix:
        return None
    own = by_run(audit)[0]
    native = next((s for s in own if s.native), None)
    random = next((s for s in own if is_random(s.evaluated_on) and s is not native), None)
    shown = [("native", native), ("random order", random)]
    kinds = [
        kind
        for kind in TOKEN_KINDS
        if any(
            s is not None and kind in s.reliability and finite(s.reliability[kind].accuracy)
            for _, s in shown
        )
    ]
    if not kinds:
        return None
    figure, axes = new(7.2, 3.9 if len(kinds) > 4 else 2.2, len(kinds), 2 if len(kinds) > 4 else 1)
    for ax, kind in zip(axes, kinds, strict=True):
        ax.plot([0, 1], [0, 1], color="#888888", lw=0.8, ls="--")
        for i, (name, scores) in enumerate(shown):
            if scores is not None and kind in scores.reliability:
                _diagram(ax, scores.reliability[kind], name, i)
        ax.set_title(TOKEN_KINDS[kind], fontsize=9)
        ax.set_xlabel("confidence", fontsize=8)
        ax.set_aspect("equal")
    axes[0].set_ylabel("accuracy", fontsize=8)
    axes[0].legend(fontsize=7)
    return figure


def _diagram(ax: "Axes", found: Reliability, name: str, i: int) -> None:
    known = [
        (c, a)
        for c, a in (
            (defined(c), defined(a)) for c, a in zip(found.confidence, found.accuracy, strict=True)
        )
        if c is not None and a is not None
    ]
    ax.plot(
        [c for c, _ in known],
        [a for _, a in known],
        marker=SERIES_MARKERS[i],
        ms=3,
        lw=1.2,
        color=SERIES[i],
        label=name,
    )


def _lu_nll(result: AuditResult) -> "Figure | None":
    shown = result.linearization.scatter if result.linearization is not None else ()
    known = [(g, lu) for g in shown for lu in [defined(g.lu)] if lu is not None]
    if not known:
        return None
    figure, (ax,) = new(4.4, 3.4)
    for good, name, i in ((True, "good", 2), (False, "not good", 0), (None, "not known", 4)):
        chosen = [(g.generation_nll, lu) for g, lu in known if g.good is good]
        if chosen:
            ax.scatter(
                [x for x, _ in chosen],
                [y for _, y in chosen],
                s=9,
                alpha=0.6,
                lw=0,
                color=SERIES[i],
                marker=SERIES_MARKERS[i],
                label=name,
            )
    ax.set_xlabel("generation NLL, nats")
    ax.set_ylabel("linearization uncertainty (LU)")
    ax.legend(fontsize=8)
    return figure


def _auc_k(result: AuditResult) -> "Figure | None":
    audit = result.linearization
    found = [p for p in audit.predictions if isinstance(p, Prediction)] if audit is not None else []
    swept = [
        p
        for p in found
        if any(defined(x.auc.value) is not None for point in p.sweep for x in point.predictors)
    ]
    if not swept:
        return None
    figure, axes = new(4.2 * len(swept), 3.0, len(swept))
    for ax, prediction in zip(axes, swept, strict=True):
        keys = list(dict.fromkeys(p.key for point in prediction.sweep for p in point.predictors))
        for i, key in enumerate(keys):
            _auc_curve(ax, prediction, key, i)
        ax.axhline(0.5, color="#888888", lw=0.8, ls="--")
        ks = [point.n_permutations for point in prediction.sweep]
        ax.set_xscale("log", base=2)
        ax.set_xticks(ks, [str(k) for k in ks])
        ax.minorticks_off()
        ax.set_xlabel("permutations K")
        ax.set_ylabel("ROC-AUC")
        ax.set_title(cut(prediction.target, 40), fontsize=9)
        ax.legend(fontsize=7)
    return figure


def _auc_curve(ax: "Axes", prediction: Prediction, key: str, i: int) -> None:
    known = [
        (point.n_permutations, value, defined(p.auc.low), defined(p.auc.high))
        for point in prediction.sweep
        for p in point.predictors
        for value in [defined(p.auc.value)]
        if p.key == key and value is not None
    ]
    colour, marker = SERIES[i % len(SERIES)], SERIES_MARKERS[i % len(SERIES)]
    ks, values = [k for k, *_ in known], [v for _, v, *_ in known]
    ax.plot(ks, values, marker=marker, ms=4, lw=1.3, color=colour, label=cut(predictor(key), 18))
    ranged = [(k, low, high) for k, _, low, high in known if low is not None and high is not None]
    if ranged:
        xs, lows, highs = zip(*ranged, strict=True)
        ax.fill_between(xs, lows, highs, color=colour, alpha=0.13, lw=0)


def _diversity(result: AuditResult) -> "Figure | None":
    curves = result.linearization.saturation if result.linearization is not None else ()
    drawn = [n for curve in curves for n in curve.drawn]
    if not drawn:
        return None
    figure, (ax,) = new(4.2, 3.0)
    equal = min(max(drawn), 1.1 * max(1.0, *(d for curve in curves for d in curve.distinct)))
    ax.plot([0, equal], [0, equal], color="#888888", lw=0.8, ls="--")
    for i, curve in enumerate(curves):
        ax.plot(
            curve.drawn,
            curve.distinct,
            marker=SERIES_MARKERS[i % len(SERIES)],
            ms=3.5,
            color=SERIES[i % len(SERIES)],
            label=cut(curve.strategy),
        )
    ax.set_xlabel("linearizations drawn of each graph")
    ax.set_ylabel("distinct, mean per graph")
    ax.legend(fontsize=8)
    return figure


FIGURES: tuple[tuple[str, Callable[[AuditResult], "Figure | None"]], ...] = (
    ("matrix", _matrix),
    ("reliability", _reliability),
    ("lu_nll", _lu_nll),
    ("auc_k", _auc_k),
    ("diversity", _diversity),
)
