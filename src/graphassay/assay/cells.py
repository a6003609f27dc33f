"""Finished pieces of a long audit, one file each, so that a killed audit goes on where it was.

A cell is a result record, filed under a digest of everything that decides it. Another setting is
another file name: cells of other settings are never read, and cost nothing but their few kilobytes.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from graphassay import __version__
from graphassay.errors import UnreadableFile, UnwritableOutput
from graphassay.output import replacing
from graphassay.results.files import decode, encode

FORMAT = "graphassay-cell"
VERSION = 2
"""Raised whenever the same key would give another record."""

R = TypeVar("R")


class CellStore:
    """Records on disk by what decides them.

    Args:
        folder: where; made when the first cell is written. None keeps nothing.

    Example:
        >>> import tempfile
        >>> from graphassay.results import Estimate
        >>> def measure() -> Estimate:
        ...     print("measuring")
        ...     return Estimate(0.5, 0.4, 0.6, 10, "Wilson")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     store = CellStore(Path(folder))
        ...     for _ in range(2):
        ...         cell = store.cell({"seed": 0, "n": 10}, Estimate, measure)
        measuring
    """

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder

    def cell(self, key: Mapping[str, Any], kind: type[R], make: Callable[[], R]) -> R:
        """The record of ``key``: read when it is there and whole, else made and kept.

        Args:
            key: all that decides the record (weights, data, options, seeds), as plain JSON data.
                The kind and our version are added.
            kind: the record's class, a dataclass of `graphassay.results`.
            make: computes it.

        Raises:
            UnwritableOutput: the cell cannot be written.
        """
        found = self.get(key, kind)
        if found is None:
            found = make()
            self.put(key, found)
        return found

    def get(self, key: Mapping[str, Any], kind: type[R]) -> R | None:
        """The record of ``key``, or None when there is none or it cannot be read."""
        if self.folder is None:
            return None
        full = _full_key(key, kind)
        try:
            content = json.loads(self._path(full).read_text(encoding="utf-8"))
            if content["key"] != full:  # a digest that collides, or a file from elsewhere
                return None
            return decode(kind, content["record"], source=str(self._path(full)))
        except (OSError, ValueError, KeyError, TypeError, UnreadableFile):
            return None  # damaged or missing: it is made again and replaced

    def put(self, key: Mapping[str, Any], record: Any) -> None:
        """Keep a record; the file appears whole or not at all.

        Raises:
            UnwritableOutput: no permission, or a full disk.
        """
        if self.folder is None:
            return
        full = _full_key(key, type(record))
        text = json.dumps({"key": full, "record": encode(record)}, indent=1, allow_nan=False)
        self._make_folder()
        with replacing(self._path(full)) as draft:
            draft.write_text(text + "\n", encoding="utf-8")

    def file(self, key: Mapping[str, Any], suffix: str) -> Path | None:
        """Where to keep something else under ``key`` (a log of samples); None keeps nothing."""
        if self.folder is None:
            return None
        self._make_folder()
        return self.folder / (_digest({**key, "suffix": suffix}) + suffix)

    def _make_folder(self) -> None:
        assert self.folder is not None
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UnwritableOutput(f"{self.folder}: cannot write ({error.strerror})") from None

    def _path(self, full: Mapping[str, Any]) -> Path:
        assert self.folder is not None
        return self.folder / f"{full['kind']}-{_digest(full)}.json"


def _full_key(key: Mapping[str, Any], kind: type) -> dict[str, Any]:
    full = {
        "format": FORMAT,
        "version": VERSION,
        "graphassay": __version__,
        "kind": kind.__name__,
        **key,
    }
    plain: dict[str, Any] = json.loads(json.dumps(full, allow_nan=False))  # as it is read back
    return plain


def _digest(full: Mapping[str, Any]) -> str:
    text = json.dumps(full, sort_keys=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()[:24]
