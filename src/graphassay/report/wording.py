"""The one-line takeaways: plain sentences made from the numbers by stated rules.

The rule for every comparison: the model is called better or worse than a reference only when its
interval and the reference's 95 % range do not overlap; otherwise it is "not clearly different".
Scores without an interval (strata) are stated and not compared.
"""

from collections.abc import Sequence
from typing import Literal

from graphassay.metric_cards import METRICS, REFERENCES
from graphassay.report.numbers import count, defined, interval, number, percent
from graphassay.results import (
    Alignment,
    AuditResult,
    CopyRates,
    Distribution,
    Estimate,
    MetricComparison,
    NovelOnly,
    PatternRecord,
    Stratum,
    Undefined,
)

Placement = Literal["better", "worse", "unclear", "unknown"]


def placement(key: str, model: Estimate, reference: Distribution) -> Placement:
    """Where the model's interval lies against a reference's 95 % range."""
    ends = [defined(v) for v in (model.low, model.high, reference.low, reference.high)]
    low, high, ref_low, ref_high = ends
    if low is None or high is None or ref_low is None or ref_high is None:
        return "unknown"
    if low > ref_high:
        return "better" if METRICS[key].better == "higher" else "worse"
    if high < ref_low:
        return "worse" if METRICS[key].better == "higher" else "better"
    return "unclear"


_THAN = {
    "bootstrap": "a photocopier",
    "holdout": "fresh real data",
    "rewired": "chance",
}


def plane_takeaway(result: AuditResult) -> str:
    """Copying and alignment of the model in one or two sentences."""
    parts = [copy_sentence(result.copying["generated"])]
    scores = [
        f"{METRICS[key].symbol} is {number(estimate.value)}"
        + ("" if isinstance(estimate.value, Undefined) else f" ({interval(estimate)})")
        for key in ("jsd", "rho")
        for estimate in [result.alignment.metrics[key].model]
    ]
    parts.append(f"Against train, {' and '.join(scores)}.")
    holdout = result.copying.get("holdout")
    if holdout is not None:
        parts.append(
            f"Fresh real graphs match a training graph in "
            f"{percent(holdout.exact_match.value)} of cases."
        )
    return " ".join(parts)


def copy_sentence(rates: CopyRates) -> str:
    """How much was copied, with the denominator and the interval."""
    return (
        f"{percent(rates.exact_match.value)} of the {count(rates.n_records)} generated records "
        f"are copies of a training graph (95 % interval {interval(rates.exact_match, share=True)})."
    )


def band_takeaway(alignment: Alignment) -> str:
    """Model against photocopier over all headline metrics."""
    groups: dict[Placement, list[str]] = {"better": [], "worse": [], "unclear": [], "unknown": []}
    for key in ("rho", "jsd", "missing_mass", "novel_mass"):
        metric = alignment.metrics.get(key)
        if metric is None or "bootstrap" not in metric.references:
            continue
        where = placement(key, metric.model, metric.references["bootstrap"])
        groups[where].append(METRICS[key].symbol)
    parts = []
    if groups["worse"]:
        parts.append(f"worse than a photocopier on {listed(groups['worse'])}")
    if groups["better"]:
        parts.append(f"better than a photocopier on {listed(groups['better'])}")
    if groups["unclear"]:
        parts.append(f"not clearly different from a photocopier on {listed(groups['unclear'])}")
    if groups["unknown"]:
        parts.append(f"not comparable on {listed(groups['unknown'])} (undefined)")
    if not parts:
        return "There is no photocopier reference to compare with."
    return f"The model is {'; '.join(parts)}."


def metric_sentence(key: str, metric: MetricComparison) -> str:
    """One metric in words: value, place among the resamples, and each reference."""
    card = METRICS[key]
    if isinstance(metric.model.value, Undefined):
        return f"{card.symbol} of the model is {number(metric.model.value)}."
    text = f"{card.symbol} {number(metric.model.value)} ({interval(metric.model)})"
    boot = metric.references.get("bootstrap")
    if boot is not None and not isinstance(boot.median, Undefined):
        text += f", photocopier {number(boot.median)} ({interval(boot)})"
        text += f": {_rank(metric, len(boot.values))}"
        if not isinstance(metric.z, Undefined):
            text += f", z = {number(metric.z, 1)}"
        if not isinstance(metric.delta, Undefined):
            text += f", {_gap(metric.delta)}"
    text += "."
    words = {
        "better": "better than",
        "worse": "worse than",
        "unclear": "not clearly different from",
    }
    for role in ("holdout", "rewired"):
        reference = metric.references.get(role)
        if reference is None:
            continue
        where = placement(key, metric.model, reference)
        if where in words:
            text += f" {words[where].capitalize()} {_THAN[role]} ({number(reference.median)})."
        else:
            text += f" {REFERENCES[role].name}: {number(reference.median)}."
    return text


