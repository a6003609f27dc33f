"""Charts as inline SVG: the memorization-alignment plane, strips, bars and the pattern scatter.

Everything is placed in per cent, so a chart fills a phone or a page and its text keeps its size;
shapes as well as colours tell the model and the references apart. All text is escaped (markupsafe).
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from graphassay.report.cards import REFERENCES
from graphassay.report.numbers import defined, finite, number
from graphassay.report.scales import Linear, LogWithZero, covering
from graphassay.results import Distribution, Estimate, Value

MODEL = "model"
MAX_DRAWS = 300
"""Draws of a reference shown as dots, evenly chosen from the sorted ones."""

_SHAPES = {
    MODEL: "M0-7.5 7.5 0 0 7.5-7.5 0z",
    "numbered": "M0-11 11 0 0 11-11 0z",
    "bootstrap": "M-5.5-5.5h11v11h-11z",
    "holdout": "M-6 0a6 6 0 1 0 12 0a6 6 0 1 0-12 0z",
    "rewired": "M0-6.5 6.5 5h-13z",
}


@dataclass(frozen=True)
class PlanePoint:
    """A point of the plane, with its intervals; ``role`` is ``model`` or a reference."""

    role: str
    name: str
    x: float
    x_low: float
    x_high: float
    y: float
    y_low: float
    y_high: float
    number: int = 0
    """On a page of several models: which one."""


def marker(role: str) -> Markup:
    """The mark of a role alone, for legends and tables."""
    return Markup(
        '<svg class="mk r-{r}" viewBox="-9 -9 18 18" width="14" height="14" aria-hidden="true">'
        '<path d="{d}"/></svg>'
    ).format(r=role, d=_SHAPES[role])


def plane(points: Sequence[PlanePoint], *, y_label: str, height: int = 400) -> Markup:
    """Exact matches across, alignment up; the photocopier's band runs across the plane."""
    across = Linear(-0.03, 1.03)
    up = Linear(_floor(min([1.0, *(p.y_low for p in points)])), 1.03)
    body = _grid(across, up)
    for point in points:
        if point.role == "bootstrap":
            top, bottom = 100 - up.at(point.y_high), 100 - up.at(point.y_low)
            body += _rect("band", 0, top, 100, max(bottom - top, 0.4))
    for left, down, anchor, text in (
        (1.5, 24, "start", "new graphs, patterns kept"),
        (98.5, 24, "end", "copies, patterns kept"),
        (1.5, 97, "start", "new graphs, patterns lost"),
        (98.5, 97, "end", "copies, patterns lost"),
    ):
        body += _text("corner", f"{left}%", f"{down}%", text, anchor)
    for point in points:
        x, y = across.at(point.x), 100 - up.at(point.y)
        css = f"whisker r-{point.role}"
        body += _line(css, across.at(point.x_low), y, across.at(point.x_high), y)
        body += _line(css, x, 100 - up.at(point.y_low), x, 100 - up.at(point.y_high))
    body += _plane_labels(points, across, up, height)
    for point in points:
        place = f"{100 - up.at(point.y):.2f}%"
        body += _mark(point.role, across.at(point.x), place, point.name, point.number)
    return _plot(body, height, "plane", x_title="exact matches (EM)", y_title=y_label)


