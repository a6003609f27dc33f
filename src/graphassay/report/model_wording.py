"""What the model's likelihoods, checkpoints and decodings say, in words by stated rules.

A difference is claimed only where two intervals do not overlap, where one leaves out the value that
means nothing, or where it is large beside the intervals of two like numbers; numbers without an
interval are stated and not compared.
"""

import math
from collections.abc import Mapping, Sequence

from graphassay.report.names import card
from graphassay.report.numbers import count, defined, number, p_value, percent
from graphassay.report.wording import against, compared, listed, stated
from graphassay.results import Estimate, Undefined
from graphassay.results.model import (
    CheckpointScores,
    DecodingScores,
    HitMiss,
    TrainingSeeds,
    VarianceShare,
)
from graphassay.results.quality import Quality, QualityMetric


def hit_miss_takeaway(found: HitMiss) -> str:
    """Are reproduced training graphs those that the model finds likely?"""
    text = (
        f"{count(found.n_hits)} distinct training graphs were reproduced (hits), "
        f"{count(found.n_misses)} were not (misses). Their mean NLL is "
        f"{stated(found.hit_mean)} against {stated(found.miss_mean)} nats per token."
    )
    if isinstance(found.auc.value, Undefined):
        return f"{text} The AUC is {number(found.auc.value)}."
    words = {
        "above": "the model finds what it reproduces likelier than what it does not",
        "below": "the model finds what it reproduces less likely than what it does not",
        "unclear": "no clear difference: the interval holds 0.5",
        "unknown": "there is no interval, so nothing is claimed",
    }[against(found.auc, 0.5)]
    return (
        f"{text} A random hit has a lower NLL than a random miss with probability "
        f"{stated(found.auc)}: {words}."
    )


def hit_miss_test(found: HitMiss) -> str:
    """The test in full."""
    return f"Mann-Whitney U = {number(found.u, 1)}, two-sided {p_value(found.p)}."


def trajectory_takeaway(steps: Sequence[CheckpointScores]) -> str:
    """Copies and alignment from the first checkpoint to the last."""
    if len(steps) < 2:
        return "There is one checkpoint, so nothing can be said of a course."
    first, last = steps[0], steps[-1]
    span = f"From step {count(first.step)} to step {count(last.step)}"
    begin, end = first.scores.exact_match, last.scores.exact_match
    ends = f"from {stated(begin, share=True)} to {stated(end, share=True)}"
    moved = {
        "above": f"the share of copies (EM) rises {ends}",
        "below": f"the share of copies (EM) falls {ends}",
        "unclear": f"the share of copies (EM) goes {ends}: no clear change",
        "unknown": f"the share of copies (EM) goes {ends}",
    }[compared(end, begin)]
    parts = [f"{span} {moved}."]
    for key in ("rho", "jsd"):
        known = [
            (s, v) for s in steps for v in [defined(s.scores.metrics.get(key))] if v is not None
        ]
        if not known:
            continue
        best = max if card(key).better == "higher" else min
        step, value = best(known, key=lambda pair: pair[1])
        parts.append(
            f"{card(key).symbol} goes from {number(known[0][1])} to {number(known[-1][1])}, best "
            f"{number(value)} at step {count(step.step)}."
        )
    lowest = [
        (v, s.step) for s in steps for v in [defined(s.valid_nats_per_token)] if v is not None
    ]
    if lowest:
        value, at = min(lowest)
        parts.append(
            f"Validation NLL is lowest at step {count(at)} ({number(value)} nats per token)."
        )
    return " ".join(parts)


def decoding_estimate(decoding: DecodingScores, key: str) -> Estimate | None:
    """A number of one decoding: the mean over its seeds, or what its only seed gave."""
    if key in decoding.spread:
        return decoding.spread[key].mean
    if not decoding.per_seed:
        return None
    scores = decoding.per_seed[0]
    if key in ("exact_match", "unique", "failed"):
        estimate: Estimate = getattr(scores, key)
        return estimate
    value = scores.metrics.get(key)
    if value is None:
        return None
    gone = Undefined("one decoding seed")
    return Estimate(value, gone, gone, scores.n_records, "one decoding seed")


