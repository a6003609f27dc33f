"""The HTML page of one audit: what to show (here) and how it looks (templates/)."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from graphassay import metric_cards as cards
from graphassay.report import linearization_wording, names, plane, scatter, strips, svg, wording
from graphassay.report import numbers as fmt
from graphassay.report.compare import sort_value
from graphassay.report.drawing import Drawer, describe
from graphassay.report.model_section import model_section
from graphassay.report.model_wording import decoding_estimate
from graphassay.report.quality_section import quality_section
from graphassay.results import (
    AuditResult,
    Estimate,
    GraphRecord,
    PatternRecord,
    StratumScores,
    Undefined,
    Value,
)

TEMPLATES = Path(__file__).parent / "templates"
HEADLINE = ("rho", "jsd", "missing_mass", "novel_mass")
"""Metrics drawn against their references, in this order; others are in the table."""
STRATUM_METRICS = ("coverage", "missing_mass", "jsd", "rho")
PATTERN_KINDS = {
    "shared": "frequent in both",
    "missing": "missing: frequent in train only",
    "invented": "invented: frequent in the generated set only",
}
N_CARDS_OPEN = 12
"""Gallery pictures shown before the rest is folded away."""


def environment() -> Environment:
    """Jinja with escaping on and the number formats as filters; a missing name is an error."""
    env = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    env.filters.update(
        num=fmt.number,
        pct=fmt.percent,
        cnt=fmt.count,
        signed=fmt.signed,
        interval=fmt.interval,
        share_interval=lambda e: fmt.interval(e, share=True),
        duration=fmt.duration,
        option=fmt.option,
        magnitude=fmt.magnitude,
    )
    env.globals.update(
        METRICS=cards.METRICS,
        PATTERN=cards.PATTERN,
        PLACES=cards.PLACES,
        REFERENCES=cards.REFERENCES,
        COPY_RATES=cards.COPY_RATES,
        VERDICTS=cards.VERDICTS,
        card=names.card,
        direction=names.direction,
        is_share=names.is_share,
        predictor=names.predictor,
        decoding_estimate=decoding_estimate,
        sort_value=sort_value,
        marker=svg.marker,
        style=Markup((TEMPLATES / "style.css").read_text(encoding="utf-8")),  # noqa: S704
        script=Markup((TEMPLATES / "page.js").read_text(encoding="utf-8")),  # noqa: S704
        is_undefined=lambda value: isinstance(value, Undefined),
    )
    return env


def render(result: AuditResult) -> str:
    """The whole page as text; equal results give equal pages."""
    drawer = _drawer(result)
    chart, hover, pictures = _scatter(result, drawer)
    page = environment().get_template("report.html.j2")
    return page.render(
        r=result,
        roles=_roles(result),
        headline=_headline(result),
        planes=[(key, plane.plane(plane.plane_points(result, key), key)) for key in plane.PLANES],
        plane_missing={key: plane.not_on_plane(result, key) for key in plane.PLANES},
        strips=_strips(result),
        metric_sentence=wording.metric_sentence,
        strata_bars=_strata(result),
        scatter_chart=chart,
        hover=hover,
        pictures=pictures,
        drawer=drawer,
        galleries=_galleries(result, drawer),
        novel_strips=_novel_strips(result),
        takeaway={
            "plane": wording.plane_takeaway(result),
            "bands": wording.band_takeaway(result.alignment),
            "strata": wording.strata_takeaway(result.strata),
            "scatter": wording.scatter_takeaway(
                result.galleries.scatter, result.galleries.n_scatter_of
            ),
            "novel": ""
            if isinstance(result.novel_only, Undefined)
            else wording.novel_takeaway(result.novel_only),
        },
        rank_text=_rank_text,
        model_view=None if result.model is None else model_section(result.model),
        quality_view=None if result.quality is None else quality_section(result.quality),
        linearization_takeaway=""
        if result.linearization is None
        else linearization_wording.order_takeaway(result.linearization),
        further_cards=_further_cards(result),
    )


def _further_cards(result: AuditResult) -> dict[str, cards.MetricCard]:
    """The cards of the sections that not every audit has."""
    further = dict(cards.MODEL) if result.model is not None else {}
    if result.quality is not None:
        shown = {m.key for m in result.quality.metrics}
        shown |= {p.key for p in result.quality.properties}
        further |= {key: card for key, card in cards.QUALITY.items() if key in shown}
    return {key: card for key, card in further.items() if key not in cards.COPY_RATES}


def _headline(result: AuditResult) -> str:
    """The headline without the verdict's name, which stands above it in large letters."""
    text = result.verdict.headline
    name = f"{cards.VERDICTS[result.verdict.kind]}: "
    if text.startswith(name) and len(text) > len(name):
        text = text[len(name)].upper() + text[len(name) + 1 :]
    return text


def _roles(result: AuditResult) -> list[str]:
    """The model, then the references present, in the order of the cards."""
    present: set[str] = set()
    for metric in result.alignment.metrics.values():
        present.update(metric.references)
    return [svg.MODEL, *(role for role in cards.REFERENCES if role in present)]


