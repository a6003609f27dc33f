"""The section "The model" of the report: likelihoods, checkpoints, decodings, seeds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from graphassay.report import histograms, lanes, model_wording
from graphassay.report.curves import Curve, CurvePoint, curves, from_estimate
from graphassay.report.names import card, direction, is_share, written
from graphassay.report.numbers import count, finite, interval, number
from graphassay.report.scales import Linear
from graphassay.report.svg import MODEL
from graphassay.results import Estimate, Undefined
from graphassay.results.model import CheckpointScores, DecodingScores, HitMiss, ModelDiagnostics

HIT, MISS = "s0", "s1"
CHECKPOINT, DECODING = "s0", "s1"
COPYING = ("exact_match", "unique", "failed")
TRAJECTORY = (*COPYING, "rho", "jsd", "valid_nats_per_token")
SWEEP = ("exact_match", "unique", "rho", "jsd")
NLL_NAME = "Validation NLL"


@dataclass(frozen=True)
class Panel:
    """A small chart with its heading."""

    name: str
    symbol: str
    chart: Markup


@dataclass(frozen=True)
class ModelSection:
    """What the template shows of a model; an empty part was not asked for."""

    histogram: Markup | None
    trajectory: tuple[Panel, ...]
    trajectory_metrics: tuple[str, ...]
    sweep: tuple[Panel, ...]
    sweep_metrics: tuple[str, ...]
    variance: Markup | None
    takeaway: Mapping[str, str]


def model_section(model: ModelDiagnostics) -> ModelSection:
    """Charts and sentences of the section."""
    takeaway = {}
    histogram = None
    if isinstance(model.hit_miss, HitMiss):
        takeaway["hit_miss"] = model_wording.hit_miss_takeaway(model.hit_miss)
        takeaway["test"] = model_wording.hit_miss_test(model.hit_miss)
        histogram = _histogram(model.hit_miss)
    if model.trajectory:
        takeaway["trajectory"] = model_wording.trajectory_takeaway(model.trajectory)
    if model.sweep:
        takeaway["sweep"] = model_wording.sweep_takeaway(model.sweep)
    variance = None
    if model.variance:
        takeaway["variance"] = model_wording.variance_takeaway(model.variance)
        variance = lanes.split_lanes(
            [(card(key).symbol, share.eta_squared) for key, share in model.variance.items()],
            roles=(CHECKPOINT, DECODING),
        )
    if model.training_seeds is not None:
        takeaway["seeds"] = model_wording.seeds_takeaway(model.training_seeds)
    return ModelSection(
        histogram=histogram,
        trajectory=_trajectory(model.trajectory),
        trajectory_metrics=metric_keys([c.scores.metrics for c in model.trajectory]),
        sweep=_sweep(model.sweep),
        sweep_metrics=sweep_keys(model.sweep),
        variance=variance,
        takeaway=takeaway,
    )


def metric_keys(mappings: Sequence[Mapping[str, object]]) -> tuple[str, ...]:
    """The keys in use, in order."""
    return tuple(dict.fromkeys(key for mapping in mappings for key in mapping))


def sweep_keys(sweep: Sequence[DecodingScores]) -> tuple[str, ...]:
    """The numbers of a decoding sweep: copies, then alignment."""
    if not sweep:
        return ()
    metrics = metric_keys([s.metrics for d in sweep for s in d.per_seed])
    return (*COPYING, *metrics)


def _histogram(found: HitMiss) -> Markup | None:
    groups = [(HIT, found.hit_nll), (MISS, found.miss_nll)]
    present = [(role, values) for role, values in groups if values]
    if not present:
        return None
    edges = histograms.binned([values for _, values in present])
    return histograms.step_histogram(
        edges,
        [(role, histograms.shares(values, edges)) for role, values in present],
        x_title="NLL, nats per token",
    )


def trajectory_points(steps: Sequence[CheckpointScores], key: str) -> tuple[CurvePoint, ...]:
    """One number over the training steps."""
    points = []
    for at in steps:
        if key in COPYING:
            estimate: Estimate = getattr(at.scores, key)
            text = written(key, estimate.value)
            if not isinstance(estimate.value, Undefined):
                text += f" ({interval(estimate, share=True)})"
            points.append(from_estimate(at.step, estimate, f"step {count(at.step)}: {text}"))
            continue
        value = (
            at.valid_nats_per_token
            if key == "valid_nats_per_token"
            else at.scores.metrics.get(key, Undefined("not computed"))
        )
        title = f"step {count(at.step)}: {written(key, value)}"
        points.append(CurvePoint(at.step, value, title=title))
    return tuple(points)


def _trajectory(steps: Sequence[CheckpointScores]) -> tuple[Panel, ...]:
    if not steps:
        return ()
    across = Linear(0.0, float(max(1, *(s.step for s in steps))))
    panels = []
    for key in TRAJECTORY:
        points = trajectory_points(steps, key)
        if key not in (*COPYING, "valid_nats_per_token") and not any(
            key in s.scores.metrics for s in steps
        ):
            continue
        known = finite(tuple(v for p in points for v in (p.y, p.low, p.high) if v is not None))
        if not finite(tuple(p.y for p in points)):
            reasons = dict.fromkeys(number(p.y) for p in points)
            panels.append(Panel(_name(key), "", _nowhere("; ".join(reasons))))
            continue
        low, high = (
            (0.0, float("inf"))
            if key == "valid_nats_per_token"
            else (
                card(key).low,
                card(key).high,
            )
        )
        up = lanes.axis_over(known, low=low, high=high, share=key in COPYING or is_share(key))
        chart = curves([Curve(MODEL, points)], across, up, x_title="training step", height=130)
        unit = "nats per token, ↓ lower is better" if key == "valid_nats_per_token" else ""
        panels.append(Panel(_name(key), unit or direction(key), chart))
    return tuple(panels)


def _name(key: str) -> str:
    return NLL_NAME if key == "valid_nats_per_token" else card(key).name


def _nowhere(reasons: str) -> Markup:
    """In the place of a chart that would be empty."""
    return Markup('<p class="undef">{0}</p>').format(reasons)


def _sweep(sweep: Sequence[DecodingScores]) -> tuple[Panel, ...]:
    panels = []
    for key in SWEEP:
        rows = []
        for decoding in sweep:
            estimate = model_wording.decoding_estimate(decoding, key)
            if estimate is not None:
                values = decoding.spread[key].values if key in decoding.spread else ()
                rows.append(lanes.Lane(decoding.name, estimate, values))
        if not rows:
            continue
        info = card(key)
        chart = lanes.dot_lanes(
            rows, low=info.low, high=info.high, share=key in COPYING or is_share(key)
        )
        panels.append(Panel(info.name, direction(key), chart))
    return tuple(panels)
