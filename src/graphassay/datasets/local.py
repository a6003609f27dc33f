"""Where copies of data sets are kept on this machine."""

import os
from collections.abc import Iterator
from pathlib import Path

from graphassay.errors import UnreadableFile


def folders(source: Path | None) -> Iterator[Path]:
    """Folders that may hold a copy, in order of preference."""
    if source is not None:
        yield source
        return
    shared = os.environ.get("GRAPHASSAY_SHARED")
    if shared:
        yield Path(shared)
    yield cache_folder()


def cache_folder() -> Path:
    """``GRAPHASSAY_CACHE``, else ``graphassay`` in the user's cache folder."""
    chosen = os.environ.get("GRAPHASSAY_CACHE")
    if chosen:
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "graphassay"


def find_file(names: tuple[str, ...], source: Path | None, *, what: str, remedy: str) -> Path:
    """The first file of one of the names, or ``source`` itself when that is a file.

    Raises:
        UnreadableFile: when there is none.
    """
    looked = []
    for folder in folders(source):
        if source is not None and folder.is_file():
            return folder
        for name in names:
            path = folder / name
            if path.exists():
                return path
        looked.append(str(folder))
    raise UnreadableFile(
        f"{what}: expected one of {', '.join(names)} in {', '.join(looked)}; {remedy}"
    )
