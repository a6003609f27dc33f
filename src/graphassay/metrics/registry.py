"""Which function computes the number that each card of `graphassay.metric_cards` describes."""

from collections.abc import Callable, Mapping
from typing import Any

from graphassay.metrics import alignment, calibration, copying, strata

FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    **dict.fromkeys(("exact_match", "novelty", "unique", "failed", "recall"), copying.copy_rates),
    **alignment.ALIGNMENT_METRICS,
    "coverage": strata.tail_coverage,
    "percentile": calibration.percentile_rank,
    "z": calibration.z_score,
    "delta": calibration.delta,
    "expected_repeats": copying.expected_repeats,
}
