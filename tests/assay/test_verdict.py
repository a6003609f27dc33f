"""Each rule of the verdict on numbers made by hand."""

from dataclasses import replace

import numpy as np
import pytest

from graphassay.assay.verdict import judge, position
from graphassay.metrics.calibration import summarize
from graphassay.metrics.copying import TrainClasses, copy_rates
from graphassay.metrics.intervals import rate
from graphassay.results import (
    Alignment,
    CopyRates,
    Estimate,
    MetricComparison,
    NovelOnly,
    PatternCounts,
    Undefined,
)

BOOTSTRAP, REWIRED = [0.01, 0.012, 0.014], [0.2, 0.21, 0.22]


def _alignment(jsd, *, low=None, high=None, holdout=None, n=500, patterns=100.0) -> Alignment:
    references = {"bootstrap": summarize(BOOTSTRAP), "rewired": summarize(REWIRED)}
    if holdout:
        references["holdout"] = summarize(holdout)
    low = jsd if low is None else low
    high = jsd if high is None else high
    comparison = MetricComparison(
        model=Estimate(jsd, low, high, n, "hand"),
        per_run=(jsd,),
        run_sd=Undefined("1 run"),
        references=references,
        percentile=50.0,
        z=0.0,
        delta=0.0,
    )
    return Alignment(
        1, 500, n, 50, 50, PatternCounts(patterns, patterns, patterns), {"jsd": comparison}
    )


def _rates(n_copies: int, n: int = 500, n_train: int = 500) -> CopyRates:
    train = np.arange(n_train)
    generated = np.concatenate([np.arange(n_copies) % n_train, n_train + np.arange(n - n_copies)])
    return copy_rates(TrainClasses.of(train), generated)


def _novel(jsd: float, control=(0.02, 0.03)) -> NovelOnly:
    return NovelOnly(200, {"jsd": jsd}, {"jsd": summarize(list(control))}, {"jsd": 50.0})


NO_REPEATS = rate(0, 500)


def _kind(copies=10, jsd=0.03, *, novel=None, repeats=NO_REPEATS, holdout_copies=None, **options):
    n = options.get("n", 500)
    copying = {"generated": _rates(copies, n, options.pop("n_train", 500))}
    if holdout_copies is not None:
        copying["holdout"] = _rates(holdout_copies)
    alignment = _alignment(jsd, **options)
    return judge(copying, repeats, alignment, _novel(0.025) if novel is None else novel)


def test_copies_dominate_however_good_or_bad_the_alignment() -> None:
    assert _kind(400).kind == "memorization-dominated"
    assert _kind(400, 0.3).kind == "memorization-dominated"
    assert "80.0 %" in _kind(400).headline


def test_copies_that_fresh_data_would_make_too_do_not_count() -> None:
    # 60 % copies, but fresh real graphs repeat train in 60 % as well: a small graph space.
    assert _kind(300, holdout_copies=300).kind == "beyond-memorization"
    assert _kind(300, repeats=rate(300, 500)).kind == "beyond-memorization"
    assert _kind(300, holdout_copies=10).kind == "memorization-dominated"
    # The holdout, when there is one, decides, not the estimate from train.
    assert _kind(300, holdout_copies=10, repeats=rate(300, 500)).kind == "memorization-dominated"


def test_repeating_unseen_real_graphs_as_often_is_no_memorization() -> None:
    # DiGress on QM9: 56 % exact matches, but unseen QM9 molecules are repeated just as often.
    copying = {"generated": _rates(280), "holdout": _rates(10)}
    fair = judge(
        copying, NO_REPEATS, _alignment(0.03), _novel(0.025), without_preference=rate(275, 500)
    )
    assert fair.checks[1].holds is False
    assert fair.kind == "beyond-memorization"
    copying["generated"] = _rates(400)
    unfair = judge(
        copying, NO_REPEATS, _alignment(0.03), _novel(0.025), without_preference=rate(5, 500)
    )
    assert unfair.kind == "memorization-dominated"


def test_copies_near_one_half_are_open() -> None:
    verdict = _kind(250)
    assert verdict.kind == "undecided"
    assert verdict.checks[1].holds is None
    assert "Whether copies dominate is open" in verdict.reason


