"""Two sentences from stated rules; never stronger than the intervals allow.

The rules, in this order:

1. *Enough data*: at least 50 training and 50 generated graphs and 10 training patterns; and chance
   (rewired train) must be tellable from a photocopier (bootstrap) by JSD. Else undecided.
2. *Copies dominate*: beyond what fresh real graphs would repeat anyway (F), more than half of the
   generated graphs are copies: (EM - F) / (1 - F) > 1/2, with EM's lower bound and F's upper
   bound. F is the holdout's exact-match rate, or, if larger, the rate at which the model itself
   repeats unseen holdout graphs, scaled to the size of train; without a holdout, Good-Turing's
   estimate from train. Then memorization-dominated, however good the alignment: copies align by
   themselves.
3. *Aligned*: JSD is within the range of photocopies or of the holdout, and its interval wholly
   below the range of chance; or where it stands between chance (0) and a photocopier (1), called
   the position, is surely at least 3/4. A position surely below 1/2 is misaligned.
4. *Novel graphs carry the alignment*: the novel graphs alone are no worse in JSD than random
   subsets of the same size, or keep a position of at least 3/4.

Beyond memorization needs: copies surely do not dominate, aligned, and novel graphs carry it.
Anything else is undecided, with the rule that failed to decide.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from graphassay.results import (
    Alignment,
    Check,
    CopyRates,
    Distribution,
    Estimate,
    NovelOnly,
    Undefined,
    Value,
    Verdict,
    VerdictKind,
)

MIN_GRAPHS = 50
MIN_PATTERNS = 10
DOMINANT = 0.5
ALIGNED = 0.75
CHANCE = 0.5
FEW = 0.1
"""Below this share of copies the headline says "only"; no rule depends on it."""


@dataclass(frozen=True)
class Position:
    """Where a JSD stands between chance (0) and a photocopier (1), with its interval."""

    value: float
    low: float
    high: float


def judge(
    copying: Mapping[str, CopyRates],
    expected_repeats: Estimate,
    alignment: Alignment,
    novel_only: NovelOnly | Undefined,
    *,
    without_preference: Estimate | None = None,
) -> Verdict:
    """The verdict and every check behind it.

    Args:
        copying: keyed ``generated`` and, when there is one, ``holdout``.
        expected_repeats: Good-Turing estimate from train, used without a holdout.
        alignment: model and references.
        novel_only: the novel graphs alone, or why not.
        without_preference: exact-match rate of a generator that repeats a training graph as often
            as an unseen holdout graph; fair where real data exhaust a small space.
    """
    enough = _enough(copying["generated"], alignment)
    copies = _copies(copying, expected_repeats, without_preference)
    aligned, misaligned = _aligned(alignment)
    novel = _novel(alignment, novel_only)
    checks = (enough, copies, aligned, misaligned, novel)
    kind = _kind(enough, copies, aligned, misaligned, novel)
    return Verdict(
        kind=kind,
        headline=_headline(kind, copying),
        reason=_reason(kind, alignment, checks, novel_only),
        checks=checks,
    )


def _kind(
    enough: Check, copies: Check, aligned: Check, misaligned: Check, novel: Check
) -> VerdictKind:
    if not enough.holds:
        return "undecided"
    if copies.holds:
        return "memorization-dominated"
    if misaligned.holds:
        return "misaligned"
    if copies.holds is False and aligned.holds and novel.holds:
        return "beyond-memorization"
    return "undecided"


def _enough(generated: CopyRates, alignment: Alignment) -> Check:
    rule = (
        f"at least {MIN_GRAPHS} training and {MIN_GRAPHS} generated graphs, {MIN_PATTERNS} "
        "training patterns, and rewired graphs that differ from a photocopier by JSD"
    )
    jsd = alignment.metrics["jsd"].references
    tellable = _is_above(_span(jsd["rewired"])[0], _span(jsd["bootstrap"])[1])
    measured = (
        f"{generated.n_train:,} training and {alignment.n_generated:,} generated graphs, "
        f"{alignment.patterns.train:,.0f} training patterns; JSD of rewired graphs "
        f"{_range(jsd['rewired'])}, of photocopies {_range(jsd['bootstrap'])}"
    )
    large = (
        generated.n_train >= MIN_GRAPHS
        and alignment.n_generated >= MIN_GRAPHS
        and alignment.patterns.train >= MIN_PATTERNS
    )
    return Check(rule, measured, large and tellable)


def _copies(
    copying: Mapping[str, CopyRates],
    expected_repeats: Estimate,
    without_preference: Estimate | None,
) -> Check:
    rule = (
        "more than half of the generated graphs are copies beyond what fresh real graphs would "
        "repeat anyway"
    )
    match = copying["generated"].exact_match
    if "holdout" in copying:
        fresh, origin = copying["holdout"].exact_match, "in the holdout"
        if without_preference is not None and _is_above(without_preference.value, fresh.value):
            fresh = without_preference
            origin = "if it repeated training graphs as often as unseen holdout graphs"
    else:
        fresh, origin = expected_repeats, "expected of fresh graphs (Good-Turing, from train)"
    measured = f"{_percent(match)} exact matches; {_percent(fresh)} {origin}"
    low, high = (
        _excess(match.low, fresh.high),
        _excess(match.high, fresh.low),
    )
    if low is None or high is None:
        return Check(rule, measured, None)
    holds = True if low > DOMINANT else False if high < DOMINANT else None
    return Check(rule, measured, holds)


def _excess(match: Value, fresh: Value) -> float | None:
    """Share of copies among the graphs that fresh data would not have repeated."""
    if isinstance(match, Undefined) or isinstance(fresh, Undefined) or fresh >= 1:
        return None
    return (match - fresh) / (1 - fresh)


def position(jsd: Estimate | Value, references: Mapping[str, Distribution]) -> Position | None:
    """Where a JSD stands between chance and a photocopier; None where that is undefined."""
    if not isinstance(jsd, Estimate):
        jsd = Estimate(jsd, jsd, jsd, 0, "")
    if "rewired" not in references or "bootstrap" not in references:
        return None
    chance, copy = references["rewired"].median, references["bootstrap"].median
    numbers = (jsd.value, jsd.low, jsd.high, chance, copy)
    if any(isinstance(number, Undefined) for number in numbers):
        return None
    value, low, high, chance, copy = (float(n) for n in numbers)  # type: ignore[arg-type]
    if chance <= copy:
        return None
    return Position(*((chance - x) / (chance - copy) for x in (value, high, low)))


def _aligned(alignment: Alignment) -> tuple[Check, Check]:
    comparison = alignment.metrics["jsd"]
    rule = (
        "JSD is within the range of photocopies or of the holdout, and its interval wholly below "
        "that of chance; or on the scale from chance (0) to photocopier (1) it is surely above "
        f"{ALIGNED}"
    )
    opposite = f"on the scale from chance (0) to photocopier (1) it is surely below {CHANCE}"
    if alignment.patterns.generated == 0:
        measured = "no pattern is frequent in the generated set: all of train's mass is missing"
        return Check(rule, measured, False), Check(opposite, measured, True)
    place = position(comparison.model, comparison.references)
    if place is None:
        measured = f"JSD {_number(comparison.model.value)}, interval or references undefined"
        return Check(rule, measured, None), Check(opposite, measured, None)
    measured = (
        f"position {place.value:.2f} ({place.low:.2f} to {place.high:.2f}); JSD "
        f"{_number(comparison.model.value)} against {_range(comparison.references['bootstrap'])} "
        f"for photocopies and {_range(comparison.references['rewired'])} for rewired graphs"
    )
    if "holdout" in comparison.references:
        measured += f", {_range(comparison.references['holdout'])} for the holdout"
    within = any(
        not _is_above(comparison.model.value, _span(comparison.references[role])[1])
        for role in ("bootstrap", "holdout")
        if role in comparison.references
    )
    tellable = _is_above(_span(comparison.references["rewired"])[0], comparison.model.high)
    holds = True if place.low >= ALIGNED or (within and tellable) else None
    if holds is None and place.high < ALIGNED:
        holds = False
    below = True if place.high < CHANCE else False if place.low >= CHANCE else None
    return Check(rule, measured, holds), Check(opposite, measured, below)


def _novel(alignment: Alignment, novel_only: NovelOnly | Undefined) -> Check:
    rule = (
        "the novel graphs alone are no worse in JSD than random subsets of the same size, or stay "
        f"above {ALIGNED} on the scale"
    )
    if isinstance(novel_only, Undefined):
        return Check(rule, novel_only.reason, None)
    value, control = novel_only.metrics["jsd"], novel_only.control["jsd"]
    measured = (
        f"JSD {_number(value)} of {novel_only.n_novel:,} novel graphs; "
        f"{_range(control)} of random subsets of that size"
    )
    high = _span(control)[1]
    if isinstance(value, Undefined) or isinstance(high, Undefined):
        return Check(rule, measured, None)
    if value <= high:
        return Check(rule, measured, True)
    place = position(value, alignment.metrics["jsd"].references)
    if place is None:
        return Check(rule, measured, None)
    return Check(rule, f"{measured}; position {place.value:.2f}", place.value >= ALIGNED)


def _headline(kind: VerdictKind, copying: Mapping[str, CopyRates]) -> str:
    match = _percent(copying["generated"].exact_match)
    if kind == "memorization-dominated":
        return (
            f"Memorization-dominated: {match} of the generated graphs are exact copies of "
            "training graphs."
        )
    if kind == "misaligned":
        return (
            "Misaligned: the patterns of the generated graphs are nearer to those of randomly "
            "rewired training graphs than to those of a resample of train."
        )
    if kind == "beyond-memorization":
        high = copying["generated"].exact_match.high
        if not isinstance(high, Undefined) and high < FEW:
            return (
                f"Beyond memorization: only {match} of the generated graphs are exact copies, and "
                "their patterns align with train's."
            )
        return (
            f"Beyond memorization: {match} of the generated graphs are exact copies, but the "
            "others align with train's patterns too."
        )
    return (
        f"Undecided: {match} of the generated graphs are exact copies, and the numbers do not "
        "settle what the model learned."
    )


def _reason(
    kind: VerdictKind,
    alignment: Alignment,
    checks: tuple[Check, ...],
    novel_only: NovelOnly | Undefined,
) -> str:
    jsd = alignment.metrics["jsd"]
    where = f"JSD to train is {_number(jsd.model.value)}"
    if "bootstrap" in jsd.references:
        where += f", a photocopier's is {_range(jsd.references['bootstrap'])}"
    if "holdout" in jsd.references:
        where += f", fresh real graphs' is {_range(jsd.references['holdout'])}"
    if "rewired" in jsd.references:
        where += f" and rewired graphs' {_range(jsd.references['rewired'])}"
    if kind == "memorization-dominated":
        return f"{where}; with so many copies no alignment is evidence that structure was learned."
    if kind == "misaligned":
        return f"{where}."
    if kind == "beyond-memorization":
        assert not isinstance(novel_only, Undefined)
        return (
            f"{where}; the {novel_only.n_novel:,} novel graphs alone have "
            f"{_number(novel_only.metrics['jsd'])}, so that copies do not carry the alignment."
        )
    enough, copies, aligned, misaligned, novel = checks
    if not enough.holds:
        return f"There is too little to go by: {enough.measured}."
    if copies.holds is None:
        return f"Whether copies dominate is open: {copies.measured}."
    if aligned.holds is not True:
        open_end = "falls between the rules" if misaligned.holds is False else "is not settled"
        return f"The alignment {open_end}: {aligned.measured}."
    return f"It is open whether the novel graphs carry the alignment: {novel.measured}."


def _is_above(value: Value, bound: Value) -> bool:
    return not isinstance(value, Undefined) and not isinstance(bound, Undefined) and value > bound


def _percent(estimate: Estimate) -> str:
    if isinstance(estimate.value, Undefined):
        return f"undefined ({estimate.value.reason})"
    text = f"{100 * estimate.value:.1f} %"
    if isinstance(estimate.low, Undefined) or isinstance(estimate.high, Undefined):
        return text
    return f"{text} ({100 * estimate.low:.1f} to {100 * estimate.high:.1f})"


def _number(value: Value) -> str:
    return f"undefined ({value.reason})" if isinstance(value, Undefined) else f"{value:.3f}"


def _span(draws: Distribution) -> tuple[Value, Value]:
    """The central 95 % of a reference: quantiles, or mean -/+ 1.96 sd where that is wider.

    Quantiles of ten draws (M's default) are too narrow; the normal range makes up for that.
    """
    numbers = (draws.low, draws.high, draws.mean, draws.sd)
    if any(isinstance(number, Undefined) for number in numbers):
        return draws.low, draws.high
    low, high, mean, sd = (float(n) for n in numbers)  # type: ignore[arg-type]
    return max(0.0, min(low, mean - 1.96 * sd)), max(high, mean + 1.96 * sd)


def _range(draws: Distribution) -> str:
    low, high = _span(draws)
    if isinstance(low, Undefined) or isinstance(high, Undefined):
        return _number(draws.median)
    return f"{low:.3f} to {high:.3f}"
