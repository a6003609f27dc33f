"""Charts that hold the model against its references: strips per metric, bars per stratum."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from markupsafe import Markup

from graphassay.metric_cards import REFERENCES
from graphassay.report.numbers import defined, finite, number
from graphassay.report.scales import Axis, Linear, covering
from graphassay.report.svg import MODEL, dot, line, line_px, mark, marker, plot, rect, text_at
from graphassay.results import Distribution, Estimate, Value

MAX_DRAWS = 300


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
        body += line("grid", axis.at(value), 0, axis.at(value), 100)
    band = references.get("bootstrap")
    if band is not None:
        left, right = defined(band.low), defined(band.high)
        if left is not None and right is not None:
            width = max(axis.at(right) - axis.at(left), 0.4)
            body += rect("band", axis.at(left), 0, width, 100)
    y = top + lane / 2
    lanes = lane_name(names.get(MODEL, "Model"), y, MODEL)
    body += estimate_lane(model, runs, axis, y)
    for role, draws in references.items():
        y += lane
        lanes += lane_name(names[role], y, role)
        body += _reference_lane(role, draws, axis, y)
    return plot(body, height, "strip", left=lanes, ticks=ticks_below(axis))


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
        body += line("grid", axis.at(value), 0, axis.at(value), 100)
    names = Markup()
    y = top - lane / 2
    for name, model, boot in lanes:
        y += lane
        names += lane_name(name, y, MODEL)
        if boot is not None:
            body += _reference_lane(
                "bootstrap", replace(boot, values=()), axis, y + 8, written=False
            )
        body += estimate_lane(model, (), axis, y - 4)
    return plot(body, top + lane * len(lanes) + 4, "strip", left=names, ticks=ticks_below(axis))


def estimate_lane(
    model: Estimate | None,
    runs: Sequence[Value],
    axis: Axis,
    y: float,
    *,
    role: str = MODEL,
    write: Callable[[Value], str] = number,
) -> Markup:
    """A value with its interval and the runs behind it, in a lane at ``y`` pixels."""
    value = defined(model.value) if model else None
    if model is None or value is None:
        return text_at("none", "1%", f"{y + 4}", "undefined", "start")
    body = Markup()
    low, high = defined(model.low), defined(model.high)
    if low is not None and high is not None:
        body += line_px(f"whisker r-{role}", axis.at(low), y, axis.at(high), y)
        for end in (low, high):
            body += line_px(f"whisker r-{role}", axis.at(end), y - 5, axis.at(end), y + 5)
    for run in finite(tuple(runs)) if len(runs) > 1 else []:
        body += dot(f"draw r-{role}", axis.at(run), y + 9)
    ends = finite((value, model.low, model.high))
    body += beside(axis, min(ends), max(ends), y, write(value))
    return body + mark(role, axis.at(value), f"{y}", "model")


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
        body += dot(f"draw r-{role}", axis.at(value), y + jitter)
    if low is not None and high is not None:
        body += line_px(f"range r-{role}", axis.at(low), y, axis.at(high), y)
    if median is None:
        return body + text_at("none", "1%", f"{y + 4}", "undefined", "start")
    ends = [*values, *finite((draws.low, draws.median, draws.high))]
    if written:
        body += beside(axis, min(ends), max(ends), y, number(median))
    return body + mark(role, axis.at(median), f"{y}", f"median of {role}")


def beside(axis: Axis, left: float, right: float, y: float, text: str) -> Markup:
    """A value written beside its lane, on the side with more room."""
    if 100 - axis.at(right) >= axis.at(left):
        return text_at("lv", f"{axis.at(right):.2f}%", f"{y + 4}", text, "start", "0", "11")
    return text_at("lv", f"{axis.at(left):.2f}%", f"{y + 4}", text, "end", "0", "-11")


def lane_name(name: str, y: float, role: str) -> Markup:
    """The name of a lane at the left of its chart, with the mark of its role."""
    return Markup('<span class="lane" style="top:{0:.0f}px">{1} {2}</span>').format(
        y - 10, marker(role), name
    )


def ticks_below(axis: Axis) -> Markup:
    """The ticks of an axis under its chart."""
    ticks = Markup().join(
        Markup('<span style="left:{0:.2f}%">{1}</span>').format(axis.at(v), t)
        for v, t in axis.ticks()
    )
    return Markup('<div class="ticks" aria-hidden="true">{0}</div>').format(ticks)


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
        body += line("grid", 0, y, 100, y) + text_at("tick", "-6", f"{y:.2f}%", text, "end", "4")
    group_width = 100 / len(groups)
    bar = 0.84 * group_width / len(series)
    for g, group in enumerate(groups):
        left = g * group_width + 0.08 * group_width
        body += text_at("tick", f"{(g + 0.5) * group_width:.2f}%", "100%", group, "middle", "16")
        for s, (role, values) in enumerate(series.items()):
            height_of = defined(values[g])
            x = left + s * bar
            if height_of is None:
                body += text_at(
                    f"val r-{role}", f"{x + bar / 2:.2f}%", f"{zero:.2f}%", "undef.", "middle", "-4"
                )
                continue
            y = 100 - axis.at(height_of)
            body += rect(
                f"bar r-{role}", x + 0.06 * bar, min(y, zero), 0.88 * bar, max(abs(zero - y), 0.6)
            )
            dy = "-4" if height_of >= 0 else "12"
            body += text_at(
                f"val r-{role}", f"{x + bar / 2:.2f}%", f"{y:.2f}%", _two(height_of), "middle", dy
            )
    body += line("axis", 0, zero, 100, zero)
    return plot(body, height, "bars")


def _two(value: float) -> str:
    return f"{value + 0.0:.2f}".replace("-", "\N{MINUS SIGN}")
