r"""LaTeX text and tables (package ``booktabs``): every text escaped, one cell a column."""

from collections.abc import Sequence

from graphassay import metric_cards as cards
from graphassay.report import numbers as fmt
from graphassay.results import Distribution, Estimate, Undefined, Value

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


def table(head: Sequence[str], rows: Sequence[Sequence[str]], caption: str, label: str) -> str:
    """A table: the first column left, all others right."""
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


def with_interval(item: Estimate | Distribution, *, share: bool = False) -> str:
    """A value with its interval, or a median with its range."""
    middle = item.value if isinstance(item, Estimate) else item.median
    write = fmt.percent if share else fmt.number
    if isinstance(middle, Undefined):
        return escape(write(middle))
    if isinstance(item.low, Undefined) or isinstance(item.high, Undefined):
        return escape(write(middle))
    return escape(f"{write(middle)} ({write(item.low)} – {write(item.high)})")


def value(value: Value, digits: int = 3) -> str:
    """A number, escaped."""
    return escape(fmt.number(value, digits))


def symbol(key: str) -> str:
    """The symbol of a metric, or its key."""
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


def comment(text: str) -> str:
    """Text that stays in its comment line."""
    return "".join(c if c.isprintable() else " " for c in text)
