"""Write docs/metrics.md from the metric cards and the verdict's own rules: ``make docs``."""

import inspect
from pathlib import Path

from graphassay.assay import verdict
from graphassay.metric_cards import (
    COPY_RATES,
    LINEARIZATION,
    METRICS,
    MODEL,
    PATTERN,
    PLACES,
    QUALITY,
    REFERENCES,
    VERDICTS,
    MetricCard,
)

PAGE = Path(__file__).parents[1] / "docs" / "metrics.md"

INTRODUCTION = """\
# Metrics

<!-- Written by `make docs` from the metric cards and the docstring of assay/verdict.py. -->

One card for each number of an audit, under the name by which the report, the LaTeX tables and the
command line call it. The key in brackets is its name in `results.json`. A range in % is that of the
report; the same share is 0 to 1 in `results.json` and on the command line.
"""


def page() -> str:
    """The text of docs/metrics.md."""
    parts = [
        INTRODUCTION,
        "## Copies of whole graphs",
        "Whether two graphs are the same is decided by isomorphism of the labelled graphs, whatever"
        " the file format.",
        *map(_card, COPY_RATES.values()),
        "## Alignment of frequent patterns",
        f"Pattern: {PATTERN.format(max_vertices='`--max-vertices` (default 8)')}",
        "s(g) is the support of pattern g in a set, taken as 0 where g is not frequent there "
        "(`--support exact` keeps the exact support); p(g) is s(g) divided by the sum of s over "
        "the patterns frequent in train or in the generated set (their union).",
        *map(_card, METRICS.values()),
        "## Place among the references",
        *map(_card, PLACES.values()),
        "## Quality",
        "Of molecules, of copies, and of whole graphs (`graphassay metrics`). Each number comes "
        "with its kernel or tool, the number of graphs, the split that it was held against, and, "
        "where there are held-out real graphs, the same number for them.",
        *map(_card, QUALITY.values()),
        "## The model itself",
        "Of an audit of a run (`--run`): what its likelihoods, checkpoints, decodings and seeds "
        "say.",
        *map(_card, MODEL.values()),
        "## Graphs or orders",
        "Of an audit of a run with `--linearization`: every graph is written in K orders.",
        *map(_card, LINEARIZATION.values()),
        "## References",
        "The same numbers are computed for up to three references, each against train.",
        "\n".join(
            f"- **{card.name}** (`{card.key}`): {card.meaning}" for card in REFERENCES.values()
        ),
        "## Verdict",
        f"One of: {', '.join(f'**{name}** (`{key}`)' for key, name in VERDICTS.items())}.",
        _rules(),
    ]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _card(card: MetricCard) -> str:
    symbol = "" if card.symbol.lower() in card.name.lower() else f", {card.symbol}"
    direction = {
        "higher": "higher is better",
        "lower": "lower is better",
        "neither": "neither end is better",
    }[card.better]
    size = (
        "\n- Depends on the number of graphs: compare sets of one size." if card.of_one_size else ""
    )
    return f"""\
### {card.name}{symbol} (`{card.key}`)

{card.question} {card.meaning}

- Formula: {card.formula}.
- Range: {card.range}; {direction}.{size}
- Undefined with: {card.undefined}.
- Source: {card.source}."""


def _rules() -> str:
    """The verdict module's docstring, less its title."""
    _, _, rules = inspect.cleandoc(verdict.__doc__ or "").partition("\n")
    return rules.strip()


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
