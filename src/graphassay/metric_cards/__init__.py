"""What each number and each reference is: names, direction, range, formula, meaning, source.

The report, the LaTeX tables, the command line and ``docs/metrics.md`` take their words from here;
`graphassay.metrics.registry` binds each card to the function that computes it. One file per
question that an audit asks.
"""

from graphassay.metric_cards.alignment import METRICS, PLACES
from graphassay.metric_cards.card import MINUS, PATTERN, MetricCard
from graphassay.metric_cards.copying import COPY_RATES
from graphassay.metric_cards.linearization import LINEARIZATION
from graphassay.metric_cards.model import MODEL
from graphassay.metric_cards.quality import QUALITY
from graphassay.metric_cards.references import REFERENCES, VERDICTS, ReferenceCard

CARDS: dict[str, MetricCard] = COPY_RATES | METRICS | PLACES | QUALITY | MODEL | LINEARIZATION
"""Every number that graphassay reports."""

__all__ = [
    "CARDS",
    "COPY_RATES",
    "LINEARIZATION",
    "METRICS",
    "MINUS",
    "MODEL",
    "PATTERN",
    "PLACES",
    "QUALITY",
    "REFERENCES",
    "VERDICTS",
    "MetricCard",
    "ReferenceCard",
]
