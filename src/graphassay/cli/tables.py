"""Short tables on the terminal: text to the left, numbers to the right."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table


def new_table(*columns: str, n_text: int = 1) -> "Table":
    """An empty table without lines; the first ``n_text`` columns hold text, the others numbers."""
    from rich.table import Table

    made = Table(*columns[:n_text], box=None)
    for column in columns[n_text:]:
        made.add_column(column, justify="right")
    return made


def number(value: object, digits: int = 3) -> str:
    """A number with so many decimals, or that there is none."""
    return f"{value:.{digits}f}" if isinstance(value, float | int) else "undefined"
