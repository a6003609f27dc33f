"""What each number and each reference is: names, direction, range, formula, meaning, source.

The report, the LaTeX tables, the command line and ``docs/metrics.md`` take their words from here;
`graphassay.metrics.registry` binds each card to the function that computes it.
"""

import math
from dataclasses import dataclass
from typing import Literal

PAPER = "“When Graph Language Models Go Beyond Memorization”"
CALIBRATED = f"{PAPER}, section 4.3"

MINUS = "\N{MINUS SIGN}"

PATTERN = (
    "A connected subgraph (not necessarily induced, labels kept) with at least one edge and at "
    "most {max_vertices} vertices. Its support is the share of graphs that contain it; it is "
    "frequent when that share reaches the minimum support."
)


@dataclass(frozen=True)
class MetricCard:
    """What a reader must know of a metric before reading a number.

    Attributes:
        key: the number's name in results.json.
        name: its name in headings and tables.
        symbol: how running text and dense tables call it.
        better: the direction in which a generator improves that should match train's structure
            without copying; ``neither`` where the number only places it.
        low: least possible value.
        high: largest possible value.
        question: what the number answers.
        formula: how it is computed.
        meaning: how to read it.
        undefined: the degenerate cases in which there is no number.
        source: where the definition comes from.
        latex: the symbol in LaTeX, where it is not the plain symbol.
        unit: of the range as text; ``%`` for shares that are shown as percentages.
    """

    key: str
    name: str
    symbol: str
    better: Literal["higher", "lower", "neither"]
    low: float
    high: float
    question: str
    formula: str
    meaning: str
    undefined: str
    source: str
    latex: str = ""
    unit: Literal["", "%"] = ""

    @property
    def range(self) -> str:
        """The range as text.

        Example:
            >>> CARDS["jsd"].range, CARDS["exact_match"].range, CARDS["z"].range
            ('0 to ln 2 ≈ 0.693', '0 to 100 %', 'any number')
        """
        if math.isinf(self.low) or math.isinf(self.high):
            return "any number"
        if self.unit == "%":
            return f"{100 * self.low:g} to {100 * self.high:g} %"
        high = "ln 2 ≈ 0.693" if self.high == math.log(2) else f"{self.high:g}"
        return f"{self.low:g} to {high}".replace("-", MINUS)


COPY_RATES: dict[str, MetricCard] = {
    card.key: card
    for card in (
        MetricCard(
            key="exact_match",
            name="Exact match (EM)",
            symbol="EM",
            better="neither",
            low=0.0,
            high=1.0,
            unit="%",
            question="What share of the generated records is a copy of a training graph?",
            formula="generated records whose graph is isomorphic to a training graph / all "
            "generated records (failed ones included)",
            meaning="Compare it with that of fresh real graphs: in a small graph space real graphs "
            "repeat train too.",
            undefined="no generated record",
            source=f"{PAPER}, section 4.2, equation 1",
        ),
        MetricCard(
            key="novelty",
            name="Novelty",
            symbol="novelty",
            better="neither",
            low=0.0,
            high=1.0,
            unit="%",
            question="What share of the generated records is not a copy?",
            formula="1 − EM; a failed generation is not a copy and counts here",
            meaning="The complement of EM; noise is novel too, so that it says nothing alone.",
            undefined="no generated record",
            source=f"{PAPER}, section 4.2, equation 1",
        ),
        MetricCard(
            key="unique",
            name="Unique",
            symbol="unique",
            better="higher",
            low=0.0,
            high=1.0,
            unit="%",
            question="How many distinct graphs are there per generated record?",
            formula="distinct isomorphism classes / all generated records",
            meaning="Low: the generator repeats itself.",
            undefined="no generated record",
            source=f"{PAPER}, section 6, table 1",
        ),
        MetricCard(
            key="failed",
            name="Failed",
            symbol="failed",
            better="lower",
            low=0.0,
            high=1.0,
            unit="%",
            question="What share of the generated records is no graph?",
            formula="records that gave no graph / all generated records",
            meaning="A failure stays in every denominator and is no copy.",
            undefined="no generated record",
            source="graphassay",
        ),
        MetricCard(
            key="recall",
            name="Recall of train",
            symbol="recall",
            better="neither",
            low=0.0,
            high=1.0,
            unit="%",
            question="What share of the distinct training graphs was reproduced?",
            formula="distinct training graphs that were generated at least once / all distinct "
            "training graphs",
            meaning="How much of train can be read off the generated set.",
            undefined="no training graph",
            source=f"{PAPER}, appendix P",
        ),
    )
}
"""Copies of whole graphs, in the order of the tables."""

