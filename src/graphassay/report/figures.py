"""Figures for papers and slides: SVG and PDF by matplotlib, the same bytes for the same result."""

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from graphassay import metric_cards as cards
from graphassay.report import figures_linearization, figures_model, page
from graphassay.report.figure_style import COLOURS, MARKERS, STYLE, cut, new
from graphassay.report.numbers import defined, finite
from graphassay.report.plane import PLANES, plane_points
from graphassay.results import AuditResult, Value

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def figures(result: AuditResult) -> Iterator[tuple[str, bytes]]:
    """``(file name, content)`` of every figure, as SVG and as PDF; empty where the audit does not
    have what the figure shows (so that a figure of an earlier report can be removed).
    """
    import matplotlib as mpl

    with mpl.rc_context(STYLE):
        for name, draw in (
            ("plane", _plane),
            ("references", _references),
            ("strata", _strata),
            ("patterns", _patterns),
            *figures_model.FIGURES,
            *figures_linearization.FIGURES,
        ):
            figure = draw(result)
            for kind in ("svg", "pdf"):
                yield f"{name}.{kind}", b"" if figure is None else _save(figure, kind)
                if figure is not None:
                    figure.set_layout_engine("none")  # laid out once is enough for both files


def _save(figure: "Figure", kind: str) -> bytes:
    metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None, "ModDate": None}}[kind]
    buffer = io.BytesIO()
    figure.savefig(buffer, format=kind, metadata=metadata)
    return buffer.getvalue()


def _plane(result: AuditResult) -> "Figure":
    figure, axes = new(7.2, 3.4, len(PLANES))
    for ax, key in zip(axes, PLANES, strict=True):
        for point in plane_points(result, key):
            colour = COLOURS[point.role]
            if point.role == "bootstrap":
                ax.axhspan(point.y_low, point.y_high, color=colour, alpha=0.15, lw=0)
            ax.errorbar(
                [point.x],
                [point.y],
                xerr=[[max(point.x - point.x_low, 0)], [max(point.x_high - point.x, 0)]],
                yerr=[[max(point.y - point.y_low, 0)], [max(point.y_high - point.y, 0)]],
                fmt=MARKERS[point.role],
                color=colour,
                ms=6,
                lw=1.2,
                label=cut(point.name),
            )
        ax.set_xlim(-0.03, 1.03)
        ax.set_xlabel("exact matches (EM)")
        card = cards.METRICS[key]
        ax.set_ylabel(f"{card.symbol} ({card.better} is better)")
        if card.better == "lower":
            ax.invert_yaxis()
    handles, names = max((ax.get_legend_handles_labels() for ax in axes), key=lambda h: len(h[0]))
    if handles:
        figure.legend(handles, names, loc="outside lower center", ncols=len(names), fontsize=8)
    return figure


def _references(result: AuditResult) -> "Figure":
    keys = [key for key in page.HEADLINE if key in result.alignment.metrics]
    figure, axes = new(2.4 * len(keys), 2.4, len(keys))
    for ax, key in zip(axes, keys, strict=True):
        metric = result.alignment.metrics[key]
        roles = ["model", *(r for r in cards.REFERENCES if r in metric.references)]
        for row, role in enumerate(roles):
            if role == "model":
                middle, low, high = metric.model.value, metric.model.low, metric.model.high
            else:
                draws = metric.references[role]
                middle, low, high = draws.median, draws.low, draws.high
                values = finite(draws.values)
                jitter = [((i * 0.618034) % 1 - 0.5) * 0.5 for i in range(len(values))]
                ax.scatter(
                    values, [row + j for j in jitter], s=3, color=COLOURS[role], alpha=0.25, lw=0
                )
            _range(ax, row, role, low, high, middle)
        ax.set_yticks(range(len(roles)))
        names = [cut(result.name, 14) if r == "model" else cards.REFERENCES[r].short for r in roles]
        ax.set_yticklabels(names if ax is axes[0] else [""] * len(roles))
        ax.set_ylim(len(roles) - 0.4, -0.6)
        ax.set_title(
            f"{cards.METRICS[key].symbol} ({cards.METRICS[key].better} is better)", fontsize=9
        )
    return figure


def _range(ax: "Axes", row: int, role: str, low: Value, high: Value, middle: Value) -> None:
    left, right, centre = defined(low), defined(high), defined(middle)
    if left is not None and right is not None:
        ax.plot([left, right], [row, row], color=COLOURS[role], lw=1.6)
    if centre is not None:
        ax.plot([centre], [row], MARKERS[role], color=COLOURS[role], ms=5)


def _strata(result: AuditResult) -> "Figure | None":
    if not result.strata:
        return None
    keys = page.STRATUM_METRICS
    figure, axes = new(2.3 * len(keys), 2.3, len(keys))
    references = result.strata[0].references
    roles = ["model", *(r for r in cards.REFERENCES if r in references)]
    width = 0.84 / len(roles)
    for ax, key in zip(axes, keys, strict=True):
        for i, role in enumerate(roles):
            for g, stratum in enumerate(result.strata):
                scores = stratum.model if role == "model" else stratum.references.get(role)
                value = None if scores is None else defined(getattr(scores, key))
                if value is not None:
                    ax.bar(g - 0.42 + (i + 0.5) * width, value, 0.9 * width, color=COLOURS[role])
        ax.set_xticks(range(len(result.strata)))
        ax.set_xticklabels([s.name for s in result.strata])
        ax.set_title(cards.METRICS[key].symbol, fontsize=9)
    handles = [_patch(role) for role in roles]
    names = [cut(result.name) if r == "model" else cards.REFERENCES[r].name for r in roles]
    figure.legend(handles, names, loc="outside lower center", ncols=len(roles), fontsize=8)
    return figure


def _patch(role: str) -> Any:
    from matplotlib.patches import Patch

    return Patch(color=COLOURS[role])


def _patterns(result: AuditResult) -> "Figure | None":
    from matplotlib.ticker import NullLocator

    shown = result.galleries.scatter
    positive = [v for p in shown for v in (p.train, p.generated) if v > 0]
    if not positive:
        return None
    floor = min(positive) / 2  # zeros stand on the lower edge, and the axis says so
    figure, (ax,) = new(4.2, 4.0)
    ax.plot([floor, 1], [floor, 1], color="#888888", lw=0.8)
    train_threshold, generated_threshold = page.thresholds(result)
    ax.axvline(train_threshold, color="#888888", lw=0.8, ls="--")
    ax.axhline(generated_threshold, color="#888888", lw=0.8, ls="--")
    ax.scatter(
        [max(p.train, floor) for p in shown],
        [max(p.generated, floor) for p in shown],
        s=8,
        color=COLOURS["model"],
        alpha=0.5,
        lw=0,
    )
    ax.set_xscale("log")
    ax.set_yscale("log")
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(lambda share, _: f"{100 * share:g} %")
        axis.set_minor_locator(NullLocator())
    ax.set_xlabel("support in train (lower edge: 0)")
    ax.set_ylabel("support in the generated set (lower edge: 0)")
    return figure