def _strips(result: AuditResult) -> list[tuple[str, Markup]]:
    drawn = []
    for key in HEADLINE:
        metric = result.alignment.metrics.get(key)
        if metric is None:
            continue
        card = cards.METRICS[key]
        references = {r: metric.references[r] for r in cards.REFERENCES if r in metric.references}
        chart = strips.strip(
            metric.model, references, low=card.low, high=card.high, runs=metric.per_run
        )
        drawn.append((key, chart))
    return drawn


def _novel_strips(result: AuditResult) -> list[tuple[str, Markup]]:
    novel = result.novel_only
    if isinstance(novel, Undefined):
        return []
    drawn = []
    for key in HEADLINE:
        if key not in novel.metrics or key not in novel.control:
            continue
        card, value = cards.METRICS[key], novel.metrics[key]
        point = Estimate(value, value, value, novel.n_novel, "point")
        chart = strips.strip(
            point,
            {"bootstrap": novel.control[key]},
            low=card.low,
            high=card.high,
            control={svg.MODEL: "Novel only", "bootstrap": "Same-size"},
        )
        drawn.append((key, chart))
    return drawn


def _strata(result: AuditResult) -> list[tuple[str, Markup]]:
    if not result.strata:
        return []
    drawn = []
    for key in STRATUM_METRICS:
        series: dict[str, list[Value]] = {svg.MODEL: [_score(s.model, key) for s in result.strata]}
        for role in cards.REFERENCES:
            if all(role in s.references for s in result.strata):
                series[role] = [_score(s.references[role], key) for s in result.strata]
        card = cards.METRICS[key]
        chart = strips.bars([s.name for s in result.strata], series, low=card.low, high=card.high)
        drawn.append((key, chart))
    return drawn


def _score(scores: StratumScores, key: str) -> Value:
    value: Value = getattr(scores, key)
    return value


def _scatter(result: AuditResult, drawer: Drawer) -> tuple[Markup, Mapping[str, Any], list[Markup]]:
    """The scatter, and the texts and pictures that the script shows for its points."""
    shown = sorted(result.galleries.scatter, key=lambda p: (p.train, p.generated, p.code))
    train_threshold, generated_threshold = thresholds(result)
    points = [
        scatter.ScatterPoint(
            p.train,
            p.generated,
            p.bootstrap_low,
            p.bootstrap_high,
            _kind(p, train_threshold, generated_threshold),
        )
        for p in shown
    ]
    chart, places = scatter.scatter(
        points, train_threshold=train_threshold, generated_threshold=generated_threshold
    )
    points_shown = [
        {
            "x": round(x, 2),
            "y": round(y, 2),
            "k": point.kind,
            "t": fmt.percent(p.train),
            "g": fmt.percent(p.generated),
            "b": f"{fmt.percent(p.bootstrap_low)} to {fmt.percent(p.bootstrap_high)}",
            "c": p.code,
            "d": describe(p.graph),
        }
        for p, point, (x, y) in zip(shown, points, places, strict=True)
    ]
    # The panel starts with the pattern farthest from equal support.
    start = max(range(len(places)), key=lambda i: abs(places[i][0] - 100 + places[i][1]), default=0)
    hover = {"start": start, "names": {"k": PATTERN_KINDS}, "points": points_shown}
    return chart, hover, drawer.draw([p.graph for p in shown], described=False)


def thresholds(result: AuditResult) -> tuple[float, float]:
    """The minimum support as a share of the graphs, in train and in the generated set."""
    a = result.alignment
    return (
        a.min_count_train / max(a.n_train_per_run, 1),
        a.min_count_generated / max(a.n_generated, 1),
    )


def _kind(pattern: PatternRecord, train_threshold: float, generated_threshold: float) -> str:
    in_train = pattern.train >= train_threshold * (1 - 1e-9)
    in_generated = pattern.generated >= generated_threshold * (1 - 1e-9)
    if in_train and in_generated:
        return "shared"
    return "missing" if in_train else "invented"


def _galleries(result: AuditResult, drawer: Drawer) -> Mapping[str, Sequence[Any]]:
    g = result.galleries
    return {
        "most_missing": _pattern_cards(g.most_missing, drawer),
        "most_invented": _pattern_cards(g.most_invented, drawer),
        "memorized": _graph_cards(g.memorized, drawer),
        "novel": _graph_cards(g.novel, drawer),
    }


def _pattern_cards(
    records: Sequence[PatternRecord], drawer: Drawer
) -> list[tuple[PatternRecord, Markup]]:
    return list(zip(records, drawer.draw([p.graph for p in records]), strict=True))


def _graph_cards(
    records: Sequence[GraphRecord], drawer: Drawer
) -> list[tuple[GraphRecord, Markup]]:
    return list(zip(records, drawer.draw([g.graph for g in records], whole=True), strict=True))


def _drawer(result: AuditResult) -> Drawer:
    vertices = {label for s in result.inputs.values() for label in s.vertex_labels}
    edges = {label for s in result.inputs.values() for label in s.edge_labels}
    return Drawer(sorted(vertices), sorted(edges))


def _rank_text(value: Value) -> str:
    return fmt.number(value, 1) if isinstance(value, Undefined) else f"{value:.3g} %"
