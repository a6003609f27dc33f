r"""The numbers as LaTeX tables (package ``booktabs``), every text escaped."""

from graphassay import metric_cards as cards
from graphassay.report import latex_linearization, latex_model
from graphassay.report import numbers as fmt
from graphassay.report.latex_text import comment, escape, symbol, table, value, with_interval
from graphassay.results import AuditResult, Estimate, Undefined


def tables(result: AuditResult) -> str:
    """Headline numbers against the references, copies, strata, novel-only; then the model, the
    linearizations and the quality, where the audit has them.
    """
    parts = [
        f"% {comment(result.name)}: made by graphassay; needs \\usepackage{{booktabs}}",
        _headline(result),
        _copies(result),
    ]
    if result.strata:
        parts.append(_strata(result))
    if not isinstance(result.novel_only, Undefined):
        parts.append(_novel(result))
    if result.model is not None:
        parts += latex_model.model_tables(result.model)
    if result.linearization is not None:
        parts += latex_linearization.linearization_tables(result.linearization)
    if result.quality is not None:
        parts += latex_model.quality_tables(result.quality)
    return "\n\n".join(parts) + "\n"


def _headline(result: AuditResult) -> str:
    roles = _roles(result)
    rows = []
    for key, metric in result.alignment.metrics.items():
        cells = [symbol(key), with_interval(metric.model)]
        cells += [
            with_interval(metric.references[r]) if r in metric.references else "--" for r in roles
        ]
        cells += [value(metric.percentile, 1), value(metric.z, 1), value(metric.delta)]
        rows.append(cells)
    head = ["Metric", escape(result.name), *(escape(cards.REFERENCES[r].name) for r in roles)]
    head += [cards.PLACES["percentile"].name, symbol("z"), symbol("delta")]
    caption = (
        "Alignment of frequent patterns: model with its 95\\,\\% interval, references with median "
        "and 95\\,\\% range; percentile, $z$ and $\\Delta$ against the photocopier (bootstrap)."
    )
    return table(head, rows, caption, "audit-alignment")


def _copies(result: AuditResult) -> str:
    rows = []
    for role, rates in result.copying.items():
        name = result.name if role == "generated" else _role_name(role)
        cells = [escape(name), escape(fmt.count(rates.n_records))]
        for key in cards.COPY_RATES:
            estimate: Estimate = getattr(rates, key)
            cells.append(with_interval(estimate, share=True))
        rows.append(cells)
    head = ["Set", "Records", *(escape(card.name) for card in cards.COPY_RATES.values())]
    return table(head, rows, "Copies of whole graphs, with 95\\,\\% intervals.", "audit-copies")


def _strata(result: AuditResult) -> str:
    keys = ("coverage", "missing_mass", "jsd", "rho", "rho_train")
    rows = []
    for stratum in result.strata:
        rows.append(
            [stratum.name, escape(result.name), f"{stratum.n_shared} / {stratum.n_patterns}"]
            + [value(getattr(stratum.model, key)) for key in keys]
        )
        rows += [
            [stratum.name, escape(_role_name(role)), "--"]
            + [value(getattr(scores, key)) for key in keys]
            for role, scores in stratum.references.items()
        ]
    head = ["Stratum", "Set", "Shared", *(symbol(key) for key in keys)]
    caption = "Strata of the training patterns; references show their median draw."
    return table(head, rows, caption, "audit-strata")


def _novel(result: AuditResult) -> str:
    novel = result.novel_only
    assert not isinstance(novel, Undefined)
    rows = [
        [
            symbol(key),
            value(measured),
            with_interval(novel.control[key]) if key in novel.control else "--",
            value(novel.percentile[key], 1) if key in novel.percentile else "--",
        ]
        for key, measured in novel.metrics.items()
    ]
    caption = (
        f"Novel graphs only ($n = {novel.n_novel}$) against random subsets of all generations "
        "of the same size."
    )
    return table(
        ["Metric", "Novel only", "Same size", cards.PLACES["percentile"].name],
        rows,
        caption,
        "audit-novel",
    )


def _roles(result: AuditResult) -> list[str]:
    present = {r for m in result.alignment.metrics.values() for r in m.references}
    return [role for role in cards.REFERENCES if role in present]


def _role_name(role: str) -> str:
    return cards.REFERENCES[role].name if role in cards.REFERENCES else role


__all__ = ["escape", "tables"]