def sweep_takeaway(sweep: Sequence[DecodingScores]) -> str:
    """How far the decoding alone moves the copies and the alignment."""
    parts = []
    for key in ("exact_match", "rho"):
        known = [
            (value, decoding.name, estimate)
            for decoding in sweep
            for estimate in [decoding_estimate(decoding, key)]
            if estimate is not None
            for value in [defined(estimate.value)]
            if value is not None
        ]
        if len(known) < 2:
            continue
        known.sort(key=lambda item: item[:2])
        (_, low_name, low), (_, high_name, high) = known[0], known[-1]
        share = key == "exact_match"
        words = {
            "above": "their intervals do not overlap",
            "unclear": "their intervals overlap",
            "below": "their intervals overlap",
            "unknown": "without intervals, nothing is claimed",
        }[compared(high, low)]
        parts.append(
            f"{card(key).symbol} spans {stated(low, share=share)} with {low_name} to "
            f"{stated(high, share=share)} with {high_name}: {words}."
        )
    return " ".join(parts) or "There are fewer than two decodings with a defined number."


def variance_takeaway(shares: Mapping[str, VarianceShare]) -> str:
    """Which metrics the checkpoint decides, and which the decoding; stated, no interval."""
    learnt: list[str] = []
    sampled: list[str] = []
    undefined: list[str] = []
    for key, share in shares.items():
        value = defined(share.eta_squared)
        if value is None:
            undefined.append(card(key).symbol)
            continue
        (learnt if value > 0.5 else sampled).append(f"{card(key).symbol} ({percent(value)})")
    parts = []
    if learnt:
        parts.append(f"most of the variance of {listed(learnt)} lies between checkpoints")
    if sampled:
        parts.append(f"at most half of that of {listed(sampled)}")
    if not parts:
        return "The shares of variance are undefined."
    text = ", ".join(parts)
    text = f"{text[0].upper()}{text[1:]}. The rest lies between decodings"
    text += "; the shares have no interval"
    return f"{text}; undefined for {listed(undefined)}." if undefined else f"{text}."


def seeds_takeaway(seeds: TrainingSeeds) -> str:
    """The spread over training seeds of the numbers that the verdict uses."""
    parts = []
    for key in ("exact_match", "rho", "jsd"):
        if key in seeds.spread:
            spread = seeds.spread[key]
            share = key == "exact_match"
            parts.append(f"{card(key).symbol} {stated(spread.mean, share=share)}")
    head = f"{count(len(seeds.runs))} runs that differ in their training seed"
    return f"{head}: {listed(parts)} (mean and interval over the seeds)." if parts else f"{head}."


def quality_takeaway(quality: Quality) -> str:
    """The generated set beside real graphs, where both are there and the direction is known."""
    groups: dict[str, list[str]] = {"worse": [], "better": [], "unclear": []}
    keys = [metric.key for metric in quality.metrics]
    names = [
        card(m.key).name + (f" (against {m.reference})" if keys.count(m.key) > 1 else "")
        for m in quality.metrics
    ]
    for i, metric in enumerate(quality.metrics):
        where = beside_real(metric)
        if where in groups:
            groups[where].append(names[i])
    words = {
        "worse": "worse than real graphs on",
        "better": "better than real graphs on",
        "unclear": "not clearly different from real graphs on",
    }
    parts = [f"{words[where]} {listed(found)}" for where, found in groups.items() if found]
    if not parts:
        return "No metric has an interval and the same number for as many real graphs."
    return (
        f"The generated set is {'; '.join(parts)}. “Better” and “worse” are said only where the "
        "difference is more than the root of the summed squares of the two half-widths that face "
        "each other, and of numbers that depend on the size of a set only for sets of one size."
    )


def beside_real(metric: QualityMetric) -> str:
    """``better``, ``worse``, ``unclear``, or ``unknown`` beside real graphs."""
    better = card(metric.key).better
    if metric.real is None or better == "neither":
        return "unknown"
    value, real = defined(metric.value.value), defined(metric.real.value)
    if value is None or real is None:
        return "unknown"
    if card(metric.key).of_one_size and not _of_one_size(metric.value, metric.real):
        return "unknown"
    upper, lower = (metric.value, metric.real) if value > real else (metric.real, metric.value)
    ends = defined(upper.low), defined(lower.high)
    if ends[0] is None or ends[1] is None:
        return "unknown"
    # What lies between two independent numbers, by the halves of their intervals that face each
    # other (Zou and Donner, Statistics in Medicine 2008). These two share a reference, which makes
    # the rule cautious. A width of 0 says nothing of chance: then like numbers vary alike.
    first, second = max(value, real) - ends[0], ends[1] - min(value, real)
    noise = math.hypot(first or second, second or first)
    if not noise or abs(value - real) <= noise:
        return "unclear"
    return "better" if (value > real) == (better == "higher") else "worse"


SAME_SIZE = 0.9
"""Sets count as of one size where the smaller has so large a share of the larger's graphs."""


def _of_one_size(one: Estimate, other: Estimate) -> bool:
    return min(one.n, other.n) >= SAME_SIZE * max(one.n, other.n)
