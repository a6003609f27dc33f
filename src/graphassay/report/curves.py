"""Curves over steps, permutations or bins, with bands for their intervals."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

from markupsafe import Markup

from graphassay.report.numbers import defined
from graphassay.report.scales import Axis
from graphassay.report.svg import line, mark, plot, stretched, text_at
from graphassay.results import Estimate, Value

T = TypeVar("T")


@dataclass(frozen=True)
class CurvePoint:
    """A place on a curve; ``title`` is what the pointer is told."""

    x: float
    y: Value
    low: Value | None = None
    high: Value | None = None
    title: str = ""
    size: float = 0.6


@dataclass(frozen=True)
class Curve:
    """A curve of one role; it breaks where its value is undefined."""

    role: str
    points: tuple[CurvePoint, ...]
    dashed: bool = False


def from_estimate(x: float, estimate: Estimate, title: str) -> CurvePoint:
    """A point with the interval of an estimate."""
    return CurvePoint(x, estimate.value, estimate.low, estimate.high, title)


def curves(
    series: Sequence[Curve],
    across: Axis,
    up: Axis,
    *,
    height: int = 150,
    css: str = "curves",
    x_title: str = "",
    y_title: str = "",
    level: float | None = None,
    diagonal: tuple[tuple[float, float], tuple[float, float]] | None = None,
    n_ticks: int = 4,
) -> Markup:
    """Curves in one frame. ``level`` and ``diagonal`` are lines that mean "nothing" or "equal".

    An undefined value is written as "undef." on the lower edge at its place.
    """
    body = grid(across, up, n_ticks, n_ticks)
    if level is not None:
        body += line("level", 0, 100 - up.at(level), 100, 100 - up.at(level))
    if diagonal is not None:
        (x1, y1), (x2, y2) = diagonal
        body += line("diagonal", across.at(x1), 100 - up.at(y1), across.at(x2), 100 - up.at(y2))
    for curve in series:
        body += _band(curve, across, up)
    for curve in series:
        body += _line(curve, across, up)
    return plot(body, height, css, x_title=x_title, y_title=y_title)


def grid(across: Axis, up: Axis, n_across: int = 5, n_up: int = 5) -> Markup:
    """Lines and their text at round values of both axes."""
    body = Markup()
    for value, text in across.ticks(n_across):
        x = across.at(value)
        body += line("grid", x, 0, x, 100)
        body += text_at("tick", f"{x:.2f}%", "100%", text, "middle", "16")
    ticks = up.ticks(n_up)
    for value, text in ticks if len(ticks) > 1 else up.ticks(2 * n_up):
        y = 100 - up.at(value)
        body += line("grid", 0, y, 100, y) + text_at("tick", "-6", f"{y:.2f}%", text, "end", "4")
    return body


def _band(curve: Curve, across: Axis, up: Axis) -> Markup:
    """The intervals: an area between neighbours that have one, a whisker for a lone point."""
    body = Markup()
    places = [
        (across.at(p.x), 100 - up.at(low), 100 - up.at(high))
        if low is not None and high is not None
        else None
        for p in curve.points
        for low, high in [(defined(p.low), defined(p.high))]
    ]
    for run in _runs(places):
        if len(run) == 1:
            x, low, high = run[0]
            body += line(f"whisker r-{curve.role}", x, low, x, high)
            continue
        upper = [(x, high) for x, _, high in run]
        lower = [(x, low) for x, low, _ in reversed(run)]
        body += stretched(f"area r-{curve.role}", [*upper, *lower], closed=True)
    return body


def _line(curve: Curve, across: Axis, up: Axis) -> Markup:
    body = Markup()
    places = [
        None if y is None else (across.at(p.x), 100 - up.at(y))
        for p in curve.points
        for y in [defined(p.y)]
    ]
    css = f"curve r-{curve.role}" + (" dashed" if curve.dashed else "")
    for run in _runs(places):
        if len(run) > 1:
            body += stretched(css, run)
    for i, (point, place) in enumerate(zip(curve.points, places, strict=True)):
        if place is None:
            if i and places[i - 1] is None:
                continue  # said once for a stretch without values
            body += text_at(
                f"none r-{curve.role}",
                f"{across.at(point.x):.2f}%",
                "100%",
                "undef.",
                "middle",
                "-4",
            )
            continue
        body += mark(curve.role, place[0], f"{place[1]:.2f}%", point.title, size=point.size)
    return body


def _runs(items: Sequence[T | None]) -> list[list[T]]:
    """The stretches between the gaps."""
    runs: list[list[T]] = []
    for before, item in pairwise([None, *items]):
        if item is None:
            continue
        if before is None:
            runs.append([])
        runs[-1].append(item)
    return runs
