"""Figures of the model's diagnostics and of the quality of its samples."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from graphassay.report import histograms
from graphassay.report.figure_style import COLOURS, SERIES, cut, new
from graphassay.report.model_section import (
    COPYING,
    NLL_NAME,
    SWEEP,
    TRAJECTORY,
    trajectory_points,
)
from graphassay.report.model_wording import decoding_estimate
from graphassay.report.names import card
from graphassay.report.numbers import defined, finite
from graphassay.report.quality_section import axis_title
from graphassay.results import AuditResult
from graphassay.results.model import HitMiss

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def _hit_miss(result: AuditResult) -> "Figure | None":
    found = result.model.hit_miss if result.model is not None else None
    if not isinstance(found, HitMiss) or not (found.hit_nll or found.miss_nll):
        return None
    edges = histograms.binned([v for v in (found.hit_nll, found.miss_nll) if v])
    figure, (ax,) = new(4.2, 2.6)
    groups = (("hits", found.hit_nll, SERIES[0]), ("misses", found.miss_nll, SERIES[1]))
    for name, values, colour in groups:
        if values:
            _steps(ax, edges, histograms.shares(values, edges), colour, name)
    ax.set_xlabel("NLL, nats per token")
    ax.set_ylabel("share of the group")
    ax.legend(fontsize=8)
    return figure


def _steps(
    ax: "Axes", edges: Sequence[float], shares: Sequence[float], colour: str, name: str
) -> None:
    ax.stairs(list(shares), list(edges), color=colour, lw=1.4, label=name)
    ax.stairs(list(shares), list(edges), color=colour, alpha=0.15, fill=True)


def _trajectory(result: AuditResult) -> "Figure | None":
    steps = result.model.trajectory if result.model is not None else ()
    drawn = {key: trajectory_points(steps, key) for key in TRAJECTORY}
    drawn = {key: points for key, points in drawn.items() if finite(tuple(p.y for p in points))}
    if not drawn:
        return None
    figure, axes = new(7.2, 3.9, len(drawn), rows=2 if len(drawn) > 3 else 1)
    for ax, (key, points) in zip(axes, drawn.items(), strict=True):
        known = [(p.x, y, p) for p in points for y in [defined(p.y)] if y is not None]
        ax.plot([x for x, _, _ in known], [y for _, y, _ in known], "D-", ms=3.5, color=SERIES[0])
        ranged = [
            (x, low, high)
            for x, _, p in known
            for low, high in [(defined(p.low), defined(p.high))]
            if low is not None and high is not None
        ]
        if ranged:
            xs, lows, highs = zip(*ranged, strict=True)
            ax.fill_between(xs, lows, highs, color=SERIES[0], alpha=0.18, lw=0)
        ax.set_title(NLL_NAME if key == "valid_nats_per_token" else card(key).name, fontsize=9)
        if key in COPYING:
            ax.yaxis.set_major_formatter(lambda share, _: f"{100 * share:g} %")
        ax.set_xlabel("training step")
    return figure


def _decoding(result: AuditResult) -> "Figure | None":
    sweep = result.model.sweep if result.model is not None else ()
    keys = [
        key
        for key in SWEEP
        if any(
            e is not None and defined(e.value) is not None
            for e in (decoding_estimate(d, key) for d in sweep)
        )
    ]
    if not keys:
        return None
    figure, axes = new(2.4 * len(keys), 0.4 * len(sweep) + 1.0, len(keys))
    for ax, key in zip(axes, keys, strict=True):
        for row, decoding in enumerate(sweep):
            estimate = decoding_estimate(decoding, key)
            if estimate is None:
                continue
            if key in decoding.spread:
                values = finite(decoding.spread[key].values)
                ax.scatter(values, [row + 0.25] * len(values), s=4, color=SERIES[0], alpha=0.6)
            low, high, middle = (defined(v) for v in (estimate.low, estimate.high, estimate.value))
            if low is not None and high is not None:
                ax.plot([low, high], [row, row], color=SERIES[0], lw=1.4)
            if middle is not None:
                ax.plot([middle], [row], "D", ms=4.5, color=SERIES[0])
        ax.set_yticks(range(len(sweep)))
        ax.set_yticklabels([cut(d.name, 18) for d in sweep] if ax is axes[0] else [""] * len(sweep))
        ax.set_ylim(len(sweep) - 0.4, -0.6)
        ax.set_title(card(key).name, fontsize=9)
        if key in COPYING:
            ax.xaxis.set_major_formatter(lambda share, _: f"{100 * share:g} %")
    return figure


def _variance(result: AuditResult) -> "Figure | None":
    shares = (result.model.variance if result.model is not None else None) or {}
    known = {k: v for k, s in shares.items() for v in [defined(s.eta_squared)] if v is not None}
    if not known:
        return None
    figure, (ax,) = new(4.2, 0.35 * len(known) + 1.0)
    names = [cut(card(key).symbol, 18) for key in known]
    values = list(known.values())
    ax.barh(names, values, color=SERIES[0], label="between checkpoints")
    ax.barh(names, [1 - v for v in values], left=values, color=SERIES[1], label="between decodings")
    ax.invert_yaxis()
    ax.set_xlabel("share of the variance")
    figure.legend(loc="outside upper center", ncols=2, fontsize=8)
    return figure


def _properties(result: AuditResult) -> "Figure | None":
    shown = result.quality.properties if result.quality is not None else ()
    if not shown:
        return None
    figure, axes = new(
        2.6 * min(len(shown), 4), 2.4 * -(-len(shown) // 4), len(shown), -(-len(shown) // 4)
    )
    for ax, prop in zip(axes, shown, strict=True):
        _steps(ax, prop.edges, prop.reference, COLOURS["holdout"], prop.reference_split or "real")
        _steps(ax, prop.edges, prop.generated, COLOURS["model"], "generated")
        ax.set_xlabel(cut(axis_title(prop)))
    axes[0].set_ylabel("share in each bin")
    axes[0].legend(fontsize=8)
    return figure


FIGURES: tuple[tuple[str, Callable[[AuditResult], "Figure | None"]], ...] = (
    ("hit_miss", _hit_miss),
    ("trajectory", _trajectory),
    ("decoding", _decoding),
    ("variance", _variance),
    ("properties", _properties),
)
