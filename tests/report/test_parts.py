"""The sections on the model and on quality, and the page of the linearization audit."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from graphassay import results
from graphassay.report import (
    explorer,
    figures,
    figures_linearization,
    figures_model,
    linearization_page,
    linearization_wording,
    model_wording,
    page,
    write_report,
)
from graphassay.report import matrix as m
from graphassay.results import AuditResult, DrawnGraph, Estimate, Undefined
from graphassay.results.linearization import LinearizationAudit, Prediction, Predictor
from graphassay.results.model import SampleScores
from graphassay.results.quality import QualityMetric
from report.sample_parts import HOSTILE_NAME, around, gone, sample_quality, share
from report.sample_result import HOSTILE, sample_result
from report.test_page import outline

PARTS = ("full", "one", "degenerate")


def pages(parts: str, **options) -> tuple[AuditResult, str, str]:
    result = sample_result(n_patterns=5, n_bootstraps=10, parts=parts, **options)
    return result, page.render(result), linearization_page.render(result)


@pytest.fixture(scope="module")
def full() -> tuple[AuditResult, str, str]:
    return pages("full")


def text_of(html: str) -> str:
    return " ".join(outline(html).text)


def linearization(result: AuditResult) -> LinearizationAudit:
    assert result.linearization is not None
    return result.linearization


@pytest.mark.parametrize("parts", PARTS)
def test_both_pages_are_whole_and_self_contained(parts: str) -> None:
    _, report, order = pages(parts)
    for html, other in ((report, "linearization.html"), (order, "report.html")):
        seen = outline(html)
        assert len(set(seen.ids)) == len(seen.ids)
        outside = {link for link in seen.links if not link.startswith("#")}
        assert outside == {other}
        assert {link[1:] for link in seen.links if link.startswith("#")} <= set(seen.ids)
        assert seen.resources == ["data:,"]
        assert seen.handlers == []
        assert not re.search(r"https?://(?!www\.w3\.org/)|@import|url\(", html)


@pytest.mark.parametrize("parts", PARTS)
def test_a_failure_is_never_shown_as_a_number(parts: str) -> None:
    for html in pages(parts)[1:]:
        text = text_of(html)
        assert not re.search(r"\b(nan|NaN|inf|Infinity|-inf|Undefined\(|null)\b", text)
        assert not re.search(r"(?<!“)\bNone\b(?!”)", text)
        assert not re.search(r"""[=:;" ]-?(nan|inf)[%"; ]""", html)
        if parts == "degenerate":
            assert "undefined: fewer than 2 shared patterns" in text


def test_hostile_text_stays_text() -> None:
    _, report, order = pages("full", hostile=True, kind="proteins")
    for html, scripts in ((report, 2), (order, 2)):
        seen = outline(html)
        assert html.count("<script") == scripts
        assert "<img" not in html
        assert seen.handlers == []
        assert any(HOSTILE_NAME in text for text in seen.text)
        for label in HOSTILE[:2]:
            assert label not in html


def test_a_report_without_parts_has_none_of_it() -> None:
    html = page.render(sample_result(n_patterns=5, n_bootstraps=10))
    assert "linearization.html" not in html
    assert not {"model", "quality", "linearization"} & set(outline(html).ids)


def test_every_headline_number_is_on_the_pages(full) -> None:
    _, report, order = full
    text = text_of(report)
    for expected in ("10.5", "p < 0.0001", "79.8 %", "both_default", "87.0 %", "ChemNet"):
        assert expected in text, expected
    text = text_of(order)
    for expected in ("127.100", "89.300", "0.850", "30.8 of 32", "molecule stability"):
        assert expected in text, expected


def test_folder_gets_the_linearization_page_and_loses_a_stale_one(tmp_path: Path) -> None:
    result = sample_result(n_patterns=5, n_bootstraps=10, parts="one")
    write_report(result, tmp_path, figures=False)
    assert (tmp_path / "linearization.html").read_text() == linearization_page.render(result)
    again = write_report(results.load(tmp_path), tmp_path / "again", figures=False)
    for name in ("report.html", "linearization.html", "tables.tex", "results.json"):
        assert (again.parent / name).read_bytes() == (tmp_path / name).read_bytes(), name
    write_report(replace(result, linearization=None), tmp_path, figures=False)
    assert not (tmp_path / "linearization.html").exists()
    assert "linearization.html" not in (tmp_path / "report.html").read_text()
    write_report(replace(result, linearization=None), tmp_path, figures=False)  # nothing to remove


def test_a_thousand_molecules_stay_small() -> None:
    result = sample_result(n_patterns=5, n_bootstraps=10, parts="full")
    audit = linearization(result)
    many = replace(audit, scatter=tuple(audit.scatter[i % 300] for i in range(1000)))
    html = linearization_page.render(replace(result, linearization=many))
    assert len(html.encode()) < 4_000_000


def test_pictures_of_large_graphs_are_kept_within_a_budget(monkeypatch) -> None:
    monkeypatch.setattr(explorer, "MAX_DRAWN", 1000)
    edges = tuple((v, v + 1, "*") for v in range(19))
    graphs = [DrawnGraph(("*",) * (20 + i % 7), edges) for i in range(350)]
    assert len(explorer.drawable(graphs)) == 7  # equal graphs are drawn once
    tails = [DrawnGraph(("*",) * 21, (*edges, (i % 19, 20, str(i)))) for i in range(100)]
    kept = explorer.drawable(tails)
    assert len(kept) == 100 * 1000 // (100 * 41) == 24
    assert kept == [tails[i * 100 // 24] for i in range(24)]
    result = sample_result(n_patterns=5, n_bootstraps=10, parts="one")
    audit = linearization(result)
    scored = tuple(replace(audit.scatter[i], graph=graph) for i, graph in enumerate(tails))
    html = linearization_page.render(replace(result, linearization=replace(audit, scatter=scored)))
    assert "76 are only described" in html


def test_hover_describes_every_graph(full) -> None:
    result, _, order = full
    source = re.search(r'<script type="application/json" id="hover">(.*?)</script>', order, re.S)
    assert source is not None
    data = json.loads(source.group(1))
    shown = linearization(result).scatter
    assert len(data["points"]) == len(shown)
    assert {p["k"] for p in data["points"]} == set(data["names"]["k"])
    assert order.count("<circle") == len(shown) + 1  # and the ring
    lus = [float(p["u"]) for p in data["points"] if not p["u"].startswith("undefined")]
    assert float(data["points"][data["start"]]["u"]) == max(lus)
    assert sum(p["u"] == "undefined: a single linearization" for p in data["points"]) == 8
    assert all((p["y"] == 100) == p["u"].startswith("undefined") for p in data["points"])


def test_matrix_averages_seeds_and_puts_the_native_on_the_diagonal(full) -> None:
    audit = linearization(full[0])
    table = m.matrix(audit)
    assert [row.name for row in table.rows] == ["random", "min-degree", "max-degree", "anchor"]
    assert [table.column_names[c] for c in table.columns] == [row.name for row in table.rows]
    for row, column in zip(table.rows, table.columns, strict=True):
        assert all(s.native for s in row.cells[column])
        assert len(row.runs) == 3
    cell = table.rows[1].cells["sent:random"]
    values = [float(s.nll_per_token.value) for s in cell]
    mean = m.over_seeds(cell, "nll_per_token")
    assert mean is not None
    assert mean.value == pytest.approx(sum(values) / 3)
    centred = [v - sum(values) / 3 for v in values]
    assert mean.sd == pytest.approx((sum(c * c for c in centred) / 2) ** 0.5)


def test_a_seed_without_a_value_is_left_out_and_said(full) -> None:
    table = m.matrix(linearization(full[0]))
    mean = m.over_seeds(table.rows[3].cells["sent:max-degree"], "lu")
    assert mean is not None
    assert (mean.n, mean.n_runs) == (2, 3)
    assert "over 2 of 3 runs; undefined in the others: fewer than 2 shared patterns" in full[2]


def test_one_run_keeps_its_interval_and_runs_that_differ_in_size_their_row() -> None:
    audit = linearization(pages("one")[0])
    table = m.matrix(audit)
    mean = m.over_seeds(table.rows[0].native, "nll_per_token")
    assert mean is not None
    assert isinstance(mean.sd, Undefined)
    assert mean.low == audit.matrix[0].nll_per_token.low
    twin = replace(audit.matrix[0], run="runs/larger", model="of the larger", family="larger")
    rows = m.matrix(replace(audit, matrix=(*audit.matrix, twin))).rows
    assert [row.name for row in rows] == ["random (runs/l-random-0)", "random (runs/larger)"]


def _two(first: dict[str, object], second: dict[str, object]) -> LinearizationAudit:
    """Two runs on random order that are both called ``final``, with NLL 1 and 3 per token."""
    cell = linearization(pages("one")[0]).matrix[0]
    cells = [
        replace(cell, run="final", nll_per_token=around(nll, 0.1), **own)  # type: ignore[arg-type]
        for nll, own in ((1.0, first), (3.0, second))
    ]
    return LinearizationAudit((), 2, "test", tuple(cells))


@pytest.mark.parametrize(
    ("first", "second", "means"),
    [
        # Folders of one name, weights of two models: one seed is no repeat of itself.
        (
            {"model": "a", "family": "f", "seed": 0},
            {"model": "b", "family": "f", "seed": 0},
            [1, 3],
        ),
        # Other sizes or data with other seeds.
        (
            {"model": "a", "family": "f", "seed": 0},
            {"model": "b", "family": "g", "seed": 1},
            [1, 3],
        ),
        # Repeats.
        ({"model": "a", "family": "f", "seed": 0}, {"model": "b", "family": "f", "seed": 1}, [2]),
        # The same weights twice are one run.
        ({"model": "a", "family": "f", "seed": 0}, {"model": "a", "family": "f", "seed": 0}, [1]),
        # Results that do not say: nothing is known to be a repeat.
        ({"model": "", "family": "", "seed": 0}, {"model": "", "family": "", "seed": 1}, [1, 3]),
    ],
)
def test_only_repeats_of_one_training_are_averaged(
    first: dict[str, object], second: dict[str, object], means: list[float]
) -> None:
    audit = _two(first, second)
    found = [m.over_seeds(row.native, "nll_per_token") for row in m.matrix(audit).rows]
    assert [mean.value for mean in found if mean is not None] == pytest.approx(means)
    assert "NLL per token 1.00" in linearization_wording.order_takeaway(audit)
    assert len(m.by_run(audit)) == (1 if first["model"] == second["model"] == "a" else 2)


def test_the_run_under_audit_is_not_chosen_by_its_name() -> None:
    audit = _two({"model": "a", "evaluated_on": "sent:anchor", "native": False}, {"model": "b"})
    told = linearization_wording.order_takeaway(audit)
    assert told == "final was not evaluated in the order that it was trained on."


@pytest.mark.parametrize(
    ("auc", "expected"),
    [
        (around(0.8, 0.1), "Lower for good graphs than for bad: lu"),
        (around(0.3, 0.1), "Higher for good graphs than for bad: lu"),
        (around(0.55, 0.1), "Not shown to tell them apart: lu"),
        (gone(), "Not judged: lu"),
    ],
)
def test_prediction_words_follow_the_interval(auc: Estimate, expected: str) -> None:
    found = Prediction("stable", 10, 4, (Predictor("lu", auc, 0.1),), ())
    assert expected.lower() in linearization_wording.prediction_takeaway(found).lower()


def test_order_words_claim_only_what_the_intervals_hold(full) -> None:
    audit = linearization(full[0])
    assert "trained on random order" in linearization_wording.order_takeaway(audit)
    biased = [s for s in audit.matrix if s.trained_on == "sent:min-degree" and s.seed == 0]
    told = linearization_wording.order_takeaway(replace(audit, matrix=tuple(biased)))
    assert told.startswith("The likelihoods depend on the order")
    wide = tuple(
        replace(s, nll_per_token=around(s.nll_per_token.value, 9), lu=around(s.lu.value, 9))  # type: ignore[arg-type]
        for s in biased
    )
    told = linearization_wording.order_takeaway(replace(audit, matrix=wide))
    assert told.startswith("A dependence on the order is not shown")
    only = tuple(s for s in biased if s.native)
    told = linearization_wording.order_takeaway(replace(audit, matrix=only))
    assert "not evaluated in random order" in told
    assert linearization_wording.order_takeaway(replace(audit, matrix=())) != ""


def test_the_page_says_by_which_property_graphs_are_good(full) -> None:
    audit = linearization(full[0])
    named = replace(audit, scatter_target="my column", predictions=audit.predictions[1:])
    html = text_of(linearization_page.render(replace(full[0], linearization=named)))
    assert "my column : yes" in html or "my column: yes" in html
    assert "good by my column" in html
    assert "✓ my column" in html
    unnamed = replace(audit, scatter_target="")
    assert " by " not in linearization_wording.scatter_takeaway(unnamed)


def test_numbers_of_the_same_graphs_are_compared_by_their_intervals(full) -> None:
    """Paired numbers can differ although their own intervals overlap: that is all that is said."""
    audit = linearization(full[0])
    own = audit.self_assessment
    told = linearization_wording.self_takeaway(own)
    assert "of the same 1,000 graphs: the intervals do not overlap" in told
    near = replace(own, nll_resampled=around(29.4, 0.4))
    told = linearization_wording.self_takeaway(near)
    assert "In NLL the intervals overlap, which for numbers of the same graphs does not" in told
    found = audit.predictions[0]
    lu = next(p for p in found.predictors if p.key == "lu")
    for auc, expected in (
        (around(0.1, 0.01), "intervals do not overlap"),
        (lu.auc, "intervals of LU and generation NLL overlap"),
    ):
        nll = Predictor("generation_nll", auc, 0.0)
        told = linearization_wording.prediction_takeaway(replace(found, predictors=(nll, lu)))
        assert expected in told
        assert "no clear difference" not in told.lower()


def test_trajectory_words_claim_only_what_the_intervals_hold(full) -> None:
    model = full[0].model
    told = model_wording.trajectory_takeaway(model.trajectory)
    assert "rises from 0.1" in told
    same = SampleScores(10, around(0.5, 0.4), around(0.5, 0.4), around(0.5, 0.4), {})
    flat = tuple(replace(c, scores=same) for c in model.trajectory)
    assert "no clear change" in model_wording.trajectory_takeaway(flat)


def test_quality_words_name_the_direction_only_for_clear_differences() -> None:
    metric = sample_quality().metrics[1]  # unique, higher is better
    for p, expected in ((0.99, "worse"), (0.9, "better"), (0.94, "unclear")):
        assert model_wording.beside_real(replace(metric, real=share(p, 1024))) == expected
    assert model_wording.beside_real(replace(metric, real=None)) == "unknown"
    assert model_wording.beside_real(replace(metric, real=gone())) == "unknown"
    at = replace(metric, value=Estimate(0.5, 0.4, 0.55, 100, "m"))
    for value, expected in (
        # The halves that face each other are 0.1 and 0.03 below, 0.05 and 0.02 above: the noise
        # of the difference is the root of their squares, 0.104 and 0.054.
        (0.397, "unclear"),  # outside the interval, but real graphs vary too
        (0.394, "better"),
        (0.553, "unclear"),
        (0.555, "worse"),
    ):
        real = Estimate(value, value - 0.02, value + 0.03, 100, "m")
        assert model_wording.beside_real(replace(at, real=real)) == expected, value
    exact = Estimate(1.0, 1.0, 1.0, 100, "jackknife")
    alike = replace(metric, value=exact, real=Estimate(0.9, 0.9, 0.9, 100, "jackknife"))
    assert model_wording.beside_real(alike) == "unclear"  # no width, no measure of chance
    for value, real, expected in (  # one width has to do for both
        (exact, around(0.9, 0.08, 100), "unclear"),
        (exact, around(0.9, 0.07, 100), "better"),
        (around(0.6, 0.02, 100), exact, "worse"),
    ):
        shown = replace(metric, value=value, real=real)
        assert model_wording.beside_real(shown) == expected


def test_sets_of_different_sizes_are_compared_only_where_size_is_no_matter() -> None:
    real = around(2.0, 0.1, 400)
    for key, n, expected in (
        ("fcd", 400, "better"),
        ("fcd", 1000, "unknown"),  # fewer real molecules have the larger distance
        ("fcd", 380, "better"),
        ("atom_stability", 1000, "worse"),
    ):
        metric = QualityMetric(key, around(1.0, 0.1, n), real=real)
        assert model_wording.beside_real(metric) == expected, (key, n)
    novelty = sample_quality().metrics[2]  # neither direction is better
    assert model_wording.beside_real(novelty) == "unknown"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("parts", "missing"),
    [
        ("full", set()),
        ("degenerate", {"hit_miss", "decoding", "variance", "properties", "matrix", "lu_nll"}),
    ],
)
def test_figures_of_the_parts(parts: str, missing: set[str]) -> None:
    drawn = dict(figures.figures(sample_result(n_patterns=5, n_bootstraps=10, parts=parts)))
    named = {name for name, _ in (*figures_model.FIGURES, *figures_linearization.FIGURES)}
    empty = {name.partition(".")[0] for name, content in drawn.items() if not content}
    assert missing <= empty
    assert (empty == set()) == (parts == "full")
    for name in named - empty:
        assert drawn[f"{name}.svg"].startswith(b"<?xml")
        assert drawn[f"{name}.pdf"].startswith(b"%PDF-")
