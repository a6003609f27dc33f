"""Every metric's direction, range and source in one place."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from graphassay.metrics import alignment, calibration, copying, strata


@dataclass(frozen=True)
class Metric:
    """What a reader must know of a metric before reading a number.

    ``direction``: which way is better for a generator that should match train's structure without
    copying; ``neither`` where a number only places it. ``low`` and ``high`` bound the value.
    """

    name: str
    title: str
    direction: Literal["higher", "lower", "neither"]
    low: float
    high: float
    question: str
    source: str
    function: Callable[..., Any]


METRICS: tuple[Metric, ...] = (
    Metric(
        "exact_match", "Exact match (EM)", "neither", 0.0, 1.0,
        "What share of generated graphs is isomorphic to a training graph?",
        "M 4.2 Eq. 1; DEFINITIONS 5", copying.copy_rates,
    ),
    Metric(
        "novelty", "Novelty", "neither", 0.0, 1.0,
        "What share of generated graphs is not a copy (1 - EM, failures included)?",
        "M 4.2 Eq. 1; DEFINITIONS 5", copying.copy_rates,
    ),
    Metric(
        "unique", "Unique rate", "higher", 0.0, 1.0,
        "How many distinct graphs per generated record?",
        "M 6; DEFINITIONS 5", copying.copy_rates,
    ),
    Metric(
        "recall", "Recall", "neither", 0.0, 1.0,
        "What share of distinct training graphs was reproduced?",
        "M appendix P; DEFINITIONS 5", copying.copy_rates,
    ),
    Metric(
        "failed", "Failed generations", "lower", 0.0, 1.0,
        "What share of generated records is no graph?",
        "DEFINITIONS 5", copying.copy_rates,
    ),
    Metric(
        "expected_repeats", "Expected repeats", "neither", 0.0, 1.0,
        "How often would one more real graph repeat a training graph?",
        "Good 1953 (Good-Turing)", copying.expected_repeats,
    ),
    Metric(
        "rho", "Spearman's rho", "higher", -1.0, 1.0,
        "Do the shared frequent patterns have the same order of support?",
        "M 4.2; DEFINITIONS 4", alignment.rank_correlation,
    ),
    Metric(
        "rho_train", "Spearman's rho over train", "higher", -1.0, 1.0,
        "Do all training patterns, missing ones at 0, have the same order of support?",
        "M appendix I (trainkeys); DEFINITIONS 4", alignment.rank_correlation_over_train,
    ),
    Metric(
        "jsd", "Jensen-Shannon divergence", "lower", 0.0, math.log(2),
        "How far apart are the two distributions of pattern support (nats)?",
        "M 4.2; DEFINITIONS 4", alignment.jensen_shannon_divergence,
    ),
    Metric(
        "missing_mass", "Missing mass", "lower", 0.0, 1.0,
        "What share of train's pattern mass is not frequent in the generated set?",
        "M 4.2; DEFINITIONS 4", alignment.missing_mass,
    ),
    Metric(
        "novel_mass", "Novel mass", "lower", 0.0, 1.0,
        "What share of the generated set's pattern mass is not frequent in train?",
        "M 4.2; DEFINITIONS 4", alignment.novel_mass,
    ),
    Metric(
        "coverage", "Stratum coverage", "higher", 0.0, 1.0,
        "What share of the stratum's patterns is frequent in the generated set?",
        "M appendix I.3; DEFINITIONS 7", strata.tail_coverage,
    ),
    Metric(
        "percentile", "Percentile among photocopies", "neither", 0.0, 100.0,
        "What share of bootstrap resamples scores below the generator?",
        "M 4.3; DEFINITIONS 6", calibration.percentile_rank,
    ),
    Metric(
        "z", "z-score", "neither", -math.inf, math.inf,
        "How many standard deviations from the mean bootstrap resample?",
        "M 4.3; DEFINITIONS 6", calibration.z_score,
    ),
    Metric(
        "delta", "Delta", "neither", -math.inf, math.inf,
        "How far from the median bootstrap resample?",
        "M 4.3; DEFINITIONS 6", calibration.delta,
    ),
)  # fmt: skip

BY_NAME = {metric.name: metric for metric in METRICS}
