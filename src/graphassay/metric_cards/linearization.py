"""Whether likelihoods are about the graph or about the order it was written in."""

from graphassay.metric_cards.card import MetricCard

LINEARIZATION: dict[str, MetricCard] = {}