METRICS: dict[str, MetricCard] = {
    card.key: card
    for card in (
        MetricCard(
            key="rho",
            name="Rank correlation",
            symbol="ρ",
            latex=r"$\rho$",
            better="higher",
            low=-1.0,
            high=1.0,
            question="Do the shared frequent patterns have the same order of support?",
            formula="Spearman correlation of s_train and s_generated over the patterns frequent "
            "in both",
            meaning="1: the shared patterns have the same order of frequency in both sets. "
            "0: no relation.",
            undefined="fewer than two shared patterns, or all supports equal on one side",
            source=f"{PAPER}, section 4.2",
        ),
        MetricCard(
            key="rho_train",
            name="Rank correlation over train",
            symbol="ρ over P_train",
            latex=r"$\rho$ over $P_\mathrm{train}$",
            better="higher",
            low=-1.0,
            high=1.0,
            question="Do all training patterns, missing ones at 0, have the same order of support?",
            formula="Spearman correlation over every pattern frequent in train; a missing one "
            "counts as 0",
            meaning="As ρ, but patterns that the generator never makes often enough pull it down.",
            undefined="fewer than two training patterns, or all supports equal on one side",
            source=f"{PAPER}, appendix I.4 (“trainkeys”)",
        ),
        MetricCard(
            key="jsd",
            name="Jensen-Shannon divergence",
            symbol="JSD",
            better="lower",
            low=0.0,
            high=math.log(2),
            question="How far apart are the two distributions of pattern support?",
            formula="JSD(p_train, p_generated), natural logarithm, where p(g) = s(g) / Σ s over "
            "the union",
            meaning="0: the same supports. ln 2: no shared pattern at all.",
            undefined="no frequent pattern on one side",
            source=f"{PAPER}, section 4.2",
        ),
        MetricCard(
            key="missing_mass",
            name="Missing mass",
            symbol="MM",
            better="lower",
            low=0.0,
            high=1.0,
            question="What share of train's pattern mass is not frequent in the generated set?",
            formula="Σ p_train(g) over patterns frequent in train and not in the generated set",
            meaning="The share of the training pattern mass that the generator does not reproduce.",
            undefined="no frequent pattern in train",
            source=f"{PAPER}, section 4.2",
        ),
        MetricCard(
            key="novel_mass",
            name="Novel mass",
            symbol="NM",
            better="lower",
            low=0.0,
            high=1.0,
            question="What share of the generated set's pattern mass is not frequent in train?",
            formula="Σ p_generated(g) over patterns frequent in the generated set and not in train",
            meaning="The share of the generated pattern mass that train does not have (invented "
            "patterns).",
            undefined="no frequent pattern in the generated set",
            source=f"{PAPER}, section 4.2",
        ),
        MetricCard(
            key="coverage",
            name="Coverage of a stratum",
            symbol="coverage",
            latex="Coverage",
            better="higher",
            low=0.0,
            high=1.0,
            question="What share of the stratum's patterns is frequent in the generated set?",
            formula="training patterns of the stratum that are frequent in the generated set / all "
            "of them",
            meaning="1: every pattern of the stratum is reproduced often enough to be frequent.",
            undefined="an empty stratum",
            source=f"{PAPER}, section 4.4 and appendix I.3",
        ),
    )
}
"""Alignment of frequent patterns."""

PLACES: dict[str, MetricCard] = {
    card.key: card
    for card in (
        MetricCard(
            key="percentile",
            name="Percentile",
            symbol="percentile",
            better="neither",
            low=0.0,
            high=100.0,
            question="What share of the photocopies scores below the generator?",
            formula="100 × share of resamples strictly below the model, ties counted half",
            meaning="0: below every photocopy. 100: above every one.",
            undefined="an undefined model value, or no defined resample",
            source=CALIBRATED,
        ),
        MetricCard(
            key="z",
            name="z",
            symbol="z",
            latex="$z$",
            better="neither",
            low=-math.inf,
            high=math.inf,
            question="How many standard deviations from the mean photocopy?",
            formula="(model − mean of the resamples) / their standard deviation",
            meaning="Near 0: not told from a photocopy.",
            undefined="an undefined model value, fewer than two defined resamples, or resamples "
            "that do not vary",
            source=CALIBRATED,
        ),
        MetricCard(
            key="delta",
            name="Δ",
            symbol="Δ",
            latex=r"$\Delta$",
            better="neither",
            low=-math.inf,
            high=math.inf,
            question="How far from the median photocopy, in the metric's own unit?",
            formula="model − median of the resamples",
            meaning="The size of the difference, however small the spread of the photocopies.",
            undefined="an undefined model value, or no defined resample",
            source=CALIBRATED,
        ),
        MetricCard(
            key="expected_repeats",
            name="Expected repeats",
            symbol="expected repeats",
            better="neither",
            low=0.0,
            high=1.0,
            unit="%",
            question="How often would one more real graph repeat a training graph?",
            formula="1 − training graphs whose isomorphism class occurs once in train / all "
            "training graphs",
            meaning="Copies up to that rate are no sign of copying. A training set from which "
            "duplicates were removed gives 0, a lower bound.",
            undefined="an empty training set",
            source="Good, Biometrika 40 (1953) 237 (Good–Turing)",
        ),
    )
}
"""What places the other numbers."""

CARDS: dict[str, MetricCard] = COPY_RATES | METRICS | PLACES
"""Every number that an audit reports."""


@dataclass(frozen=True)
class ReferenceCard:
    """One of the things that the model is held against."""

    key: str
    name: str
    short: str
    meaning: str


REFERENCES: dict[str, ReferenceCard] = {
    card.key: card
    for card in (
        ReferenceCard(
            "bootstrap",
            "Photocopier",
            "Photocopier",
            "Resamples of train with replacement, each of the size of the generated set: "
            "what a generator that only copies would score. Its exact-match rate is 100 % "
            "by construction.",
        ),
        ReferenceCard(
            "holdout",
            "Fresh real data",
            "Fresh real",
            "Samples of real graphs that the model never saw, of the same size: what a perfect "
            "generator would score.",
        ),
        ReferenceCard(
            "rewired",
            "Chance (rewired train)",
            "Chance",
            "Training graphs with their edges rewired so that degrees and labels stay: "
            "what a generator that knows only the degrees would score.",
        ),
    )
}

VERDICTS = {
    "memorization-dominated": "Memorization-dominated",
    "beyond-memorization": "Beyond memorization",
    "misaligned": "Misaligned",
    "undecided": "Undecided",
}
