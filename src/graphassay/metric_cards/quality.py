"""Quality and fidelity of a generated set."""

from graphassay.metric_cards.card import MetricCard

QUALITY: dict[str, MetricCard] = {}
