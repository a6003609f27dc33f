"""What a run's likelihoods, checkpoints and decodings say about memorization."""

from graphassay.metric_cards.card import MetricCard

MODEL: dict[str, MetricCard] = {}
