"""tables.tex: balanced, one cell per column, and nothing unescaped."""

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphassay.report import latex
from report.sample_result import HOSTILE, sample_result

GOLDEN = Path(__file__).parents[1] / "golden" / "report_tables.tex"


def bare(text: str) -> str:
    """The text without commands and escaped characters."""
    return re.sub(r"\\[A-Za-z]+|\\.", "", text)


@given(st.text())
def test_escaped_text_has_no_special_character(text: str) -> None:
    escaped = latex.escape(text)
    left = bare(escaped).replace("{}", "").replace("{-}", "").replace("{U+", "(")
    assert not set("$&%#_^\\") & set(left)
    assert left.count("~") == text.count("\N{NO-BREAK SPACE}")
    assert "\n" not in escaped
    assert escaped.count("{") - escaped.count(r"\{") == escaped.count("}") - escaped.count(r"\}")


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"hostile": True, "undefined": True},
        {"holdout": False},
        {"parts": "full"},
        {"parts": "one"},
        {"parts": "degenerate"},
        {"parts": "full", "hostile": True, "kind": "proteins"},
    ],
)
def test_tables_are_balanced_and_rectangular(options: dict[str, Any]) -> None:
    text = latex.tables(sample_result(n_patterns=5, **options))
    body = "\n".join(line for line in text.splitlines() if not line.startswith("%"))
    for environment in ("table", "tabular"):
        begins = body.count(rf"\begin{{{environment}}}")
        assert begins == body.count(rf"\end{{{environment}}}") >= 3
    for columns, rows in re.findall(
        r"\\begin\{tabular\}\{(\w+)\}(.*?)\\end\{tabular\}", body, re.DOTALL
    ):
        for row in re.findall(r"^(.*) \\\\$", rows, re.MULTILINE):
            assert len(re.findall(r"(?<!\\)&", row)) + 1 == len(columns), row
    assert HOSTILE[0] not in body
    assert not re.search(r"\b(nan|inf|none|null)\b", body.lower())


def test_headline_numbers_are_in_the_table() -> None:
    text = latex.tables(sample_result(n_patterns=5))
    assert r"$\rho$ & 0.931 (0.919 -- 0.942)" in text
    assert "23.1~\\% (20.6~\\% -- 25.7~\\%)" in text


def test_the_other_parts_have_tables_with_their_numbers() -> None:
    text = latex.tables(sample_result(n_patterns=5, parts="full"))
    labels = re.findall(r"\\label\{tab:(audit-[\w-]+)\}", text)
    assert len(labels) == len(set(labels))
    parts = ("hit-miss", "trajectory", "decoding", "variance", "seeds", "robustness", "matrix")
    parts += ("self", "prediction", "k-sweep", "diversity", "bound", "quality")
    assert {f"audit-{part}" for part in parts} < set(labels)
    assert "127.100 (126.000 -- 128.200) & 89.300 (88.500 -- 90.100)" in text
    assert r"12,000 & 80~M" in text
    robust = text[text.index("tab:audit-robustness") :].split(r"\midrule")[1]
    assert re.search(r"^anchor & 95\.6 \$\\pm\$ 0\.0 & 0\.2\d\d \$\\pm\$", robust, re.MULTILINE)


def test_tables_are_as_agreed() -> None:
    text = latex.tables(sample_result(n_patterns=3, n_bootstraps=10))
    if os.environ.get("GRAPHASSAY_UPDATE_GOLDEN"):
        GOLDEN.write_text(text, encoding="utf-8")
    assert text == GOLDEN.read_text(encoding="utf-8")


def test_tables_compile(tmp_path: Path) -> None:
    pdflatex = shutil.which("pdflatex")
    if pdflatex is None:
        pytest.skip("pdflatex is not installed")
    tables = latex.tables(sample_result(n_patterns=5, hostile=True, parts="full"))
    document = rf"""\documentclass{{article}}\usepackage[T1]{{fontenc}}\usepackage{{booktabs}}
\begin{{document}}{tables}\end{{document}}"""
    (tmp_path / "t.tex").write_text(document, encoding="utf-8")
    command = [pdflatex, "-halt-on-error", "-interaction=nonstopmode", "t.tex"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
