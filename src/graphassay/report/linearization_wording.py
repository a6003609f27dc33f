"""What the likelihoods say about the graph and its order, in words by stated rules.

The rules of `graphassay.report.wording`: a difference is claimed only where intervals do not
overlap, or one leaves out the value that means nothing. Numbers of the same graphs have no interval
of their difference here: of those it is said whether their intervals overlap, and no more.
"""

from graphassay.report.matrix import by_run, is_random, measured
from graphassay.report.names import predictor
from graphassay.report.numbers import count, defined, interval, number
from graphassay.report.wording import against, compared, listed, stated
from graphassay.results import Undefined
from graphassay.results.linearization import (
    LinearizationAudit,
    Prediction,
    Predictor,
    Saturation,
    SelfAssessment,
    StrategyScores,
)

_MEASURES = (("nll_per_token", "NLL per token"), ("lu", "LU"), ("ece:all", "ECE"))


def order_takeaway(audit: LinearizationAudit) -> str:
    """The run under audit in its own order against random order."""
    if not audit.matrix:
        return "No held-out graph was scored."
    own = by_run(audit)[0]
    run = own[0].run
    native = next((s for s in own if s.native), None)
    random = next((s for s in own if is_random(s.evaluated_on)), None)
    if native is None:
        return f"{run} was not evaluated in the order that it was trained on."
    if random is None or random is native:
        why = (
            "The run was trained on random order, so its own order is random order too"
            if random is native
            else "The run was not evaluated in random order, so nothing can be compared"
        )
        return f"{why}. {_measures(native)}."
    parts = []
    claimed = False
    for measure, name in _MEASURES:
        first, second = measured(native, measure), measured(random, measure)
        if first is None or second is None:
            continue
        where = compared(second, first)
        claimed |= where == "above" and measure != "ece:all"
        words = {
            "above": "higher",
            "below": "lower",
            "unclear": "intervals overlap",
            "unknown": "not compared",
        }[where]
        parts.append(f"{name} {stated(first)} natively, {stated(second)} in random order ({words})")
    head = (
        "The likelihoods depend on the order in which a graph is written"
        if claimed
        else "A dependence on the order is not shown"
    )
    return f"{head}: {'; '.join(parts)}."


def _measures(scores: StrategyScores) -> str:
    parts = [
        f"{name} {stated(estimate)}"
        for measure, name in _MEASURES
        for estimate in [measured(scores, measure)]
        if estimate is not None
    ]
    return listed(parts)


_PAIRED = ", which for numbers of the same graphs does not rule out a difference"


def self_takeaway(found: SelfAssessment) -> str:
    """Generated sequences beside re-linearizations of the same graphs."""
    rows = (
        ("tokens", "longer", "shorter", found.tokens_generated, found.tokens_resampled),
        ("NLL", "higher in NLL", "lower in NLL", found.nll_generated, found.nll_resampled),
        (
            "back-references",
            "richer in back-references",
            "poorer in back-references",
            found.back_references_generated,
            found.back_references_resampled,
        ),
    )
    claims: list[str] = []
    open_: list[str] = []
    unknown: list[str] = []
    for name, above, below, generated, resampled in rows:
        where = compared(generated, resampled)
        if where in ("above", "below"):
            words = above if where == "above" else below
            claims.append(f"{words} ({number(generated.value)} against {number(resampled.value)})")
        else:
            (unknown if where == "unknown" else open_).append(name)
    parts = []
    if claims:
        parts.append(
            f"The sequences that the model generated are {listed(claims)} than re-linearizations "
            f"of the same {count(found.n)} graphs: the intervals do not overlap."
        )
    if open_:
        parts.append(f"In {listed(open_)} the intervals overlap{_PAIRED}.")
    if unknown:
        parts.append(f"Not comparable: {listed(unknown)}.")
    return " ".join(parts)


def prediction_takeaway(found: Prediction) -> str:
    """Which numbers tell good graphs from bad."""
    groups: dict[str, list[str]] = {"above": [], "below": [], "unclear": [], "unknown": []}
    for one in found.predictors:
        groups[against(one.auc, 0.5)].append(f"{predictor(one.key)} ({_auc(one)})")
    words = {
        "above": "Lower for good graphs than for bad",
        "below": "Higher for good graphs than for bad",
        "unclear": "Not shown to tell them apart",
        "unknown": "Not judged",
    }
    parts = [f"{words[where]}: {listed(items)}." for where, items in groups.items() if items]
    meaning = "" if found.target == "good" else f" ({found.target})"
    head = f"{count(found.n_good)} of {count(found.n)} generated graphs are good{meaning}."
    return " ".join([head, *parts]) + _lu_against_nll(found)


def _auc(one: Predictor) -> str:
    if isinstance(one.auc.value, Undefined):
        return number(one.auc.value)
    return f"AUC {number(one.auc.value)}, {interval(one.auc)}"


def _lu_against_nll(found: Prediction) -> str:
    by_key: dict[str, Predictor] = {p.key: p for p in found.predictors}
    if "lu" not in by_key or "generation_nll" not in by_key:
        return ""
    where = compared(by_key["lu"].auc, by_key["generation_nll"].auc)
    words = {
        "above": "LU has the higher AUC, generation NLL the lower: their intervals do not overlap",
        "below": "Generation NLL has the higher AUC, LU the lower: their intervals do not overlap",
        "unclear": f"The intervals of LU and generation NLL overlap{_PAIRED}",
    }
    return f" {words[where]}." if where in words else ""


def saturation_takeaway(curves: tuple[Saturation, ...]) -> str:
    """How many of the last draws were new, by strategy."""
    parts = [
        f"{curve.strategy} {number(curve.distinct[-1], 1)} of {count(curve.drawn[-1])}"
        for curve in curves
        if curve.drawn
    ]
    if not parts:
        return "No linearizations were counted."
    return f"Distinct linearizations per graph, mean: {listed(parts)}. Stated, without an interval."


def scatter_takeaway(audit: LinearizationAudit) -> str:
    """What the scatter shows."""
    shown = audit.scatter
    good = sum(g.good is True for g in shown)
    bad = sum(g.good is False for g in shown)
    no_lu = sum(isinstance(g.lu, Undefined) for g in shown)
    which = f"{count(len(shown))} generated graph{'' if len(shown) == 1 else 's'}"
    if audit.n_scatter_of > len(shown):
        which += f" (a selection of {count(audit.n_scatter_of)})"
    meaning = f" by {audit.scatter_target}" if audit.scatter_target else ""
    text = f"{which}: {count(good)} good{meaning}, {count(bad)} not"
    unknown = len(shown) - good - bad
    text += f", {count(unknown)} not known" if unknown else ""
    if no_lu:
        text += f"; {count(no_lu)} without an LU, on the lower edge"
    return text + "."


def bound_takeaway(scores: StrategyScores) -> str:
    """By how much the importance-weighted bound lies above the mean log-likelihood."""
    bound = scores.bound
    if isinstance(bound, Undefined):
        return f"The bound is {number(bound)}."
    gain = defined(bound.importance.value), defined(bound.mean_log_p.value)
    if gain[0] is None or gain[1] is None:
        return "The bound on log p(G) is undefined."
    return (
        f"Mean over the graphs, in the native order: log p(G), the sum over all linearizations, is "
        f"in expectation at least {stated(bound.importance)} nats; a single linearization has "
        f"{stated(bound.mean_log_p)}."
    )
