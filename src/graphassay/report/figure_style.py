"""How the figures by matplotlib look."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = {
    "model": "#c44e00",
    "bootstrap": "#0067a5",
    "holdout": "#00795a",
    "rewired": "#8b5a99",
}
MARKERS = {"model": "D", "bootstrap": "s", "holdout": "o", "rewired": "^"}
STYLE: Any = {  # a dict of rc parameters; matplotlib types each key
    "svg.hashsalt": "graphassay",
    "svg.fonttype": "path",
    "pdf.fonttype": 42,
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e4e4e4",
    "axes.axisbelow": True,
    "text.parse_math": False,
    "legend.frameon": False,
}
SERIES = ("#c44e00", "#0067a5", "#00795a", "#8b5a99", "#6b7280", "#8f7400")
SERIES_MARKERS = ("D", "s", "o", "^", "v", "P")
"""Colours and marks of curves, in the order of `graphassay.report.svg.SERIES`."""


def new(width: float, height: float, n: int = 1, rows: int = 1) -> tuple["Figure", list["Axes"]]:
    """A figure outside pyplot, so that nothing of the caller's matplotlib state is touched."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.06, h_pad=0.06)  # type: ignore[union-attr, call-arg]
    return figure, [figure.add_subplot(rows, -(-n // rows), i + 1) for i in range(n)]


def cut(text: str, length: int = 28) -> str:
    """Text that fits a legend."""
    return text if len(text) <= length else text[: length - 1] + "…"
