"""What a number is called in the report: its metric card, or its key where it has none."""

import math
from collections.abc import Iterable

from graphassay.metric_cards import CARDS, MetricCard
from graphassay.report.numbers import MINUS, number, percent
from graphassay.results import Value

TOKEN_KINDS = {
    "all": "All tokens",
    "node_index": "Node index",
    "node_label": "Node label",
    "edge_label": "Edge label",
    "special": "Special",
    "new_node": "New node",
    "revisit": "Revisit",
}
"""Token kinds in the order in which they are shown, and their names."""

PREDICTORS = {
    "generation_nll": "Generation NLL",
    "mean_nll": "Mean NLL",
    "lu": "LU",
    "ece": "ECE",
    "bound": f"{MINUS}bound",
}
"""Numbers that may tell good graphs from bad (lower is taken as better), and what they are called.
"""

_ARROWS = {"higher": "↑ higher is better", "lower": "↓ lower is better", "neither": ""}


def card(key: str) -> MetricCard:
    """The card of a number; one that has none is called by its key and makes no claim.

    Example:
        >>> card("jsd").symbol, card("no_such_number").name
        ('JSD', 'no such number')
    """
    known = CARDS.get(key)
    if known is not None:
        return known
    words = key.replace("_", " ")
    return MetricCard(key, words, words, "neither", -math.inf, math.inf, "", "", "", "", "")


def predictor(key: str) -> str:
    """What a predictor is called in dense places.

    Example:
        >>> predictor("generation_nll"), predictor("something_else")
        ('Generation NLL', 'something else')
    """
    return PREDICTORS.get(key) or card(key).symbol


def direction(key: str) -> str:
    """Which way is better, as an arrow and words; nothing where neither is."""
    return _ARROWS[card(key).better]


def is_share(key: str) -> bool:
    """Whether the number is a share that is written as a percentage."""
    return card(key).unit == "%"


def written(key: str, value: Value) -> str:
    """A number as its card wants it: a percentage or a plain number."""
    return percent(value) if is_share(key) else number(value)


def short_names(names: Iterable[str]) -> dict[str, str]:
    """Names without the beginning up to the colon that all of them share.

    Example:
        >>> short_names(["sent:random", "sent:anchor"])
        {'sent:random': 'random', 'sent:anchor': 'anchor'}
        >>> short_names(["dfs", "sent:random"])
        {'dfs': 'dfs', 'sent:random': 'sent:random'}
    """
    listed = list(dict.fromkeys(names))
    heads = {name.partition(":")[0] for name in listed}
    if len(heads) == 1 and all(name.partition(":")[2] for name in listed):
        return {name: name.partition(":")[2] for name in listed}
    return {name: name for name in listed}
