"""What each number and each reference is: names, direction, range, formula, source."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class MetricCard:
    """One number of the report. ``better`` is the direction in which alignment improves."""

    key: str
    name: str
    symbol: str
    better: Literal["higher", "lower"]
    low: float
    high: float
    range: str
    formula: str
    meaning: str
    undefined: str
    source: str


METRICS: dict[str, MetricCard] = {
    card.key: card
    for card in (
        MetricCard(
            "rho",
            "Rank correlation of supports (shared patterns)",
            "ρ",
            "higher",
            -1.0,
            1.0,
            "−1 to 1",
            "Spearman correlation of s_train and s_generated over the patterns frequent in both",
            "1: the shared patterns have the same order of frequency in both sets. 0: no relation.",
            "fewer than two shared patterns, or all supports equal on one side",
            "“When Graph Language Models Go Beyond Memorization”, section 4.2",
        ),
        MetricCard(
            "rho_train",
            "Rank correlation of supports (all training patterns)",
            "ρ over P_train",
            "higher",
            -1.0,
            1.0,
            "−1 to 1",
            "Spearman correlation over every pattern frequent in train; a missing one counts as 0",
            "As ρ, but patterns that the generator never makes often enough pull it down.",
            "fewer than two training patterns, or all supports equal on one side",
            "“When Graph Language Models Go Beyond Memorization”, section 4.2, missing = 0",
        ),
        MetricCard(
            "jsd",
            "Jensen–Shannon divergence of pattern supports",
            "JSD",
            "lower",
            0.0,
            0.6931,
            "0 to ln 2 ≈ 0.693",
            "JSD(p_train, p_generated), natural logarithm, where p(g) = s(g) / Σ s over the union",
            "0: the same supports. ln 2: no shared pattern at all.",
            "no frequent pattern on one side",
            "“When Graph Language Models Go Beyond Memorization”, section 4.2",
        ),
        MetricCard(
            "missing_mass",
            "Missing mass",
            "MM",
            "lower",
            0.0,
            1.0,
            "0 to 1",
            "Σ p_train(g) over patterns frequent in train and not in the generated set",
            "The share of the training pattern mass that the generator does not reproduce.",
            "no frequent pattern in train",
            "“When Graph Language Models Go Beyond Memorization”, section 4.2",
        ),
        MetricCard(
            "novel_mass",
            "Novel mass",
            "NM",
            "lower",
            0.0,
            1.0,
            "0 to 1",
            "Σ p_generated(g) over patterns frequent in the generated set and not in train",
            "The share of the generated pattern mass that train does not have (invented patterns).",
            "no frequent pattern in the generated set",
            "“When Graph Language Models Go Beyond Memorization”, section 4.2",
        ),
        MetricCard(
            "coverage",
            "Coverage of a stratum",
            "coverage",
            "higher",
            0.0,
            1.0,
            "0 to 1",
            "training patterns of the stratum that are frequent in the generated set / all of them",
            "1: every pattern of the stratum is reproduced often enough to be frequent.",
            "an empty stratum",
            "“When Graph Language Models Go Beyond Memorization”, section 4.4",
        ),
    )
}

HEADLINE = ("rho", "jsd", "missing_mass", "novel_mass")
"""Metrics drawn against their references, in this order; others are in the table."""


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

COPY_RATES = {
    "exact_match": (
        "Exact match (EM)",
        "generated records whose graph is isomorphic to a training graph / all generated records "
        "(failed ones included)",
    ),
    "novelty": ("Novelty", "1 − EM; a failed generation is not a copy and counts here"),
    "unique": ("Unique", "distinct isomorphism classes / all generated records"),
    "failed": ("Failed", "records that gave no graph / all generated records"),
    "recall": (
        "Recall of train",
        "distinct training graphs that were generated at least once / all distinct training graphs",
    ),
}

VERDICTS = {
    "memorization-dominated": ("Memorization-dominated", "copies"),
    "beyond-memorization": ("Beyond memorization", "beyond"),
    "misaligned": ("Misaligned", "misaligned"),
    "undecided": ("Undecided", "undecided"),
}
