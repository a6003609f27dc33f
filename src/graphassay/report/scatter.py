"""The scatter of pattern supports, train against generated."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from graphassay.report.scales import LogWithZero
from graphassay.report.svg import line, plot, text_at


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
        body += line(css, at, 0, at, 100) + line(css, 0, 100 - at, 100, 100 - at)
        body += text_at("tick", f"{at:.2f}%", "100%", text, "middle", "16")
        body += text_at("tick", "-6", f"{100 - at:.2f}%", text, "end", "4")
    body += _envelope(points, axis)
    body += line("diagonal", axis.gutter, 100 - axis.gutter, 100, 0)
    across, up = axis.at(train_threshold), 100 - axis.at(generated_threshold)
    body += line("threshold", across, 0, across, 100) + line("threshold", 0, up, 100, up)
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
    chart = plot(
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
