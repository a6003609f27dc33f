"""Charts of lanes: one lane for a configuration, a seed or a predictor, on one shared axis."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from graphassay.report.numbers import defined, finite, number, percent
from graphassay.report.scales import Linear, Shares, covering
from graphassay.report.strips import estimate_lane, lane_name, ticks_below
from graphassay.report.svg import MODEL, line, plot, rect, text_at
from graphassay.results import Estimate, Value

LANE = 30


@dataclass(frozen=True)
class Lane:
    """A mean with its interval, and the single values behind it (one for each seed)."""

    name: str
    mean: Estimate
    values: tuple[Value, ...] = ()
    role: str = MODEL


def dot_lanes(
    lanes: Sequence[Lane],
    *,
    low: float,
    high: float,
    share: bool = False,
    level: float | None = None,
) -> Markup:
    """Dots for the single values, a mark and a whisker for their mean; ``level`` is a line for a
    value that means nothing (an AUC of 0.5).
    """
    known = [
        v
        for lane in lanes
        for v in finite((lane.mean.value, lane.mean.low, lane.mean.high, *lane.values))
    ]
    if level is not None:
        known.append(level)
    if known:  # room for the number beside the widest interval
        room = 0.2 * (max(known) - min(known))
        known += [max(low, min(known) - room), min(high, max(known) + room)]
    axis = axis_over(known, low=low, high=high, share=share)
    body = Markup()
    for value, _ in axis.ticks():
        body += line("grid", axis.at(value), 0, axis.at(value), 100)
    if level is not None:
        body += line("level", axis.at(level), 0, axis.at(level), 100)
    names = Markup()
    y = 6 - LANE / 2
    for lane in lanes:
        y += LANE
        names += lane_name(lane.name, y, lane.role)
        body += estimate_lane(
            lane.mean, lane.values, axis, y, role=lane.role, write=percent if share else number
        )
    return plot(body, 10 + LANE * len(lanes), "strip", left=names, ticks=ticks_below(axis))


def split_lanes(lanes: Sequence[tuple[str, Value]], *, roles: tuple[str, str]) -> Markup:
    """Bars from 0 to 1 that two roles share: the first part of each is the value given."""
    axis = Shares(0.0, 1.0)
    body = names = Markup()
    height = 10 + LANE * len(lanes)
    for i, (name, value) in enumerate(lanes):
        y = 6 + LANE * (i + 0.5)
        names += Markup('<span class="lane" style="top:{0:.0f}px">{1}</span>').format(y - 10, name)
        first = defined(value)
        if first is None:
            body += text_at("none", "1%", f"{y + 4}", "undefined", "start")
            continue
        top, thick = 100 * (y - 9) / height, 100 * 18 / height
        left = axis.at(first)
        body += rect(f"bar r-{roles[0]}", 0, top, left, thick)
        body += rect(f"bar r-{roles[1]}", left, top, 100 - left, thick)
        body += text_at("inside", "1%", f"{y + 4}", percent(first), "start")
        body += text_at("inside", "99%", f"{y + 4}", percent(1 - first), "end")
    return plot(body, height, "strip split", left=names, ticks=ticks_below(axis))


def axis_over(values: Sequence[float], *, low: float, high: float, share: bool = False) -> Linear:
    """An axis over what is shown, inside the possible range, which may have no end."""
    start = max(low, 0.0) if math.isfinite(low) else 0.0
    known = list(values) or [start, min(high, start + 1)]
    spread = max(known) - min(known)
    whole = high - low if math.isfinite(high - low) else max(spread, abs(known[0]), 1e-3)
    minimum = 0.04 * whole
    slack = max(minimum, 0.2 * spread)
    axis = covering(
        known,
        least=max(low, min(known) - slack),
        most=min(high, max(known) + slack),
        minimum=minimum,
    )
    return Shares(axis.low, axis.high) if share else axis
