"""Which function computes the number that each card of `graphassay.metric_cards` describes."""

from collections.abc import Callable, Mapping
from typing import Any

from graphassay.metrics import alignment, calibration, copying, likelihood, spread, strata

FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    **dict.fromkeys(("exact_match", "novelty", "unique", "failed", "recall"), copying.copy_rates),
    **alignment.ALIGNMENT_METRICS,
    "coverage": strata.tail_coverage,
    "percentile": calibration.percentile_rank,
    "z": calibration.z_score,
    "delta": calibration.delta,
    "expected_repeats": copying.expected_repeats,
    **dict.fromkeys(("hit_mean", "miss_mean"), spread.student_mean),
    "auc": likelihood.separation,
    **dict.fromkeys(("u", "p"), likelihood.mann_whitney),
    **dict.fromkeys(
        ("eta_squared", "checkpoint_variance", "decoding_variance"), spread.variance_share
    ),
    **dict.fromkeys(("seed_mean", "seed_sd"), spread.seed_spread),
}
