"""Several audits on one page: points, warnings, sortable numbers, no claim where none is due."""

from dataclasses import replace
from pathlib import Path

import pytest

from graphassay.errors import InvalidInput
from graphassay.report import compare_reports
from graphassay.report.compare import render, summary, warnings
from graphassay.results import AuditResult
from report.sample_result import sample_result
from report.test_page import outline


def audits() -> list[AuditResult]:
    return [
        sample_result(n_patterns=3, name="one"),
        sample_result(n_patterns=3, name="two", em=0.9, verdict="memorization-dominated"),
        sample_result(n_patterns=3, name="<script>alert(3)</script>", undefined=True),
    ]


def with_train_hash(result: AuditResult, sha256: str | None) -> AuditResult:
    train = result.inputs["train"]
    other = replace(train, intake=replace(train.intake, sha256=sha256))
    return replace(result, inputs={**result.inputs, "train": other})


def test_page_is_whole_escaped_and_deterministic(tmp_path: Path) -> None:
    path = compare_reports(audits(), tmp_path / "deep" / "compare.html")
    html = path.read_text()
    seen = outline(html)
    assert html == render(audits())
    assert "<script>alert(3)" not in html
    assert seen.resources == ["data:,"]
    text = " ".join(seen.text)
    assert "3 generators compared" in text
    assert "undefined: fewer than 2 shared patterns" in text
    assert text.count("Memorization-dominated") >= 2
    assert "differ in their set-up" not in text
    assert "References are those of audit 1" in text


def test_cells_sort_by_the_full_number() -> None:
    html = render(audits())
    assert 'data-v="0.931"' in html
    assert 'data-v=""' in html  # the undefined one


def test_different_training_sets_are_warned_about_and_share_no_reference() -> None:
    first, second, _ = audits()
    pair = [first, with_train_hash(second, "ff" * 32)]
    assert any("training sets differ" in w for w in warnings(pair))
    text = " ".join(outline(render(pair)).text)
    assert "do not all have the same training set, so no common reference is drawn" in text


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda r: with_train_hash(r, None), "hash of its training set"),
        (lambda r: replace(r, options={**r.options, "min_support": 0.2}), "min_support differs"),
        (lambda r: replace(r, options={**r.options, "max_vertices": 6}), "max_vertices differs"),
        (lambda r: replace(r, name="one"), "same name"),
        (
            lambda r: replace(r, alignment=replace(r.alignment, n_generated=77)),
            "numbers of generated graphs differ (77, 1,000)",
        ),
        (
            lambda r: replace(r, inputs={k: v for k, v in r.inputs.items() if k != "holdout"}),
            "holdout sets differ",
        ),
        (
            lambda r: replace(
                r, provenance=replace(r.provenance, versions={"graphassay": "0.0.9"})
            ),
            "different versions: 0.0.9, 0.1.0",
        ),
    ],
)
def test_each_difference_is_named(change, words: str) -> None:
    first, second, _ = audits()
    assert warnings([first, second]) == []
    found = warnings([first, change(second)])
    assert len(found) == 1
    assert words in found[0]


def test_one_audit_is_not_a_comparison(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="at least two audits, got 1"):
        compare_reports(audits()[:1], tmp_path / "c.html")


def test_summary_is_plain_data() -> None:
    one, _, broken = summary(audits())
    assert one["metrics"]["rho"]["value"] == 0.931
    assert one["exact_match"]["n"] == 1024
    assert one["metrics"]["rho"]["references"].keys() == {"bootstrap", "holdout", "rewired"}
    assert broken["metrics"]["rho"]["value"] == {"undefined": "fewer than 2 shared patterns"}
