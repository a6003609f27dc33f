"""The matrix of training against evaluation strategies, averaged over training seeds."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from graphassay.report.names import short_names
from graphassay.results import Estimate, Undefined, Value
from graphassay.results.linearization import LinearizationAudit, StrategyScores


@dataclass(frozen=True)
class SeedMean:
    """A number over the runs of one row: its mean and sd (ddof 1) over those that have it.

    With one run it is that run's own estimate, with its interval over graphs.
    """

    value: Value
    sd: Value
    low: Value
    high: Value
    n: int
    n_runs: int
    reasons: tuple[str, ...] = ()
    """Why a run has no value."""


@dataclass(frozen=True)
class MatrixRow:
    """Runs that differ in their seed alone, and their scores under each evaluation strategy."""

    name: str
    trained_on: str
    runs: tuple[str, ...]
    """Their names, one of each run."""
    cells: dict[str, tuple[StrategyScores, ...]]
    first_run: tuple[StrategyScores, ...]
    """The cells of the first run."""

    @property
    def native(self) -> tuple[StrategyScores, ...]:
        """The scores under the strategy that the runs were trained on; () when not evaluated."""
        found = [s for scores in self.cells.values() for s in scores if s.native]
        return tuple(found)

    @property
    def random(self) -> tuple[StrategyScores, ...]:
        """The scores under random order; () when not evaluated."""
        found = [s for name, scores in self.cells.items() if is_random(name) for s in scores]
        return tuple(found)


@dataclass(frozen=True)
class Matrix:
    """Rows: trained runs, those that differ in their seed alone together. Columns: evaluation."""

    rows: tuple[MatrixRow, ...]
    columns: tuple[str, ...]
    column_names: dict[str, str]


def is_random(strategy: str) -> bool:
    """Whether a strategy is random order, whatever the serialization.

    Example:
        >>> is_random("sent:random"), is_random("random"), is_random("anchor")
        (True, True, False)
    """
    return strategy.rpartition(":")[2].startswith("random")


def by_run(audit: LinearizationAudit) -> list[tuple[StrategyScores, ...]]:
    """The cells of each run, the run under audit first.

    Runs are told apart by their weights, never by their names alone: folders of different runs are
    often called the same. Weights that are given twice count once. Where results do not say which
    weights a cell is of, a second cell under one name and strategy begins another run.
    """
    found: dict[tuple[str, int], dict[str, StrategyScores]] = {}
    for scores in audit.matrix:
        nth = 0
        while not scores.model and scores.evaluated_on in found.get((scores.run, nth), {}):
            nth += 1
        own = found.setdefault((scores.model or scores.run, nth), {})
        own.setdefault(scores.evaluated_on, scores)
    return [tuple(cells.values()) for cells in found.values()]


def matrix(audit: LinearizationAudit) -> Matrix:
    """Group the cells: runs of one family, which differ in their seed alone, make one row.

    Two runs of a family with the same seed are no repeats of one another: then each run of it has
    its own row, and so has a run whose family is not known.
    """
    runs = by_run(audit)
    families: dict[str, list[tuple[StrategyScores, ...]]] = {}
    for number, cells in enumerate(runs):
        families.setdefault(cells[0].family or f"run {number}", []).append(cells)
    groups: list[list[tuple[StrategyScores, ...]]] = []
    for members in families.values():
        repeats = len({cells[0].seed for cells in members}) == len(members)
        groups += [members] if repeats else [[cells] for cells in members]
    trained = [members[0][0].trained_on for members in groups]
    columns = list(dict.fromkeys(s.evaluated_on for s in audit.matrix))
    # Columns in the order of the rows where they are the same strategies: natives on the diagonal.
    columns.sort(key=lambda c: trained.index(c) if c in trained else len(trained))
    names = short_names([*trained, *columns])
    rows = tuple(
        _row(names[strategy], strategy, members, columns, alone=trained.count(strategy) == 1)
        for strategy, members in zip(trained, groups, strict=True)
    )
    return Matrix(rows, tuple(columns), names)


def _row(
    name: str,
    trained_on: str,
    members: Sequence[tuple[StrategyScores, ...]],
    columns: Sequence[str],
    *,
    alone: bool,
) -> MatrixRow:
    runs = tuple(cells[0].run for cells in members)
    if not alone:
        more = f" and {len(runs) - 1} more" if len(runs) > 1 else ""
        name = f"{name} ({runs[0]}{more})"
    cells = {
        column: tuple(s for cells in members for s in cells if s.evaluated_on == column)
        for column in columns
    }
    found = {column: scores for column, scores in cells.items() if scores}
    return MatrixRow(name, trained_on, runs, found, members[0])


def measured(scores: StrategyScores, measure: str) -> Estimate | None:
    """One number of a cell: ``nll_per_token``, ``lu``, ``tokens_per_graph``, ``nll_per_graph`` or
    ``ece:<token kind>``; None where the token kind never occurs.
    """
    if measure.startswith("ece:"):
        reliability = scores.reliability.get(measure.removeprefix("ece:"))
        return None if reliability is None else reliability.ece
    estimate: Estimate = getattr(scores, measure)
    return estimate


def over_seeds(scores: Sequence[StrategyScores], measure: str) -> SeedMean | None:
    """The mean over the runs of a cell; None where nothing was measured."""
    found = [e for s in scores for e in [measured(s, measure)] if e is not None]
    if not found:
        return None
    if len(found) == 1:
        only = found[0]
        gone = Undefined("one run")
        why = only.value.reason if isinstance(only.value, Undefined) else ""
        return SeedMean(
            only.value, gone, only.low, only.high, 0 if why else 1, 1, (why,) if why else ()
        )
    values = [e.value for e in found]
    known = [v for v in values if not isinstance(v, Undefined)]
    reasons = tuple(dict.fromkeys(v.reason for v in values if isinstance(v, Undefined)))
    gone = Undefined(f"{len(found)} runs have no interval of their mean here")
    if not known:
        nothing = Undefined("; ".join(reasons))
        return SeedMean(nothing, nothing, gone, gone, 0, len(found), reasons)
    mean = statistics.fmean(known)
    sd: Value = statistics.stdev(known) if len(known) > 1 else Undefined("one run has a value")
    return SeedMean(mean, sd, gone, gone, len(known), len(found), reasons)