def _rank(metric: MetricComparison, n: int) -> str:
    percentile = metric.percentile
    if isinstance(percentile, Undefined):
        return f"its percentile is undefined ({percentile.reason})"
    if percentile <= 0:
        return f"below all {count(n)} resamples"
    if percentile >= 100:
        return f"above all {count(n)} resamples"
    return f"above {percentile:.3g} % of the {count(n)} resamples"


def _gap(delta: float) -> str:
    if delta == 0:
        return "equal to their median"
    return f"{number(abs(delta))} {'above' if delta > 0 else 'below'} their median"


def strata_takeaway(strata: Sequence[Stratum]) -> str:
    """Coverage of the rare patterns, stated without a claim (strata carry no interval)."""
    tail = next((s for s in strata if s.name == "tail"), None)
    head = next((s for s in strata if s.name == "head"), None)
    if tail is None or tail.n_patterns == 0:
        return "Train has too few frequent patterns to be split into strata."
    text = (
        f"Of the {count(tail.n_patterns)} rarest training patterns (tail) the model makes "
        f"{count(tail.n_shared)} often enough ({percent(tail.model.coverage)})"
    )
    boot = tail.references.get("bootstrap")
    if boot is not None and not isinstance(boot.coverage, Undefined):
        text += f"; a photocopier's median is {percent(boot.coverage)}"
    if head is not None and not isinstance(head.model.coverage, Undefined):
        text += f". Of the most frequent ones (head) it makes {percent(head.model.coverage)}"
    return text + "."


def scatter_takeaway(shown: Sequence[PatternRecord], n_all: int) -> str:
    """How many of the patterns shown leave the range of their resamples."""
    known = [p for p in shown if p.train > 0]
    if not known:
        return "There is no pattern to show."
    over = sum(p.generated > p.bootstrap_high for p in known)
    under = sum(p.generated < p.bootstrap_low for p in known)
    share = (over + under) / len(known)
    which = (
        f"{count(len(known))} training patterns"
        if len(shown) == n_all
        else f"{count(len(known))} training patterns shown (a selection: {count(len(shown))} of "
        f"{count(n_all)} patterns)"
    )
    return (
        f"Of the {which}, {percent(share)} have a generated support outside the 95 % range that "
        f"the same pattern has over resamples of train: {count(under)} below, {count(over)} above. "
        "About 5 % would be expected of a photocopier."
    )


def novel_takeaway(novel: NovelOnly) -> str:
    """Novel-only against its size-matched control, metric by metric."""
    inside, outside = [], []
    for key in ("rho", "jsd", "missing_mass", "novel_mass"):
        value, control = defined(novel.metrics.get(key)), novel.control.get(key)
        if value is None or control is None:
            continue
        low, high = defined(control.low), defined(control.high)
        if low is None or high is None:
            continue
        if low <= value <= high:
            inside.append(METRICS[key].symbol)
            continue
        better = (value > high) == (METRICS[key].better == "higher")
        outside.append(f"{METRICS[key].symbol} ({'better' if better else 'worse'})")
    head = f"Without the copies {count(novel.n_novel)} generated graphs remain."
    if not inside and not outside:
        return f"{head} Their alignment cannot be compared with the control."
    parts = []
    if outside:
        parts.append(f"outside on {listed(outside)}")
    if inside:
        parts.append(f"inside on {listed(inside)}")
    return (
        f"{head} Against the 95 % range of random subsets of the same size they lie "
        f"{' and '.join(parts)}."
    )


def compared(first: Estimate, second: Estimate) -> Literal["above", "below", "unclear", "unknown"]:
    """Whether one interval lies wholly above or below another."""
    ends = [defined(v) for v in (first.low, first.high, second.low, second.high)]
    low, high, other_low, other_high = ends
    if low is None or high is None or other_low is None or other_high is None:
        return "unknown"
    if low > other_high:
        return "above"
    return "below" if high < other_low else "unclear"


def against(estimate: Estimate, level: float) -> Literal["above", "below", "unclear", "unknown"]:
    """Whether an interval lies wholly above or below a value."""
    return compared(estimate, Estimate(level, level, level, 1, "fixed"))


def stated(estimate: Estimate, *, share: bool = False) -> str:
    """A number with its interval in brackets, or why there is none."""
    write = percent if share else number
    if isinstance(estimate.value, Undefined):
        return write(estimate.value)
    return f"{write(estimate.value)} ({interval(estimate, share=share)})"


def listed(items: Sequence[str]) -> str:
    """Items as a sentence lists them."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} and {items[-1]}"