def test_aligned_novel_graphs_go_beyond_memorization() -> None:
    verdict = _kind(10, 0.03)
    assert verdict.kind == "beyond-memorization"
    assert [check.holds for check in verdict.checks] == [True, False, True, False, True]
    assert "2.0 %" in verdict.headline


def test_nearer_to_chance_is_misaligned() -> None:
    assert _kind(10, 0.15).kind == "misaligned"
    assert _kind(10, 0.5).kind == "misaligned"
    lost = judge(
        {"generated": _rates(0)},
        NO_REPEATS,
        replace(_alignment(Undefined("nothing")), patterns=PatternCounts(50, 0, 0)),
        _novel(0.1),
    )
    assert lost.kind == "misaligned"


def test_between_the_rules_is_undecided() -> None:
    between = _kind(10, 0.08)  # position 0.66
    assert between.kind == "undecided"
    assert "falls between the rules" in between.reason
    wide = _kind(10, 0.08, low=0.03, high=0.13)
    assert wide.kind == "undecided"
    assert wide.checks[2].holds is None


def test_as_good_as_fresh_data_is_aligned() -> None:
    # Position 0.66, but fresh real graphs are no closer.
    assert _kind(10, 0.08, holdout=[0.07, 0.09], holdout_copies=5).kind == "beyond-memorization"
    assert _kind(10, 0.08, holdout=[0.04, 0.05], holdout_copies=5).kind == "undecided"
    # Within the range of photocopies, though the interval reaches below 3/4.
    assert _kind(10, 0.0135, low=0.0, high=0.09).kind == "beyond-memorization"
    assert _kind(10, 0.0135, low=0.0, high=0.21).kind == "undecided"


def test_alignment_that_copies_carry_is_no_evidence() -> None:
    carried = _kind(150, 0.03, novel=_novel(0.15))
    assert carried.kind == "undecided"
    assert "novel graphs carry" in carried.reason
    assert _kind(150, 0.03, novel=_novel(0.04)).kind == "beyond-memorization"  # position 0.86
    assert _kind(150, 0.03, novel=Undefined("only 3 novel")).kind == "undecided"


@pytest.mark.parametrize(
    "options", [{"n": 40}, {"patterns": 9.0}, {"n_train": 49}], ids=["few", "patterns", "train"]
)
def test_too_little_data_is_undecided(options) -> None:
    verdict = _kind(30, **options)
    assert verdict.kind == "undecided"
    assert "too little" in verdict.reason


def test_chance_that_looks_like_train_leaves_it_undecided() -> None:
    alignment = _alignment(0.01)
    same = replace(
        alignment.metrics["jsd"],
        references={"bootstrap": summarize(BOOTSTRAP), "rewired": summarize(BOOTSTRAP)},
    )
    verdict = judge(
        {"generated": _rates(10)},
        NO_REPEATS,
        replace(alignment, metrics={"jsd": same}),
        _novel(0.02),
    )
    assert verdict.kind == "undecided"


def test_wider_intervals_never_make_a_stronger_verdict() -> None:
    strong = {"memorization-dominated", "beyond-memorization", "misaligned"}
    for jsd in np.linspace(0.01, 0.3, 30):
        narrow = _kind(10, jsd).kind
        wide = _kind(10, jsd, low=max(0.0, jsd - 0.04), high=jsd + 0.04).kind
        assert wide == narrow or wide not in strong


def test_position_runs_from_chance_to_photocopier() -> None:
    references = _alignment(0.1).metrics["jsd"].references
    assert position(0.21, references).value == pytest.approx(0)
    assert position(0.012, references).value == pytest.approx(1)
    low_and_high = position(Estimate(0.1, 0.08, 0.12, 1, ""), references)
    assert low_and_high.low < low_and_high.value < low_and_high.high
    assert position(Undefined("x"), references) is None
    assert position(0.1, {}) is None


@pytest.mark.parametrize(("copies", "few"), [(10, True), (150, False)])
def test_the_headline_says_only_where_copies_are_few(copies: int, few: bool) -> None:
    verdict = _kind(copies)
    assert verdict.kind == "beyond-memorization"
    assert ("only" in verdict.headline) is few
    assert ("but the others align" in verdict.headline) is not few
