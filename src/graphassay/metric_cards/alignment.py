"""Alignment of frequent patterns, and what places it among the references."""

import math

from graphassay.metric_cards.card import CALIBRATED, PAPER, MetricCard

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
