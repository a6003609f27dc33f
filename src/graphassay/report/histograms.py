"""Overlaid step histograms over common bins."""

import math
from collections.abc import Sequence

from markupsafe import Markup

from graphassay.report.curves import grid
from graphassay.report.scales import Linear, Shares
from graphassay.report.svg import line, plot, stretched

MOST_BINS = 30


def binned(groups: Sequence[Sequence[float]]) -> list[float]:
    """Edges of equal bins that cover all values of all groups; fewer where a group is small, so
    that its outline is not a row of single values.
    """
    n_bins = min(MOST_BINS, max(5, math.ceil(2 * min(len(values) for values in groups) ** 0.5)))
    known = [v for values in groups for v in values]
    low, high = min(known), max(known)
    if low == high:
        low, high = low - 0.5, high + 0.5
    return [low + (high - low) * i / n_bins for i in range(n_bins + 1)]


def shares(values: Sequence[float], edges: Sequence[float]) -> list[float]:
    """Which share of the values lies in each of the equal bins; the last holds its upper edge."""
    counts = [0] * (len(edges) - 1)
    width = (edges[-1] - edges[0]) / len(counts)
    for value in values:
        counts[min(int((value - edges[0]) / width), len(counts) - 1)] += 1
    return [n / len(values) for n in counts]


def step_histogram(
    edges: Sequence[float],
    groups: Sequence[tuple[str, Sequence[float]]],
    *,
    x_title: str,
    height: int = 170,
) -> Markup:
    """One outline for each ``(role, shares)``: bins across, the share of the group in each up."""
    across = Linear(edges[0], edges[-1])
    up = Shares(0.0, 1.12 * max([1e-3, *(s for _, values in groups for s in values)]))
    body = grid(across, up, 5, 3)
    for role, values in groups:
        corners = [(0.0, 100.0)]
        for left, right, share in zip(edges[:-1], edges[1:], values, strict=True):
            y = 100 - up.at(share)
            corners += [(across.at(left), y), (across.at(right), y)]
        corners.append((100.0, 100.0))
        body += stretched(f"area r-{role}", corners, closed=True)
        body += stretched(f"curve r-{role}", corners)
    body += line("axis", 0, 100, 100, 100)
    return plot(body, height, "curves", x_title=x_title, y_title="share in each bin")
