"""No metric escapes: each has an entry, a docstring with its source, and a test of its own."""

import inspect
from pathlib import Path

import numpy as np
import pytest

from graphassay.metric_cards import CARDS, METRICS, MetricCard
from graphassay.metric_cards.molecules import MOLECULES
from graphassay.metric_cards.quality import GRAPH_QUALITY
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
from graphassay.metrics.alignment import ALIGNMENT_METRICS
from graphassay.metrics.registry import FUNCTIONS
from graphassay.results import CopyRates, StratumScores, Undefined
from graphassay.results.linearization import Bound, Reliability, StrategyScores
from graphassay.results.model import HitMiss, SeedSpread, VarianceShare

TESTS = "".join(path.read_text() for path in Path(__file__).parent.glob("test_*.py"))
MODULES = (
    alignment, calibration, copying, fingerprints, fragments, frechet, generation,
    graph_bootstrap, likelihood, mmd, planarity, polygraph, properties, ranking, reliability,
    saturation, spread, stability, strata, uncertainty, wl,
)  # fmt: skip
HELPERS = {
    "alignment_scores", "calibration_errors", "check_explicit_hydrogens", "check_permutations",
    "common_histogram", "confidence_bins", "connected_planar", "defined", "draw_weights",
    "find_polygraph",
    "has_one_linearization", "hit_miss", "interval_of", "log_mean_exp", "mean_value",
    "mmd_estimate", "molecule_discrepancy", "most_similar", "reliability_diagram",
    "reliability_table", "spearman", "split_strata", "stable_atoms", "stable_molecules",
    "stratum_scores", "summarize", "support_pair", "too_few", "undefined_mmd",
    "weighted_pairs", "wl_features", "wl_kernel",
}  # fmt: skip


def test_every_public_function_is_a_metric_or_a_known_helper() -> None:
    public = {
        name
        for module in MODULES
        for name, item in vars(module).items()
        if inspect.isfunction(item)
        and item.__module__ == module.__name__
        and not name.startswith("_")
    }
    assert public - HELPERS == {function.__name__ for function in FUNCTIONS.values()}


def test_every_reported_number_has_an_entry() -> None:
    reported = {"exact_match", "novelty", "unique", "failed", "recall"} & set(
        CopyRates.__dataclass_fields__
    )
    reported |= set(ALIGNMENT_METRICS) | set(StratumScores.__dataclass_fields__)
    reported |= {"percentile", "z", "delta", "expected_repeats"}
    reported |= set(GRAPH_QUALITY)  # test_graph_quality.py holds them against what is computed
    reported |= set(MOLECULES)  # tests/assay/test_quality.py likewise
    reported |= {"hit_mean", "miss_mean", "u", "p", "auc"} & set(HitMiss.__dataclass_fields__)
    reported |= {"checkpoint_variance", "decoding_variance", "eta_squared"} & set(
        VarianceShare.__dataclass_fields__
    )
    reported |= {f"seed_{name}" for name in SeedSpread.__dataclass_fields__ if name != "values"}
    reported |= {"nll_per_token", "nll_per_graph", "lu"} & set(StrategyScores.__dataclass_fields__)
    reported |= {"mean_log_p", "plain", "importance"} & set(Bound.__dataclass_fields__)
    reported |= {"ece"} & set(Reliability.__dataclass_fields__)
    reported |= {f"prediction_{name}" for name in ("auc", "spearman")}
    reported |= {"bound_variance", "back_references", "distinct"}
    assert reported == set(CARDS) == set(FUNCTIONS)
    assert set(METRICS) == set(ALIGNMENT_METRICS) | {"coverage"}


@pytest.mark.parametrize("card", CARDS.values(), ids=lambda card: card.key)
def test_every_metric_says_where_it_comes_from_and_is_tested(card: MetricCard) -> None:
    assert card.low < card.high
    assert card.question.endswith("?")
    assert all((card.name, card.symbol, card.formula, card.meaning, card.undefined, card.source))
    function = FUNCTIONS[card.key]
    doc = inspect.getdoc(function) or ""
    assert "Undefined" in doc or "undefined" in doc
    assert f"{function.__name__}(" in TESTS


@pytest.mark.parametrize("seed", range(30))
def test_values_keep_to_the_stated_range(seed: int) -> None:
    rng = np.random.default_rng(seed)
    train, other = rng.integers(0, 12, (2, 20))
    pair = alignment.support_pair(train, other, min_count_train=4, min_count_generated=5)
    for name, function in ALIGNMENT_METRICS.items():
        value = function(pair)
        if not isinstance(value, Undefined):
            assert CARDS[name].low <= value <= CARDS[name].high


def test_the_better_direction_is_the_one_stated() -> None:
    train = np.array([9, 8, 7, 6, 5, 4, 3])
    good = np.array([9, 8, 7, 6, 4, 5, 3])
    bad = np.array([1, 2, 9, 0, 5, 8, 9])
    for name, function in ALIGNMENT_METRICS.items():
        values = [
            function(alignment.support_pair(train, x, min_count_train=3, min_count_generated=3))
            for x in (good, bad)
        ]
        sign = 1 if CARDS[name].better == "higher" else -1
        if name != "novel_mass":  # nothing novel in either
            assert sign * (values[0] - values[1]) > 0, name
