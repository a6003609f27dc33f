r"""The numbers as LaTeX tables (package ``booktabs``), every text escaped."""

from collections.abc import Sequence

from graphassay import metric_cards as cards
from graphassay.report import numbers as fmt
from graphassay.results import AuditResult, Distribution, Estimate, Undefined, Value

_ESCAPES = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "\N{MINUS SIGN}": r"\ensuremath{-}",
    "\N{NO-BREAK SPACE}": "~",
    "ρ": r"\ensuremath{\rho}",
    "Δ": r"\ensuremath{\Delta}",
    "–": "--",
    "—": "---",
    "…": r"\ldots{}",
}


def escape(text: str) -> str:
    r"""Plain text as LaTeX; what pdfLaTeX cannot print is written as its code point.

    Example:
        >>> print(escape("50% of a_b"))
        50\% of a\_b
    """
    return "".join(_character(c) for c in text)


def tables(result: AuditResult) -> str:
    """Headline numbers against the references, copies, strata and novel-only."""
    parts = [
        f"% {_comment(result.name)}: made by graphassay; needs \\usepackage{{booktabs}}",
        _headline(result),
        _copies(result),
    ]
    if result.strata:
        parts.append(_strata(result))
    if not isinstance(result.novel_only, Undefined):
        parts.append(_novel(result))
    return "\n\n".join(parts) + "\n"


def _headline(result: AuditResult) -> str:
    roles = _roles(result)
    rows = []
    for key, metric in result.alignment.metrics.items():
        cells = [_symbol(key), _with_interval(metric.model)]
        cells += [
            _with_interval(metric.references[r]) if r in metric.references else "--" for r in roles
        ]
        cells += [_value(metric.percentile, 1), _value(metric.z, 1), _value(metric.delta)]
        rows.append(cells)
    head = ["Metric", escape(result.name), *(escape(cards.REFERENCES[r].name) for r in roles)]
    head += [cards.PLACES["percentile"].name, _symbol("z"), _symbol("delta")]
    caption = (
        "Alignment of frequent patterns: model with its 95\\,\\% interval, references with median "
        "and 95\\,\\% range; percentile, $z$ and $\\Delta$ against the photocopier (bootstrap)."
    )
    return _table(head, rows, caption, "audit-alignment")


def _copies(result: AuditResult) -> str:
    rows = []
    for role, rates in result.copying.items():
        name = result.name if role == "generated" else _role_name(role)
        cells = [escape(name), escape(fmt.count(rates.n_records))]
        for key in cards.COPY_RATES:
            estimate: Estimate = getattr(rates, key)
            cells.append(_with_interval(estimate, share=True))
        rows.append(cells)
    head = ["Set", "Records", *(escape(card.name) for card in cards.COPY_RATES.values())]
    return _table(head, rows, "Copies of whole graphs, with 95\\,\\% intervals.", "audit-copies")


def _strata(result: AuditResult) -> str:
    keys = ("coverage", "missing_mass", "jsd", "rho", "rho_train")
    rows = []
    for stratum in result.strata:
        rows.append(
            [stratum.name, escape(result.name), f"{stratum.n_shared} / {stratum.n_patterns}"]
            + [_value(getattr(stratum.model, key)) for key in keys]
        )
        rows += [
            [stratum.name, escape(_role_name(role)), "--"]
            + [_value(getattr(scores, key)) for key in keys]
            for role, scores in stratum.references.items()
        ]
    head = ["Stratum", "Set", "Shared", *(_symbol(key) for key in keys)]
    caption = "Strata of the training patterns; references show their median draw."
    return _table(head, rows, caption, "audit-strata")


def _novel(result: AuditResult) -> str:
    novel = result.novel_only
    assert not isinstance(novel, Undefined)
    rows = [
        [
            _symbol(key),
            _value(value),
            _with_interval(novel.control[key]) if key in novel.control else "--",
            _value(novel.percentile[key], 1) if key in novel.percentile else "--",
        ]
        for key, value in novel.metrics.items()
    ]
    caption = (
        f"Novel graphs only ($n = {novel.n_novel}$) against random subsets of all generations "
        "of the same size."
    )
    return _table(
        ["Metric", "Novel only", "Same size", cards.PLACES["percentile"].name],
        rows,
        caption,
        "audit-novel",
    )


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], caption: str, label: str) -> str:
    lines = [
        r"\begin{table}",
        r"\centering\footnotesize\setlength{\tabcolsep}{4pt}",
        rf"\caption{{{caption}}}",
        rf"\label{{tab:{label}}}",
        rf"\begin{{tabular}}{{l{'r' * (len(head) - 1)}}}",
        r"\toprule",
        " & ".join(head) + r" \\",
        r"\midrule",
        *(" & ".join(row) + r" \\" for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines)


def _with_interval(item: Estimate | Distribution, *, share: bool = False) -> str:
    middle = item.value if isinstance(item, Estimate) else item.median
    write = fmt.percent if share else fmt.number
    if isinstance(middle, Undefined):
        return escape(write(middle))
    if isinstance(item.low, Undefined) or isinstance(item.high, Undefined):
        return escape(write(middle))
    return escape(f"{write(middle)} ({write(item.low)} – {write(item.high)})")


def _value(value: Value, digits: int = 3) -> str:
    return escape(fmt.number(value, digits))


def _roles(result: AuditResult) -> list[str]:
    present = {r for m in result.alignment.metrics.values() for r in m.references}
    return [role for role in cards.REFERENCES if role in present]


def _role_name(role: str) -> str:
    return cards.REFERENCES[role].name if role in cards.REFERENCES else role


def _symbol(key: str) -> str:
    card = cards.CARDS.get(key)
    return escape(key) if card is None else card.latex or escape(card.symbol)


def _character(c: str) -> str:
    if c in _ESCAPES:
        return _ESCAPES[c]
    if c in "\n\r\t":
        return " "
    if c.isprintable() and ord(c) < 0x250:
        return c
    return rf"\texttt{{U+{ord(c):04X}}}"


def _comment(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)
