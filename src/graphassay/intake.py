"""What became of every record of an input: read, kept, or refused and why."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Self

MAX_EXAMPLES = 5
"""How many refused records are kept per reason, to show."""


@dataclass(frozen=True)
class RefusedRecord:
    """One refused record: its place (1-based line, or record number) and how it began."""

    place: int
    text: str


@dataclass(frozen=True)
class Refusal:
    """All records refused for one reason."""

    reason: str
    n: int
    examples: tuple[RefusedRecord, ...]


@dataclass(frozen=True)
class IntakeReport:
    """The denominators of an audit.

    ``n_records == n_kept + sum(r.n for r in refused)``. A refused record of a generated set is a
    failed generation and stays in the denominator; blank lines and headers are not records.
    """

    source: str
    format: str
    n_records: int
    n_kept: int
    refused: tuple[Refusal, ...] = ()
    sha256: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def n_refused(self) -> int:
        """Records that gave no graph."""
        return self.n_records - self.n_kept


@dataclass
class IntakeTally:
    """Counts refusals while a reader runs, then becomes an `IntakeReport`."""

    source: str
    format: str
    n_kept: int = 0
    notes: list[str] = field(default_factory=list)
    _counts: dict[str, int] = field(default_factory=dict)
    _examples: dict[str, list[RefusedRecord]] = field(default_factory=dict)

    def keep(self, n: int = 1) -> None:
        """Count records that became graphs."""
        self.n_kept += n

    def refuse(self, reason: str, place: int, text: str) -> None:
        """Count one refused record; the first few of each reason are kept as examples."""
        self._counts[reason] = self._counts.get(reason, 0) + 1
        examples = self._examples.setdefault(reason, [])
        if len(examples) < MAX_EXAMPLES:
            examples.append(RefusedRecord(place, text[:120]))

    def merge(self, refusals: Iterable[Refusal]) -> Self:
        """Add the refusals of a worker (in file order, so that examples stay the first ones)."""
        for refusal in refusals:
            self._counts[refusal.reason] = self._counts.get(refusal.reason, 0) + refusal.n
            examples = self._examples.setdefault(refusal.reason, [])
            examples.extend(refusal.examples[: MAX_EXAMPLES - len(examples)])
        return self

    def refusals(self) -> tuple[Refusal, ...]:
        """Refusals so far, most frequent first (ties by reason)."""
        ordered = sorted(self._counts.items(), key=lambda item: (-item[1], item[0]))
        return tuple(Refusal(r, n, tuple(self._examples[r])) for r, n in ordered)

    def report(self, *, sha256: str | None = None) -> IntakeReport:
        """The finished report."""
        refused = self.refusals()
        n_records = self.n_kept + sum(r.n for r in refused)
        return IntakeReport(
            source=self.source,
            format=self.format,
            n_records=n_records,
            n_kept=self.n_kept,
            refused=refused,
            sha256=sha256,
            notes=tuple(self.notes),
        )


def intake_lines(report: IntakeReport, *, verb: str = "kept") -> list[str]:
    """The report as lines of text, examples indented; for terminals and logs.

    Example:
        >>> intake_lines(IntakeReport("a.smi", "smiles", 3, 3))
        ['a.smi: 3 of 3 records kept (smiles)']
    """
    lines = [
        f"{report.source}: {report.n_kept:,} of {report.n_records:,} records {verb} "
        f"({report.format})"
    ]
    for refusal in report.refused:
        share = refusal.n / report.n_records
        lines.append(f"  refused {refusal.n:,} ({share:.1%}): {refusal.reason}")
        lines += [f"    at {e.place:,}: {_printable(e.text)}" for e in refusal.examples]
    lines += [f"  note: {note}" for note in report.notes]
    return lines


def _printable(text: str) -> str:
    """Text from a file, made safe to print (no control codes reach the terminal)."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
