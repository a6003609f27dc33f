"""What a card says of a number."""

import math
from dataclasses import dataclass
from typing import Literal

PAPER = "“When Graph Language Models Go Beyond Memorization”"
CALIBRATED = f"{PAPER}, section 4.3"

MINUS = "\N{MINUS SIGN}"

PATTERN = (
    "A connected subgraph (not necessarily induced, labels kept) with at least one edge and at "
    "most {max_vertices} vertices. Its support is the share of graphs that contain it; it is "
    "frequent when that share reaches the minimum support."
)


@dataclass(frozen=True)
class MetricCard:
    """What a reader must know of a metric before reading a number.

    Attributes:
        key: the number's name in results.json.
        name: its name in headings and tables.
        symbol: how running text and dense tables call it.
        better: the direction in which a generator improves that should match train's structure
            without copying; ``neither`` where the number only places it.
        low: least possible value.
        high: largest possible value.
        question: what the number answers.
        formula: how it is computed.
        meaning: how to read it.
        undefined: the degenerate cases in which there is no number.
        source: where the definition comes from.
        latex: the symbol in LaTeX, where it is not the plain symbol.
        of_one_size: depends on how many graphs there are: only sets of one size can be compared.
        unit: of the range as text; ``%`` for shares that are shown as percentages.
    """

    key: str
    name: str
    symbol: str
    better: Literal["higher", "lower", "neither"]
    low: float
    high: float
    question: str
    formula: str
    meaning: str
    undefined: str
    source: str
    latex: str = ""
    of_one_size: bool = False
    unit: Literal["", "%"] = ""

    @property
    def range(self) -> str:
        """The range as text.

        Example:
            >>> from graphassay.metric_cards import CARDS
            >>> CARDS["jsd"].range, CARDS["exact_match"].range, CARDS["z"].range
            ('0 to ln 2 ≈ 0.693', '0 to 100 %', 'any number')
            >>> CARDS["fcd"].range
            '0 or more'
        """
        if math.isinf(self.high) and not math.isinf(self.low):
            return f"{self.low:g} or more"
        if math.isinf(self.low) or math.isinf(self.high):
            return "any number"
        if self.unit == "%":
            return f"{100 * self.low:g} to {100 * self.high:g} %"
        high = "ln 2 ≈ 0.693" if self.high == math.log(2) else f"{self.high:g}"
        return f"{self.low:g} to {high}".replace("-", MINUS)
