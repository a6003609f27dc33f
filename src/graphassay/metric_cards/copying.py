"""Copies of whole graphs."""

from graphassay.metric_cards.card import PAPER, MetricCard

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
