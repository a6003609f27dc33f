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
    """The runs of one training strategy, and their scores under each evaluation strategy."""

    name: str
    trained_on: str
    runs: tuple[str, ...]
    cells: dict[str, tuple[StrategyScores, ...]]

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
    """Rows: training strategies (runs that differ in their seed together). Columns: evaluation."""

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


def matrix(audit: LinearizationAudit) -> Matrix:
    """Group the cells: runs with one training strategy and different seeds make one row.

    Two runs with the same strategy and the same seed are no repeats of one another (they differ in
    size or data): then each run of that strategy has its own row.
    """
    seeds: dict[str, dict[int, set[str]]] = {}
    for scores in audit.matrix:
        seeds.setdefault(scores.trained_on, {}).setdefault(scores.seed, set()).add(scores.run)
    apart = {s for s, by_seed in seeds.items() if any(len(runs) > 1 for runs in by_seed.values())}
    columns = list(dict.fromkeys(s.evaluated_on for s in audit.matrix))
    names = short_names([*seeds, *columns])
    groups: dict[tuple[str, str], list[StrategyScores]] = {}
    for scores in audit.matrix:
        own = scores.run if scores.trained_on in apart else ""
        groups.setdefault((scores.trained_on, own), []).append(scores)
    # Columns in the order of the rows where they are the same strategies: natives on the diagonal.
    columns.sort(key=lambda c: list(seeds).index(c) if c in seeds else len(seeds))
    rows = []
    for (trained_on, run), members in groups.items():
        cells = {
            column: tuple(s for s in members if s.evaluated_on == column) for column in columns
        }
        rows.append(
            MatrixRow(
                names[trained_on] + (f" ({run})" if run else ""),
                trained_on,
                tuple(dict.fromkeys(s.run for s in members)),
                {column: scores for column, scores in cells.items() if scores},
            )
        )
    return Matrix(tuple(rows), tuple(columns), names)


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
