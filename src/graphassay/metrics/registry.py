"""Which function computes the number that each card of `graphassay.metric_cards` describes."""

from collections.abc import Callable, Mapping
from typing import Any

from graphassay.metrics import (
    alignment,
    calibration,
    copying,
    fingerprints,
    fragments,
    frechet,
    generation,
    graph_bootstrap,
    likelihood,
    mmd,
    planarity,
    polygraph,
    properties,
    ranking,
    reliability,
    saturation,
    spread,
    stability,
    strata,
    uncertainty,
    wl,
)

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
    "validity": generation.validity,
    **dict.fromkeys(("uniqueness", "graph_uniqueness"), generation.uniqueness),
    **dict.fromkeys(("distinct_novelty", "graph_novelty"), generation.distinct_novelty),
    **dict.fromkeys(("vun", "planar_vun"), generation.valid_unique_novel),
    "atom_stability": stability.atom_stability,
    "molecule_stability": stability.molecule_stability,
    "fcd": frechet.frechet_distance,
    "pgd": polygraph.graph_discrepancy,
    "snn": fingerprints.nearest_similarity,
    **dict.fromkeys(("int_div", "int_div2"), fingerprints.internal_diversity),
    **dict.fromkeys(("fragment_similarity", "scaffold_similarity"), fragments.part_similarity),
    **dict.fromkeys(("qed", "logp", "sa", "weight"), properties.property_distance),
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
