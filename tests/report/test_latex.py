"""tables.tex: balanced, one cell per column, and nothing unescaped."""

import os
import re
import shutil
import subprocess
from pathlib import Path

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


@pytest.mark.parametrize("options", [{}, {"hostile": True, "undefined": True}, {"holdout": False}])
def test_tables_are_balanced_and_rectangular(options: dict[str, bool]) -> None:
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
    assert "nan" not in body.lower()


def test_headline_numbers_are_in_the_table() -> None:
    text = latex.tables(sample_result(n_patterns=5))
    assert r"$\rho$ & 0.931 (0.919 -- 0.942)" in text
    assert "23.1~\\% (20.6~\\% -- 25.7~\\%)" in text


def test_tables_are_as_agreed() -> None:
    text = latex.tables(sample_result(n_patterns=3, n_bootstraps=10))
    if os.environ.get("GRAPHASSAY_UPDATE_GOLDEN"):
        GOLDEN.write_text(text, encoding="utf-8")
    assert text == GOLDEN.read_text(encoding="utf-8")


def test_tables_compile(tmp_path: Path) -> None:
    pdflatex = shutil.which("pdflatex")
    if pdflatex is None:
        pytest.skip("pdflatex is not installed")
    tables = latex.tables(sample_result(n_patterns=5, hostile=True))
    document = rf"""\documentclass{{article}}\usepackage[T1]{{fontenc}}\usepackage{{booktabs}}
\begin{{document}}{tables}\end{{document}}"""
    (tmp_path / "t.tex").write_text(document, encoding="utf-8")
    command = [pdflatex, "-halt-on-error", "-interaction=nonstopmode", "t.tex"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
