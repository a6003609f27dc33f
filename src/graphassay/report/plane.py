"""The memorization-alignment plane: copies across, alignment up, with the three references."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from graphassay import metric_cards as cards
from graphassay.report.numbers import defined
from graphassay.report.scales import Linear
from graphassay.report.svg import MODEL, line, mark, plot, rect, text_at
from graphassay.results import AuditResult, Undefined, Value

PLANES = ("jsd", "rho")
"""Alignment metrics that get a plane: JSD (the verdict's), and ρ (the study's)."""

HEIGHT = 350
MAX_NAME = 26

_UP = {
    "rho": "alignment: ρ of shared patterns",
    "jsd": "alignment: JSD of patterns (0 is best)",
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


def plane_points(result: AuditResult, key: str = "rho") -> list[PlanePoint]:
    """The model and the references that have both an exact-match rate and the metric."""
    points = []
    metric = result.alignment.metrics[key]
    rates = result.copying["generated"].exact_match
    y, x = defined(metric.model.value), defined(rates.value)
    if x is not None and y is not None:
        points.append(
            PlanePoint(
                MODEL,
                result.name,
                x,
                _or(rates.low, x),
                _or(rates.high, x),
                y,
                _or(metric.model.low, y),
                _or(metric.model.high, y),
            )
        )
    for role in cards.REFERENCES:
        draws, copies = metric.references.get(role), result.copying.get(role)
        y = None if draws is None else defined(draws.median)
        if draws is None or y is None:
            continue
        if role == "bootstrap":
            x, low, high = 1.0, 1.0, 1.0  # a resample of train holds training graphs only
        elif copies is not None and not isinstance(copies.exact_match.value, Undefined):
            x = copies.exact_match.value
            low, high = _or(copies.exact_match.low, x), _or(copies.exact_match.high, x)
        else:
            continue
        name = cards.REFERENCES[role].short
        points.append(
            PlanePoint(role, name, x, low, high, y, _or(draws.low, y), _or(draws.high, y))
        )
    return points


def not_on_plane(result: AuditResult, key: str) -> list[tuple[str, str]]:
    """What could not be drawn on a plane, and why."""
    metric = result.alignment.metrics[key]
    values = [
        (result.name, metric.model.value),
        (result.name, result.copying["generated"].exact_match.value),
        *((cards.REFERENCES[role].name, d.median) for role, d in metric.references.items()),
    ]
    return [(name, value.reason) for name, value in values if isinstance(value, Undefined)]


def plane(points: Sequence[PlanePoint], key: str) -> Markup:
    """Exact matches across, alignment up; the photocopier's band runs across the plane."""
    across = Linear(-0.03, 1.03)
    up = _vertical(points, key)
    body = _grid(across, up)
    for point in points:
        if point.role == "bootstrap":
            top, bottom = sorted((100 - up.at(point.y_high), 100 - up.at(point.y_low)))
            body += rect("band", 0, top, 100, max(bottom - top, 0.4))
    for left, down, anchor, text in (
        (1.5, 6, "start", "new graphs, patterns kept"),
        (98.5, 6, "end", "copies, patterns kept"),
        (1.5, 97, "start", "new graphs, patterns lost"),
        (98.5, 97, "end", "copies, patterns lost"),
    ):
        body += text_at("corner", f"{left}%", f"{down}%", text, anchor)
    for point in points:
        x, y = across.at(point.x), 100 - up.at(point.y)
        css = f"whisker r-{point.role}"
        body += line(css, across.at(point.x_low), y, across.at(point.x_high), y)
        body += line(css, x, 100 - up.at(point.y_low), x, 100 - up.at(point.y_high))
    body += _labels(points, across, up)
    for point in reversed(points):  # the model last, on top
        place = f"{100 - up.at(point.y):.2f}%"
        body += mark(point.role, across.at(point.x), place, point.name, point.number)
    return plot(body, HEIGHT, "plane", x_title="exact matches (EM)", y_title=_UP[key])


def _vertical(points: Sequence[PlanePoint], key: str) -> Linear:
    """Alignment improves upwards: ρ ends at 1, JSD at 0; the lower end follows the points."""
    if key == "rho":
        lowest = min([1.0, *(p.y_low for p in points)])
        floor = max(-1.0, min(0.8, math.floor(5 * (lowest - 0.06)) / 5))
        return Linear(floor, 1.0 + 0.1 * (1.0 - floor))
    highest = max([0.005, *(p.y_high for p in points)])
    return Linear(1.15 * highest, -0.1 * highest)


def _labels(points: Sequence[PlanePoint], across: Linear, up: Linear) -> Markup:
    """Names beside the points, pushed apart where they would meet; a numbered point has its
    number inside and its name in the legend.
    """
    body = Markup()
    corners = [0.05 * HEIGHT, 0.96 * HEIGHT]  # the corner texts of `plane` stand there
    taken: dict[str, list[float]] = {"start": [*corners], "end": [*corners]}
    named = [point for point in points if not point.number]
    for point in sorted(named, key=lambda p: (p.role != MODEL, -up.at(p.y))):
        name = point.name
        x, y = across.at(point.x), (1 - up.at(point.y) / 100) * HEIGHT
        anchor = "end" if x > 50 else "start"
        place: float = y
        for shift in (0, -17, 17, -34, 34, -51, 51):
            place = y + shift
            if 10 < place < HEIGHT - 8 and all(abs(place - t) >= 17 for t in taken[anchor]):
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
            t=name if len(name) <= MAX_NAME else name[: MAX_NAME - 1] + "…",
            lead=Markup('<path class="lead" d="M0 {0:.1f}L{1} 0"/>').format(y - place, dx * 0.8)
            if place != y
            else "",
        )
    return body


def _grid(across: Linear, up: Linear) -> Markup:
    body = Markup()
    for value in (0.0, 0.25, 0.5, 0.75, 1.0):
        x = across.at(value)
        body += line("grid", x, 0, x, 100)
        body += text_at("tick", f"{x:.2f}%", "100%", f"{100 * value:.0f} %", "middle", "16")
    for value, text in up.ticks():
        y = 100 - up.at(value)
        body += line("grid", 0, y, 100, y) + text_at("tick", "-6", f"{y:.2f}%", text, "end", "4")
    return body


def _or(value: Value, otherwise: float) -> float:
    plain = defined(value)
    return otherwise if plain is None else plain
