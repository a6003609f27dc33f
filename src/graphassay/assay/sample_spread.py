"""The numbers of sample sets by the keys of their cards, and their spread over seeds."""

from collections.abc import Mapping, Sequence

from graphassay.lm.decoding import DECODINGS, Decoding
from graphassay.metric_cards import CARDS
from graphassay.metrics.spread import seed_spread
from graphassay.results import Value
from graphassay.results.model import DecodingScores, SampleScores, SeedSpread

MIN_SEEDS = 2


def numbers_of(scores: SampleScores) -> dict[str, Value]:
    """All numbers of one sample set, by the key of their card."""
    rates = {name: getattr(scores, name).value for name in ("exact_match", "unique", "failed")}
    return rates | dict(scores.metrics)


def settings_text(decoding: Decoding) -> str:
    """A decoding's settings in words.

    Example:
        >>> settings_text(DECODINGS["both_default"])
        'T 1, top-p 0.95, top-k 50'
    """
    parts = [f"T {decoding.temperature:g}"]
    if decoding.top_p < 1:
        parts.append(f"top-p {decoding.top_p:g}")
    if decoding.top_k is not None:
        parts.append(f"top-k {decoding.top_k}")
    return ", ".join(parts)


def sweep_scores(name: str, per_seed: Sequence[SampleScores]) -> DecodingScores:
    """One decoding's scores, by seed, with their spread where there are seeds enough."""
    return DecodingScores(
        name=name,
        settings=settings_text(DECODINGS[name]),
        per_seed=tuple(per_seed),
        spread=spread_over_seeds(per_seed) if len(per_seed) >= MIN_SEEDS else {},
    )


def spread_over_seeds(per_seed: Sequence[SampleScores]) -> dict[str, SeedSpread]:
    """The spread of every number over the sample sets."""
    return spreads([numbers_of(scores) for scores in per_seed])


def spreads(per_seed: Sequence[Mapping[str, Value]]) -> dict[str, SeedSpread]:
    """The spread of every number that the first of them has."""
    return {
        name: seed_spread(
            [numbers[name] for numbers in per_seed], bounds=(CARDS[name].low, CARDS[name].high)
        )
        for name in per_seed[0]
    }
