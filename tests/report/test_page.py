"""The page: complete, escaped, self-contained, rebuilt from its JSON byte for byte."""

import os
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from graphassay import results
from graphassay.errors import UnwritableOutput
from graphassay.report import page, wording, write_report
from graphassay.results import AuditResult, Distribution, Estimate, Galleries, Undefined
from report.sample_result import HOSTILE, sample_result

GOLDEN = Path(__file__).parents[1] / "golden"
VOID = {"meta", "link", "br", "img", "input", "hr"}
SAMPLES = {
    "molecules": {},
    "proteins": {"kind": "proteins", "repeats": 5},
    "bare": {"kind": "plain", "holdout": False, "rewired": False, "n_bootstraps": 10},
    "undefined": {"undefined": True},
}


class Outline(HTMLParser):
    """Visible text, ids, links and resources; fails on tags that do not nest."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.text: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.resources: list[str] = []
        self.handlers: list[str] = []

    def handle_starttag(self, tag, attrs) -> None:
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value)
            if tag == "a" and name == "href":
                self.links.append(value)
            elif name in ("src", "href", "xlink:href", "action", "data", "srcset"):
                self.resources.append(value)
            if name.startswith("on"):
                self.handlers.append(value)

    def handle_startendtag(self, tag, attrs) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag) -> None:
        assert self.open, f"</{tag}> without a start"
        assert self.open.pop() == tag

    def handle_data(self, data) -> None:
        if not {"style", "script"} & set(self.open) and data.strip():
            self.text.append(" ".join(data.split()))


def outline(html: str) -> Outline:
    parser = Outline()
    parser.feed(html)
    parser.close()
    assert parser.open == []
    return parser


def rendered(name: str) -> tuple[AuditResult, str]:
    result = sample_result(n_patterns=40, **SAMPLES[name])
    return result, page.render(result)


@pytest.mark.parametrize("name", SAMPLES)
def test_page_is_whole_and_self_contained(name: str) -> None:
    result, html = rendered(name)
    seen = outline(html)
    assert result.verdict.headline in seen.text
    assert len(set(seen.ids)) == len(seen.ids)
    assert [link for link in seen.links if link[1:] not in seen.ids or link[0] != "#"] == []
    assert seen.resources == ["data:,"]  # the empty icon
    assert seen.handlers == []
    assert not re.search(r"https?://(?!www\.w3\.org/)|@import|url\(", html)


@pytest.mark.parametrize("name", SAMPLES)
def test_page_never_shows_a_failure_as_a_number(name: str) -> None:
    _, html = rendered(name)
    text = " ".join(outline(html).text)
    assert not re.search(r"\b(nan|NaN|inf|Infinity|-inf|Undefined\(|null)\b", text)
    assert not re.search(r"(?<!“)\bNone\b(?!”)", text)
    assert not re.search(r"""="-?(nan|inf)""", html)
    assert ("undefined: fewer than 2 shared patterns" in text) == (name == "undefined")


def test_every_headline_number_is_on_the_page() -> None:
    _, html = rendered("molecules")
    text = " ".join(outline(html).text)
    for expected in ("0.931", "0.084", "0.142", "0.031", "23.1 %", "24", "1,024", "Wilson"):
        assert expected in text


def test_hostile_labels_never_appear_raw() -> None:
    result = sample_result(kind="proteins", hostile=True, n_patterns=60)
    html = page.render(result)
    seen = outline(html)
    for label in HOSTILE[:4]:
        assert label not in html
    assert html.count("<script") == 2  # the data and the page's own
    assert seen.handlers == []
    assert HOSTILE[0] in seen.text  # escaped, and shown in full
    assert seen.resources == ["data:,"]


def test_rebuilt_page_is_identical(tmp_path: Path) -> None:
    first = write_report(sample_result(n_patterns=40), tmp_path / "a", figures=False)
    again = write_report(results.load(tmp_path / "a"), tmp_path / "b", figures=False)
    names = sorted(path.name for path in (tmp_path / "a").iterdir())
    assert names == ["report.html", "results.json", "tables.tex"]
    for name in names:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes(), name
    assert (first.name, again.name) == ("report.html", "report.html")


