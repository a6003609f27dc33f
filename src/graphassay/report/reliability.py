"""Reliability diagrams: how often the likeliest token is right, by how sure the model was."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from graphassay.report.curves import Curve, CurvePoint, curves
from graphassay.report.matrix import is_random
from graphassay.report.names import TOKEN_KINDS
from graphassay.report.numbers import count, number
from graphassay.report.scales import Linear
from graphassay.report.wording import stated
from graphassay.results import Undefined
from graphassay.results.linearization import Reliability, StrategyScores

NATIVE, RANDOM = "s0", "s1"


@dataclass(frozen=True)
class ReliabilityPanel:
    """The diagram of one token kind, native and in random order."""

    kind: str
    chart: Markup
    caption: str


def reliability_panels(scores: Sequence[StrategyScores]) -> list[ReliabilityPanel]:
    """One diagram for each token kind that occurs, for the cells of one run."""
    native = next((s for s in scores if s.native), None)
    random = next((s for s in scores if is_random(s.evaluated_on) and s is not native), None)
    panels = []
    for kind in TOKEN_KINDS:
        found = [
            (role, name, s.reliability[kind])
            for role, name, s in ((NATIVE, "native", native), (RANDOM, "random order", random))
            if s is not None and kind in s.reliability
        ]
        if not found:
            continue
        caption = "; ".join(
            f"ECE {stated(r.ece)} {name}, {count(sum(r.counts))} tokens" for _, name, r in found
        )
        panels.append(ReliabilityPanel(kind, _diagram(found), caption + "."))
    return panels


def _diagram(found: Sequence[tuple[str, str, Reliability]]) -> Markup:
    series = [
        Curve(role, tuple(_points(name, r)), dashed=role == RANDOM) for role, name, r in found
    ]
    return curves(
        series,
        Linear(0.0, 1.0),
        Linear(0.0, 1.0),
        height=190,
        css="curves square",
        x_title="confidence",
        y_title="accuracy",
        diagonal=((0.0, 0.0), (1.0, 1.0)),
        n_ticks=5,
    )


def _points(name: str, reliability: Reliability) -> list[CurvePoint]:
    """The bins that hold tokens; a bin with more tokens has a larger mark."""
    most = max([1, *reliability.counts])
    points = []
    for n, confidence, accuracy in zip(
        reliability.counts, reliability.confidence, reliability.accuracy, strict=True
    ):
        if isinstance(confidence, Undefined) or isinstance(accuracy, Undefined):
            continue  # an empty bin has no place in the diagram
        title = (
            f"{name}: confidence {number(confidence)}, accuracy {number(accuracy)}, "
            f"{count(n)} tokens"
        )
        size = 0.35 + 0.5 * float((n / most) ** 0.5)
        points.append(CurvePoint(confidence, accuracy, title=title, size=round(size, 2)))
    return points