def _plane_labels(points: Sequence[PlanePoint], across: Linear, up: Linear, height: int) -> Markup:
    """Names beside the points, pushed apart where they would meet."""
    body = Markup()
    taken: dict[str, list[float]] = {"start": [], "end": []}
    for point in sorted(points, key=lambda p: (p.role != MODEL, -p.y)):
        name = f"{point.number} {point.name}" if point.number else point.name
        x, y = across.at(point.x), (1 - up.at(point.y) / 100) * height
        anchor = "end" if x > 50 else "start"
        place: float = y
        for shift in (0, -17, 17, -34, 34, -51, 51):
            place = y + shift
            if 10 < place < height - 8 and all(abs(place - t) >= 17 for t in taken[anchor]):
                break
        taken[anchor].append(place)
        dx = -14 if anchor == "end" else 14
        body += Markup(
            '<svg x="{x:.2f}%" y="{y:.1f}" overflow="visible">{lead}'
            '<text class="name r-{r}" x="{dx}" y="4" text-anchor="{a}">{t}</text></svg>'
        ).format(
            x=x,
            y=place,
            r=point.role,
            dx=dx,
            a=anchor,
            t=name if len(name) <= 30 else name[:29] + "…",
            lead=Markup('<path class="lead" d="M0 {0:.1f}L{1} 0"/>').format(y - place, dx * 0.8)
            if place != y
            else "",
        )
    return body


def strip(
    model: Estimate | None,
    references: Mapping[str, Distribution],
    *,
    low: float,
    high: float,
    runs: Sequence[Value] = (),
    control: Mapping[str, str] | None = None,
) -> Markup:
    """One metric: the model with its interval above the draws of each reference.

    ``control`` renames the lanes (role -> name); the band of ``bootstrap`` crosses all lanes.
    """
    names = control or {role: REFERENCES[role].short for role in references}
    axis = covering(
        [
            *(v for d in references.values() for v in finite((*d.values, d.low, d.high))),
            *(finite((model.value, model.low, model.high)) if model else []),
            *finite(tuple(runs)),
        ],
        least=low,
        most=high,
        minimum=0.04 * (high - low),
    )
    lane, top = 30, 8
    height = top + lane * (1 + len(references)) + 4
    body = Markup()
    for value, _ in axis.ticks():
        body += _line("grid", axis.at(value), 0, axis.at(value), 100)
    band = references.get("bootstrap")
    if band is not None:
        left, right = defined(band.low), defined(band.high)
        if left is not None and right is not None:
            width = max(axis.at(right) - axis.at(left), 0.4)
            body += _rect("band", axis.at(left), 0, width, 100)
    y = top + lane / 2
    lanes = _lane_name(names.get(MODEL, "Model"), y, MODEL)
    body += _model_lane(model, runs, axis, y)
    for role, draws in references.items():
        y += lane
        lanes += _lane_name(names[role], y, role)
        body += _reference_lane(role, draws, axis, y)
    return _plot(body, height, "strip", left=lanes, ticks=_ticks_below(axis))


def models_strip(
    lanes: Sequence[tuple[str, Estimate, Distribution | None]], *, low: float, high: float
) -> Markup:
    """One metric of several models: each with its interval over its own photocopier's range."""
    axis = covering(
        [
            v
            for _, model, boot in lanes
            for v in finite((model.value, model.low, model.high))
            + (finite((boot.low, boot.median, boot.high)) if boot else [])
        ],
        least=low,
        most=high,
        minimum=0.04 * (high - low),
    )
    lane, top = 34, 6
    body = Markup()
    for value, _ in axis.ticks():
        body += _line("grid", axis.at(value), 0, axis.at(value), 100)
    names = Markup()
    y = top - lane / 2
    for name, model, boot in lanes:
        y += lane
        names += _lane_name(name, y, MODEL)
        if boot is not None:
            body += _reference_lane(
                "bootstrap", replace(boot, values=()), axis, y + 8, written=False
            )
        body += _model_lane(model, (), axis, y - 4)
    return _plot(body, top + lane * len(lanes) + 4, "strip", left=names, ticks=_ticks_below(axis))


def _model_lane(model: Estimate | None, runs: Sequence[Value], axis: Linear, y: float) -> Markup:
    value = defined(model.value) if model else None
    if model is None or value is None:
        return _text("none", "1%", f"{y + 4}", "undefined", "start")
    body = Markup()
    low, high = defined(model.low), defined(model.high)
    if low is not None and high is not None:
        body += _line_px("whisker r-model", axis.at(low), y, axis.at(high), y)
        for end in (low, high):
            body += _line_px("whisker r-model", axis.at(end), y - 5, axis.at(end), y + 5)
    for run in finite(tuple(runs)) if len(runs) > 1 else []:
        body += _dot("draw r-model", axis.at(run), y + 9)
    ends = finite((value, model.low, model.high))
    body += _beside(axis, min(ends), max(ends), y, number(value))
    return body + _mark(MODEL, axis.at(value), f"{y}", "model")


