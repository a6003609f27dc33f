"""Parts of inline SVG charts, placed in per cent.

A chart fills a phone or a page and its text keeps its size; shapes as well as colours tell the
model and the references apart. All text is escaped (markupsafe).
"""

from collections.abc import Iterable

from markupsafe import Markup

MODEL = "model"
SERIES = ("s0", "s1", "s2", "s3", "s4", "s5")
"""Roles of curves that are told apart by colour and shape alone; a seventh starts again."""

SHAPES = {
    MODEL: "M0-7.5 7.5 0 0 7.5-7.5 0z",
    "numbered": "M0-11 11 0 0 11-11 0z",
    "bootstrap": "M-5.5-5.5h11v11h-11z",
    "holdout": "M-6 0a6 6 0 1 0 12 0a6 6 0 1 0-12 0z",
    "rewired": "M0-6.5 6.5 5h-13z",
    "s0": "M0-7.5 7.5 0 0 7.5-7.5 0z",
    "s1": "M-5.5-5.5h11v11h-11z",
    "s2": "M-6 0a6 6 0 1 0 12 0a6 6 0 1 0-12 0z",
    "s3": "M0-6.5 6.5 5h-13z",
    "s4": "M0 6.5-6.5-5h13z",
    "s5": "M-2-6.5h4v4.5h4.5v4h-4.5v4.5h-4v-4.5h-4.5v-4h4.5z",
}


def marker(role: str) -> Markup:
    """The mark of a role alone, for legends and tables."""
    return Markup(
        '<svg class="mk r-{r}" viewBox="-9 -9 18 18" width="14" height="14" aria-hidden="true">'
        '<path d="{d}"/></svg>'
    ).format(r=role, d=SHAPES[role])


def plot(
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


def line(css: str, x1: float, y1: float, x2: float, y2: float) -> Markup:
    """A line, all four places in per cent."""
    return Markup(
        '<line class="{c}" x1="{0:.2f}%" y1="{1:.2f}%" x2="{2:.2f}%" y2="{3:.2f}%"/>'
    ).format(x1, y1, x2, y2, c=css)


def line_px(css: str, x1: float, y1: float, x2: float, y2: float) -> Markup:
    """A line, across in per cent, down in pixels."""
    return Markup(
        '<line class="{c}" x1="{0:.2f}%" y1="{1:.1f}" x2="{2:.2f}%" y2="{3:.1f}"/>'
    ).format(x1, y1, x2, y2, c=css)


def rect(css: str, x: float, y: float, width: float, height: float) -> Markup:
    """A rectangle in per cent."""
    return Markup(
        '<rect class="{c}" x="{0:.2f}%" y="{1:.2f}%" width="{2:.2f}%" height="{3:.2f}%"/>'
    ).format(x, y, width, height, c=css)


def dot(css: str, x: float, y: float) -> Markup:
    """A small circle, across in per cent, down in pixels."""
    return Markup('<circle class="{c}" cx="{0:.2f}%" cy="{1:.1f}" r="2"/>').format(x, y, c=css)


def mark(role: str, x: float, y: str, title: str, number: int = 0, *, size: float = 1.0) -> Markup:
    """The shape of a role with a tooltip; numbered on a page of several models."""
    return Markup(
        '<svg class="mark r-{r}" x="{x:.2f}%" y="{y}" overflow="visible"><path{s} d="{d}">'
        "<title>{t}</title></path>{n}</svg>"
    ).format(
        r=role,
        x=x,
        y=y,
        d=SHAPES["numbered" if number else role],
        s="" if size == 1.0 else Markup(' transform="scale({0:g})"').format(size),
        t=title,
        n=Markup('<text class="no" y="4" text-anchor="middle">{0}</text>').format(number)
        if number
        else "",
    )


def text_at(
    css: str, x: str, y: str, text: str, anchor: str, dy: str = "0", dx: str = "0"
) -> Markup:
    """Text at a place given with its units, escaped."""
    return Markup(
        '<text class="{c}" x="{x}" y="{y}" dx="{dx}" dy="{dy}" text-anchor="{a}">{t}</text>'
    ).format(c=css, x=x, y=y, dx=dx, dy=dy, a=anchor, t=text)


def stretched(css: str, corners: Iterable[tuple[float, float]], *, closed: bool = False) -> Markup:
    """A line through corners in per cent, or the area inside them; its stroke keeps its width."""
    path = "L".join(f"{x:.2f} {y:.2f}" for x, y in corners)
    return Markup(
        '<svg viewBox="0 0 100 100" preserveAspectRatio="none" width="100%" height="100%" '
        'overflow="visible"><path class="{c}" vector-effect="non-scaling-stroke" d="M{p}{z}"/>'
        "</svg>"
    ).format(c=css, p=path, z="Z" if closed else "")
