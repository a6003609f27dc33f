"""A number has one name wherever it is shown."""

import io
import re
from contextlib import redirect_stdout
from html import unescape

from graphassay.cli.audit import print_result
from graphassay.metric_cards import COPY_RATES, METRICS, REFERENCES
from graphassay.report import latex, page
from report.sample_result import sample_result

RESULT = sample_result()


def _printed() -> str:
    with redirect_stdout(io.StringIO()) as out:
        print_result(RESULT)
    return out.getvalue()


def test_one_name_on_the_command_line_in_the_report_and_in_latex() -> None:
    printed, tables = _printed(), latex.tables(RESULT)
    html = unescape(re.sub(r"<[^>]+>", "\n", page.render(RESULT)))
    for card in COPY_RATES.values():
        assert card.name in html, card.key
        assert card.name in tables, card.key
        assert card.name in printed or card.key == "novelty", card.key
    for key in RESULT.alignment.metrics:
        assert METRICS[key].name in html, key
        assert METRICS[key].name in printed, key
        assert (METRICS[key].latex or METRICS[key].symbol) in tables, key
    for reference in REFERENCES.values():
        assert reference.name in html
        assert reference.name in tables
        assert reference.short in printed


def test_the_numbers_fit_a_terminal_of_80_columns_in_ascii() -> None:
    lines = _printed().splitlines()
    start = next(i for i, line in enumerate(lines) if "Generated" in line)
    table = [line.rstrip() for line in lines[start:]]
    assert len(table) == 1 + 4 + len(RESULT.alignment.metrics)  # nothing is wrapped
    assert all(len(line) <= 80 and line.isascii() for line in table)