@pytest.mark.slow
def test_figures_are_the_same_bytes_each_time(tmp_path: Path) -> None:
    stale = tmp_path / "a" / "figures" / "matrix.svg"
    stale.parent.mkdir(parents=True)
    stale.write_text("of an earlier audit")
    for folder in ("a", "b"):
        write_report(sample_result(n_patterns=40), tmp_path / folder)
    first, second = (
        {path.name: path.read_bytes() for path in (tmp_path / folder / "figures").iterdir()}
        for folder in ("a", "b")
    )
    names = ("patterns", "plane", "references", "strata")
    assert sorted(first) == [f"{name}.{end}" for name in names for end in ("pdf", "svg")]
    assert first == second
    assert all(content.startswith((b"%PDF-", b"<?xml")) for content in first.values())


def test_a_large_audit_stays_small() -> None:
    html = page.render(sample_result(kind="proteins", n_patterns=1500))
    assert len(html.encode()) < 2_000_000


def test_other_files_of_the_folder_stay(tmp_path: Path) -> None:
    (tmp_path / "patterns.parquet").write_bytes(b"kept")
    write_report(sample_result(n_patterns=5), tmp_path, figures=False)
    assert (tmp_path / "patterns.parquet").read_bytes() == b"kept"
    assert not list(tmp_path.glob(".*"))


def test_unwritable_folder_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(UnwritableOutput, match="cannot write"):
        write_report(sample_result(n_patterns=5), tmp_path / "file", figures=False)


def test_empty_audit_still_makes_a_page(tmp_path: Path) -> None:
    result = sample_result(n_patterns=5)
    empty = replace(
        result,
        strata=(),
        sensitivity=(),
        galleries=Galleries((), 0, (), (), (), ()),
        novel_only=Undefined("every generation is a copy"),
    )
    text = " ".join(outline(write_report(empty, tmp_path).read_text()).text)
    assert "No training pattern is missing." in text
    assert "undefined: every generation is a copy" in text


def distribution(low: float, high: float) -> Distribution:
    middle = (low + high) / 2
    return Distribution((low, middle, high), middle, middle, 0.1, low, high)


@pytest.mark.parametrize(
    ("key", "interval", "reference", "expected"),
    [
        ("rho", (0.5, 0.6), (0.7, 0.8), "worse"),
        ("rho", (0.85, 0.9), (0.7, 0.8), "better"),
        ("rho", (0.5, 0.7), (0.7, 0.8), "unclear"),
        ("jsd", (0.1, 0.2), (0.3, 0.4), "better"),
        ("jsd", (0.5, 0.6), (0.3, 0.4), "worse"),
        ("jsd", (0.2, 0.5), (0.3, 0.4), "unclear"),
    ],
)
def test_words_are_never_stronger_than_the_intervals(key, interval, reference, expected) -> None:
    estimate = Estimate(sum(interval) / 2, *interval, 100, "bootstrap")
    assert wording.placement(key, estimate, distribution(*reference)) == expected


def test_words_without_an_interval_make_no_claim() -> None:
    gone = Undefined("one graph")
    estimate = Estimate(0.9, gone, gone, 1, "none")
    assert wording.placement("rho", estimate, distribution(0.1, 0.2)) == "unknown"


@pytest.mark.parametrize("name", ["molecules", "undefined"])
def test_text_of_the_page_is_as_agreed(name: str) -> None:
    """Golden text; after a wanted change: GRAPHASSAY_UPDATE_GOLDEN=1 pytest tests/report."""
    result = sample_result(n_patterns=3, n_bootstraps=10, **SAMPLES[name])
    text = "\n".join(outline(page.render(result)).text) + "\n"
    file = GOLDEN / f"report_{name}.txt"
    if os.environ.get("GRAPHASSAY_UPDATE_GOLDEN"):
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")
