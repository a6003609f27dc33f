"""LU against generation NLL: a scatter of generated graphs that are drawn under the pointer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from graphassay.report.curves import grid
from graphassay.report.drawing import Drawer, describe
from graphassay.report.lanes import axis_over
from graphassay.report.numbers import defined, number
from graphassay.report.scales import Linear
from graphassay.report.svg import plot
from graphassay.results import DrawnGraph
from graphassay.results.linearization import LinearizationAudit, ScoredGraph

KINDS = {"good": "yes", "bad": "no", "unknown": "not known"}
MAX_SMILES = 120
MAX_DRAWN = 40_000
"""Vertices and edges in all pictures together: a thousand molecules of QM9, or 170 planar graphs
with 64 vertices. The other graphs are described in words.
"""


@dataclass(frozen=True)
class Explorer:
    """A chart, and what the page's script shows of its points."""

    chart: Markup
    hover: Mapping[str, Any]
    pictures: list[Markup]
    n_without: int
    """Points whose graph is not drawn."""


def kind(graph: ScoredGraph) -> str:
    """``good``, ``bad`` or ``unknown``."""
    if graph.good is None:
        return "unknown"
    return "good" if graph.good else "bad"


def explorer(audit: LinearizationAudit, drawer: Drawer) -> Explorer:
    """Generation NLL across, LU up; a graph without LU stands on the lower edge."""
    shown = sorted(audit.scatter, key=lambda g: (g.generation_nll, defined(g.lu) or 0.0))
    places, chart = _chart(shown)
    pictured = drawable([g.graph for g in shown])
    places_of = {graph: i for i, graph in enumerate(pictured)}
    points: list[dict[str, Any]] = [
        {
            "x": round(x, 2),
            "y": round(y, 2),
            "i": places_of.get(g.graph, -1),
            "k": kind(g),
            "g": number(g.generation_nll),
            "m": number(g.mean_nll),
            "u": number(g.lu),
            "e": number(g.ece),
            "d": describe(g.graph),
            "c": (g.graph.smiles or "")[:MAX_SMILES],
        }
        for g, (x, y) in zip(shown, places, strict=True)
    ]
    start = max(range(len(shown)), key=lambda i: defined(shown[i].lu) or 0.0, default=0)
    return Explorer(
        chart,
        {"start": start, "names": {"k": KINDS}, "points": points},
        drawer.draw(pictured, whole=True, described=False),
        sum(p["i"] < 0 for p in points),
    )


def drawable(graphs: Sequence[DrawnGraph]) -> list[DrawnGraph]:
    """The distinct graphs, or as many of them, evenly spread, as the page can hold."""
    distinct = list(dict.fromkeys(graphs))
    size = sum(len(g.vertex_labels) + len(g.edges) for g in distinct)
    if size <= MAX_DRAWN:
        return distinct
    n = max(1, len(distinct) * MAX_DRAWN // size)
    return [distinct[i * len(distinct) // n] for i in range(n)]


def _chart(shown: Sequence[ScoredGraph]) -> tuple[list[tuple[float, float]], Markup]:
    high = float("inf")
    across = axis_over([g.generation_nll for g in shown], low=0.0, high=high)
    known = [v for g in shown for v in [defined(g.lu)] if v is not None]
    up = axis_over(known, low=0.0, high=high)
    if len(known) < len(shown):  # a gutter, so that no LU does not look like an LU of 0
        up = Linear(up.low - 0.06 * (up.high - up.low), up.high)
    body = grid(across, up)
    places = []
    dots = []
    for graph in shown:
        lu = defined(graph.lu)
        x, y = across.at(graph.generation_nll), 100.0 if lu is None else 100 - up.at(lu)
        places.append((x, y))
        dots.append(
            Markup('<circle class="{k}" cx="{x:.2f}%" cy="{y:.2f}%" r="3.5"/>').format(
                k=kind(graph), x=x, y=y
            )
        )
    body += Markup('<g id="dots">{0}</g><circle id="ring" r="8" cx="-99" cy="-99"/>').format(
        Markup().join(dots)
    )
    chart = plot(body, 420, "scatter", x_title="generation NLL, nats", y_title="LU")
    return places, chart
