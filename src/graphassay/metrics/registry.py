"""Which function computes the number that each card of `graphassay.metric_cards` describes."""

from collections.abc import Callable, Mapping
from typing import Any

from graphassay.metrics import (
    alignment,
    calibration,
    copying,
    graph_bootstrap,
    likelihood,
    ranking,
    reliability,
    saturation,
    spread,
    strata,
    uncertainty,
)

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
    **dict.fromkeys(
        ("nll_per_token", "nll_per_graph", "back_references"), graph_bootstrap.mean_over_graphs
    ),
    "lu": uncertainty.linearization_uncertainty,
    "ece": reliability.calibration_error,
    **dict.fromkeys(
        ("mean_log_p", "plain", "importance", "bound_variance"), uncertainty.importance_bounds
    ),
    "prediction_auc": ranking.lower_is_better_auc,
    "prediction_spearman": ranking.lower_is_better_spearman,
    "distinct": saturation.distinct_sequences,
}
