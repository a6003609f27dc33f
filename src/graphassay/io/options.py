"""Options that all readers share."""

from collections.abc import Callable
from dataclasses import dataclass, field

from graphassay.graph import MoleculeOptions

Progress = Callable[[int, int], None]
"""Called now and then with (records done, records in all)."""


@dataclass(frozen=True)
class ReadOptions:
    """What `graphassay.io.read` was asked for, as each format's reader receives it."""

    column: str | None = None
    molecules: MoleculeOptions = field(default_factory=MoleculeOptions)
    processes: int | None = None
    progress: Progress | None = None
