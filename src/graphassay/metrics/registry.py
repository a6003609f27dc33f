"""Which function computes the number that each card of `graphassay.metric_cards` describes."""

from collections.abc import Callable, Mapping
from typing import Any

from graphassay.metrics import alignment, calibration, copying, mmd, planarity, strata, wl

FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    **dict.fromkeys(("exact_match", "novelty", "unique", "failed", "recall"), copying.copy_rates),
    **alignment.ALIGNMENT_METRICS,
    "coverage": strata.tail_coverage,
    "percentile": calibration.percentile_rank,
    "z": calibration.z_score,
    "delta": calibration.delta,
    "expected_repeats": copying.expected_repeats,
    **dict.fromkeys(("degree_mmd", "clustering_mmd", "orbit_mmd", "spectral_mmd"), mmd.mmd_squared),
    "wl_mmd": wl.wl_mmd,
    "wl_coverage": wl.wl_coverage,
    "wl_diversity": wl.wl_diversity,
    "planar_validity": planarity.planar_validity,
}