def _reference_lane(
    role: str, draws: Distribution, axis: Linear, y: float, *, written: bool = True
) -> Markup:
    body = Markup()
    low, high, median = defined(draws.low), defined(draws.high), defined(draws.median)
    values = sorted(finite(draws.values))
    if len(values) > MAX_DRAWS:
        values = [values[i * (len(values) - 1) // (MAX_DRAWS - 1)] for i in range(MAX_DRAWS)]
    for i, value in enumerate(values):
        jitter = ((i * 0.618034) % 1 - 0.5) * 16  # golden ratio: even and deterministic
        body += _dot(f"draw r-{role}", axis.at(value), y + jitter)
    if low is not None and high is not None:
        body += _line_px(f"range r-{role}", axis.at(low), y, axis.at(high), y)
    if median is None:
        return body + _text("none", "1%", f"{y + 4}", "undefined", "start")
    ends = [*values, *finite((draws.low, draws.median, draws.high))]
    if written:
        body += _beside(axis, min(ends), max(ends), y, number(median))
    return body + _mark(role, axis.at(median), f"{y}", f"median of {role}")


def bars(
    groups: Sequence[str],
    series: Mapping[str, Sequence[Value]],
    *,
    low: float,
    high: float,
    height: int = 190,
) -> Markup:
    """Grouped bars: one group per stratum, one bar per role; values are written on the bars."""
    known = [v for values in series.values() for v in finite(tuple(values))]
    top = min(1.1 * high, max([*known, 0.05]) * 1.18)  # room for the values on the bars
    bottom = max(1.1 * low, min([*known, 0.0]) * 1.18)
    axis = Linear(bottom, top)
    zero = 100 - axis.at(0.0)
    body = Markup()
    for value, text in axis.ticks(4):
        if value > high:
            continue
        y = 100 - axis.at(value)
        body += _line("grid", 0, y, 100, y) + _text("tick", "-6", f"{y:.2f}%", text, "end", "4")
    group_width = 100 / len(groups)
    bar = 0.84 * group_width / len(series)
    for g, group in enumerate(groups):
        left = g * group_width + 0.08 * group_width
        body += _text("tick", f"{(g + 0.5) * group_width:.2f}%", "100%", group, "middle", "16")
        for s, (role, values) in enumerate(series.items()):
            height_of = defined(values[g])
            x = left + s * bar
            if height_of is None:
                body += _text(
                    f"val r-{role}", f"{x + bar / 2:.2f}%", f"{zero:.2f}%", "undef.", "middle", "-4"
                )
                continue
            y = 100 - axis.at(height_of)
            body += _rect(
                f"bar r-{role}", x + 0.06 * bar, min(y, zero), 0.88 * bar, max(abs(zero - y), 0.6)
            )
            dy = "-4" if height_of >= 0 else "12"
            body += _text(
                f"val r-{role}", f"{x + bar / 2:.2f}%", f"{y:.2f}%", _two(height_of), "middle", dy
            )
    body += _line("axis", 0, zero, 100, zero)
    return _plot(body, height, "bars")


@dataclass(frozen=True)
class ScatterPoint:
    """A pattern in the scatter: shares of graphs, and ``shared``, ``missing`` or ``invented``."""

    train: float
    generated: float
    low: float
    high: float
    kind: str


def scatter(
    points: Sequence[ScatterPoint], *, train_threshold: float, generated_threshold: float
) -> tuple[Markup, list[tuple[float, float]]]:
    """Support in train across, support in the generated set up, both logarithmic.

    Returns the chart and each point's place (per cent from left and top), for the script.
    """
    positive = [v for p in points for v in (p.train, p.generated) if v > 0]
    axis = LogWithZero(min([0.5, *positive]) * 0.8)
    body = Markup()
    for value, text in axis.ticks():
        at = axis.at(value)
        css = "grid zero" if value == 0 else "grid"
        body += _line(css, at, 0, at, 100) + _line(css, 0, 100 - at, 100, 100 - at)
        body += _text("tick", f"{at:.2f}%", "100%", text, "middle", "16")
        body += _text("tick", "-6", f"{100 - at:.2f}%", text, "end", "4")
    body += _envelope(points, axis)
    body += _line("diagonal", axis.gutter, 100 - axis.gutter, 100, 0)
    across, up = axis.at(train_threshold), 100 - axis.at(generated_threshold)
    body += _line("threshold", across, 0, across, 100) + _line("threshold", 0, up, 100, up)
    places = [(axis.at(p.train), 100 - axis.at(p.generated)) for p in points]
    dots = [
        Markup('<circle class="{k}" cx="{x:.2f}%" cy="{y:.2f}%" r="3.5"/>').format(
            k=p.kind, x=x, y=y
        )
        for p, (x, y) in zip(points, places, strict=True)
    ]
    body += Markup('<g id="dots">{0}</g><circle id="ring" r="8" cx="-99" cy="-99"/>').format(
        Markup().join(dots)
    )
    chart = _plot(
        body, 420, "scatter", x_title="support in train", y_title="support in the generated set"
    )
    return chart, places


def _envelope(points: Sequence[ScatterPoint], axis: LogWithZero) -> Markup:
    """The range of supports over resamples of train: medians in bins of train support."""
    bins: dict[int, list[ScatterPoint]] = {}
    for point in points:
        if point.train > 0:
            bins.setdefault(int(axis.at(point.train) // 4), []).append(point)
    corners: list[tuple[float, float, float]] = []
    for _, members in sorted(bins.items()):
        x = sum(axis.at(p.train) for p in members) / len(members)
        low = sorted(axis.at(p.low) for p in members)[len(members) // 2]
        high = sorted(axis.at(p.high) for p in members)[len(members) // 2]
        corners.append((x, 100 - low, 100 - high))
    if len(corners) < 2:
        return Markup()
    upper = [f"{x:.2f} {high:.2f}" for x, _, high in corners]
    lower = [f"{x:.2f} {low:.2f}" for x, low, _ in reversed(corners)]
    return Markup(
        '<svg viewBox="0 0 100 100" preserveAspectRatio="none" width="100%" height="100%">'
        '<path class="band" d="M{0}Z"/></svg>'
    ).format("L".join(upper + lower))


def _plot(
    body: Markup,
    height: int,
    css: str,
    *,
    left: str = "",
    ticks: str = "",
    x_title: str = "",
    y_title: str = "",
) -> Markup:
    """The frame: an HTML box whose margins hold the axis text of an SVG that fills the rest."""
    return Markup(
        '<div class="plot p-{c}">{yt}{left}<svg width="100%" height="{h}" overflow="visible" '
        'aria-hidden="true">{body}</svg>{ticks}{xt}</div>'
    ).format(
        c=css,
        left=left,
        h=height,
        body=body,
        ticks=ticks,
        xt=Markup('<div class="xt">{0} →</div>').format(x_title) if x_title else "",
        yt=Markup('<div class="yt">↑ {0}</div>').format(y_title) if y_title else "",
    )


def _grid(across: Linear, up: Linear) -> Markup:
    body = Markup()
    for value in (0.0, 0.25, 0.5, 0.75, 1.0):
        x = across.at(value)
        body += _line("grid", x, 0, x, 100)
        body += _text("tick", f"{x:.2f}%", "100%", f"{100 * value:.0f} %", "middle", "16")
    for value, text in up.ticks():
        y = 100 - up.at(value)
        body += _line("grid", 0, y, 100, y) + _text("tick", "-6", f"{y:.2f}%", text, "end", "4")
    return body


def _ticks_below(axis: Linear) -> Markup:
    ticks = Markup().join(
        Markup('<span style="left:{0:.2f}%">{1}</span>').format(axis.at(v), t)
        for v, t in axis.ticks()
    )
    return Markup('<div class="ticks" aria-hidden="true">{0}</div>').format(ticks)


def _beside(axis: Linear, left: float, right: float, y: float, text: str) -> Markup:
    """A value written beside its lane, on the side with more room."""
    if 100 - axis.at(right) >= axis.at(left):
        return _text("lv", f"{axis.at(right):.2f}%", f"{y + 4}", text, "start", "0", "11")
    return _text("lv", f"{axis.at(left):.2f}%", f"{y + 4}", text, "end", "0", "-11")


def _lane_name(name: str, y: float, role: str) -> Markup:
    return Markup('<span class="lane" style="top:{0:.0f}px">{1} {2}</span>').format(
        y - 10, marker(role), name
    )


def _line(css: str, x1: float, y1: float, x2: float, y2: float) -> Markup:
    return Markup(
        '<line class="{c}" x1="{0:.2f}%" y1="{1:.2f}%" x2="{2:.2f}%" y2="{3:.2f}%"/>'
    ).format(x1, y1, x2, y2, c=css)


def _line_px(css: str, x1: float, y1: float, x2: float, y2: float) -> Markup:
    return Markup(
        '<line class="{c}" x1="{0:.2f}%" y1="{1:.1f}" x2="{2:.2f}%" y2="{3:.1f}"/>'
    ).format(x1, y1, x2, y2, c=css)


def _rect(css: str, x: float, y: float, width: float, height: float) -> Markup:
    return Markup(
        '<rect class="{c}" x="{0:.2f}%" y="{1:.2f}%" width="{2:.2f}%" height="{3:.2f}%"/>'
    ).format(x, y, width, height, c=css)


def _dot(css: str, x: float, y: float) -> Markup:
    return Markup('<circle class="{c}" cx="{0:.2f}%" cy="{1:.1f}" r="2"/>').format(x, y, c=css)


def _mark(role: str, x: float, y: str, title: str, number: int = 0) -> Markup:
    return Markup(
        '<svg class="mark r-{r}" x="{x:.2f}%" y="{y}" overflow="visible"><path d="{d}">'
        "<title>{t}</title></path>{n}</svg>"
    ).format(
        r=role,
        x=x,
        y=y,
        d=_SHAPES["numbered" if number else role],
        t=title,
        n=Markup('<text class="no" y="4" text-anchor="middle">{0}</text>').format(number)
        if number
        else "",
    )


def _text(css: str, x: str, y: str, text: str, anchor: str, dy: str = "0", dx: str = "0") -> Markup:
    return Markup(
        '<text class="{c}" x="{x}" y="{y}" dx="{dx}" dy="{dy}" text-anchor="{a}">{t}</text>'
    ).format(c=css, x=x, y=y, dx=dx, dy=dy, a=anchor, t=text)


def _two(value: float) -> str:
    return f"{value + 0.0:.2f}".replace("-", "\N{MINUS SIGN}")


def _floor(lowest: float) -> float:
    """Lower end of the plane: a fifth below the lowest point, at most 0.8."""
    return max(-1.0, min(0.8, math.floor(5 * (lowest - 0.06)) / 5))


def legend(roles: Iterable[str], name: str) -> Markup:
    """Marks and names of the roles present."""
    items = [(role, name if role == MODEL else REFERENCES[role].name) for role in roles]
    return Markup('<ul class="legend">{0}</ul>').format(
        Markup().join(Markup("<li>{0} {1}</li>").format(marker(role), text) for role, text in items)
    )
