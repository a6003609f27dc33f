"""docs/metrics.md says what the program says."""

import runpy
from pathlib import Path

from graphassay.assay import verdict
from graphassay.metric_cards import CARDS, REFERENCES, VERDICTS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8")


def test_the_page_is_the_one_the_cards_give() -> None:
    tool = runpy.run_path(str(ROOT / "tools" / "write_metrics_page.py"))
    assert tool["page"]() == PAGE, "run `make docs`"


def test_nothing_is_left_out() -> None:
    for card in CARDS.values():
        for text in (card.question, card.formula, card.range, card.undefined, card.source):
            assert text in PAGE, card.key
    assert all(card.meaning in PAGE for card in REFERENCES.values())
    assert all(f"`{kind}`" in PAGE for kind in VERDICTS)


def test_the_rules_state_the_limits_that_are_applied() -> None:
    assert f"at least {verdict.MIN_GRAPHS} training and {verdict.MIN_GRAPHS} generated" in PAGE
    assert f"{verdict.MIN_PATTERNS} training patterns" in PAGE
    shares = {0.5: "1/2", 0.75: "3/4"}
    assert f"(EM - F) / (1 - F) > {shares[verdict.DOMINANT]}" in PAGE
    assert f"surely at least {shares[verdict.ALIGNED]}" in PAGE
    assert f"surely below {shares[verdict.CHANCE]}" in PAGE
