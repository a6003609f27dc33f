"""LaTeX tables of the model's diagnostics and of the quality of its samples."""

from graphassay.report import numbers as fmt
from graphassay.report.latex_text import escape, symbol, table, value, with_interval
from graphassay.report.model_section import COPYING, metric_keys, sweep_keys
from graphassay.report.model_wording import decoding_estimate
from graphassay.report.names import card, is_share, written
from graphassay.results import Estimate, Undefined
from graphassay.results.model import HitMiss, ModelDiagnostics, VarianceShare
from graphassay.results.quality import Quality


def model_tables(model: ModelDiagnostics) -> list[str]:
    """One table for each part that the diagnostics have."""
    parts = []
    if isinstance(model.hit_miss, HitMiss):
        parts.append(_hit_miss(model.hit_miss))
    if model.trajectory:
        parts.append(_trajectory(model))
    if model.sweep:
        parts.append(_sweep(model))
    if model.variance:
        parts.append(_variance(model))
    if model.training_seeds is not None and model.training_seeds.spread:
        parts.append(_seeds(model))
    return parts


def _hit_miss(found: HitMiss) -> str:
    row = [
        f"{fmt.count(found.n_hits)} / {fmt.count(found.n_misses)}",
        with_interval(found.hit_mean),
        with_interval(found.miss_mean),
        value(found.u, 1),
        escape(fmt.p_value(found.p)),
        with_interval(found.auc),
    ]
    head = ["Hits / misses", "NLL of hits", "NLL of misses", "$U$", "$p$", "AUC"]
    caption = (
        "NLL (nats per token) of distinct training graphs: reproduced (hits) and not (misses)."
    )
    return table(head, [row], caption, "audit-hit-miss")


def _trajectory(model: ModelDiagnostics) -> str:
    metrics = metric_keys([c.scores.metrics for c in model.trajectory])
    rows = []
    for c in model.trajectory:
        row = [escape(fmt.count(c.step)), escape(fmt.magnitude(c.n_tokens))]
        row.append(value(c.valid_nats_per_token))
        row += [with_interval(getattr(c.scores, key), share=True) for key in COPYING]
        row += [
            escape(written(key, c.scores.metrics[key])) if key in c.scores.metrics else "--"
            for key in metrics
        ]
        rows.append(row)
    head = ["Step", "Tokens", "Valid. NLL", *(symbol(key) for key in (*COPYING, *metrics))]
    return table(head, rows, "Checkpoint by checkpoint.", "audit-trajectory")


def _sweep(model: ModelDiagnostics) -> str:
    keys = sweep_keys(model.sweep)
    rows = []
    for decoding in model.sweep:
        row = [escape(decoding.name), escape(decoding.settings), str(len(decoding.per_seed))]
        for key in keys:
            estimate = decoding_estimate(decoding, key)
            row.append("--" if estimate is None else _by_card(key, estimate))
        rows.append(row)
    head = ["Decoding", "Settings", "Seeds", *(symbol(key) for key in keys)]
    caption = "Decoding by decoding: mean over the decoding seeds with its 95\\,\\% interval."
    return table(head, rows, caption, "audit-decoding")


def _variance(model: ModelDiagnostics) -> str:
    shares: dict[str, VarianceShare] = dict(model.variance or {})
    rows = [
        [
            symbol(key),
            value(v.eta_squared),
            value(v.checkpoint_variance),
            value(v.decoding_variance),
            f"{v.n_checkpoints} / {v.n_decodings}",
        ]
        for key, v in shares.items()
    ]
    head = ["Metric", r"$\eta^2$", "Checkpoint", "Decoding", "Checkpoints / decodings"]
    caption = "Variance between checkpoints and between decodings, and the share of the former."
    return table(head, rows, caption, "audit-variance")


def _seeds(model: ModelDiagnostics) -> str:
    assert model.training_seeds is not None
    rows = [
        [symbol(key), _by_card(key, s.mean), escape(written(key, s.sd)), str(len(s.values))]
        for key, s in model.training_seeds.spread.items()
    ]
    caption = "Over training seeds: mean with its 95\\,\\% interval, and standard deviation."
    return table(["Metric", "Mean", "sd", "Seeds"], rows, caption, "audit-seeds")


def quality_tables(quality: Quality) -> list[str]:
    """The metrics of a set beside real graphs; nothing where there is none."""
    rows = []
    for metric in quality.metrics:
        against = (
            f"{metric.reference} ({fmt.count(metric.n_reference)})" if metric.reference else ""
        )
        better = card(metric.key).better
        rows.append(
            [
                escape(card(metric.key).name),
                _by_card(metric.key, metric.value),
                "--" if metric.real is None else _by_card(metric.key, metric.real),
                "--" if better == "neither" else better,
                escape(fmt.count(metric.value.n)),
                escape(against) or "--",
                escape(metric.detail) or "--",
            ]
        )
    if not rows:
        return []
    head = ["Metric", "Generated", "Real graphs", "Better", "$n$", "Against", "How"]
    caption = "Quality of the generated set, with 95\\,\\% intervals, beside held-out real graphs."
    return [table(head, rows, caption, "audit-quality")]


def _by_card(key: str, estimate: Estimate) -> str:
    if isinstance(estimate.value, Undefined):
        return value(estimate.value)
    return with_interval(estimate, share=is_share(key))
