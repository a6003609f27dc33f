"""Heat maps as tables: each cell holds its number, and its colour says how large it is."""

from collections.abc import Sequence

from markupsafe import Markup

from graphassay.report.matrix import Matrix, MatrixRow, SeedMean, over_seeds
from graphassay.report.names import TOKEN_KINDS
from graphassay.report.numbers import defined, deviation, number, spread
from graphassay.results import Undefined
from graphassay.results.linearization import StrategyScores

MEASURES = {"nll_per_token": "NLL per token", "lu": "Linearization uncertainty (LU)"}
"""The measures of the matrix besides the ECE of each token kind."""


def measure_name(measure: str) -> str:
    """What a measure of the matrix is called.

    Example:
        >>> measure_name("ece:revisit"), measure_name("nll_per_token")
        ('ECE, revisit', 'NLL per token')
    """
    kind = measure.removeprefix("ece:")
    return MEASURES[measure] if measure in MEASURES else f"ECE, {TOKEN_KINDS[kind].lower()}"


def heatmap(table: Matrix, measure: str, *, top: float, caption: str) -> Markup:
    """One measure over the matrix; the deepest colour is ``top``, none is 0.

    A native cell (evaluated as trained) has a frame. The pointer is told what the cell is made of.
    """
    head = Markup().join(
        Markup('<th scope="col">{0}</th>').format(table.column_names[c]) for c in table.columns
    )
    rows = Markup().join(_row(row, table, measure, top) for row in table.rows)
    return Markup(
        '<div class="scroll"><table class="heat"><caption>{c}</caption><thead><tr><th scope="col" '
        'class="corner">trained ↓ evaluated →</th>{h}</tr></thead><tbody>{r}</tbody></table>'
        "</div>"
    ).format(c=caption, h=head, r=rows)


def _row(row: MatrixRow, table: Matrix, measure: str, top: float) -> Markup:
    cells = Markup()
    for column in table.columns:
        scores = row.cells.get(column, ())
        cells += _cell(scores, over_seeds(scores, measure), top, wide=len(table.columns) < 3)
    return Markup('<tr><th scope="row">{0}</th>{1}</tr>').format(row.name, cells)


def _cell(
    scores: Sequence[StrategyScores], mean: SeedMean | None, top: float, *, wide: bool
) -> Markup:
    if not scores:
        return Markup('<td class="gone" title="not evaluated">–</td>')
    if mean is None:
        return Markup('<td class="gone" title="this kind of token never occurs">–</td>')
    native = " native" if any(s.native for s in scores) else ""
    value = defined(mean.value)
    if value is None:
        return Markup('<td class="gone{0}" title="undefined: {1}">undef.</td>').format(
            native, "; ".join(mean.reasons)
        )
    sd, low, high = (defined(v) for v in (mean.sd, mean.low, mean.high))
    beside = "" if sd is None else f"± {deviation(sd)}"
    if wide and low is not None and high is not None:
        beside = f"{number(low)} to {number(high)}"
    return Markup('<td class="cell{n}" style="--p:{p:.3f}" title="{t}">{v}{s}</td>').format(
        n=native,
        p=min(1.0, max(0.0, value / top)) if top > 0 else 0.0,
        t=cell_title(mean),
        v=deviation(value),  # as a spread: what is smaller than its digits is said to be smaller
        s=Markup(" <small>{0}</small>").format(beside) if beside else "",
    )


def cell_title(mean: SeedMean) -> str:
    """What a number of the matrix is made of: its interval, or the runs behind it."""
    text = spread(mean.value, mean.sd)
    if mean.n_runs > 1:
        text += f" (sd) over {mean.n} of {mean.n_runs} runs"
    elif not isinstance(mean.low, Undefined) and not isinstance(mean.high, Undefined):
        text += f", interval {number(mean.low)} to {number(mean.high)}"
    if mean.reasons and mean.n:
        text += f"; undefined in the others: {'; '.join(mean.reasons)}"
    return text


def highest(table: Matrix, measures: Sequence[str]) -> float:
    """The largest mean of some measures, so that their maps can share one scale."""
    values = [
        value
        for row in table.rows
        for scores in row.cells.values()
        for measure in measures
        for mean in [over_seeds(scores, measure)]
        if mean is not None
        for value in [defined(mean.value)]
        if value is not None
    ]
    return max(values, default=0.0)
