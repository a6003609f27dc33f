"""An output folder that is checked before the work and appears only when it is whole."""

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from graphassay.cli.common import writing
from graphassay.errors import InvalidInput, UnwritableOutput

if sys.platform != "win32":
    import fcntl

OURS = "results.json"
"""The file by which a folder is known as an earlier report of ours."""

CELLS = "cells"
"""What an interrupted audit of a run leaves in the folder, to go on from."""


@contextmanager
def report_folder(out: Path, *, force: bool = False) -> Iterator[Path]:
    """A folder beside ``out`` to write into; its files move to ``out`` when the block succeeds.

    When the block fails or is interrupted, the folder is removed and ``out`` is as it was; what a
    killed process left is removed by the next one that writes to the same ``out``. The
    files of an earlier report are replaced one by one, ``results.json`` last; other files stay, and
    so does ``cells``, where an audit of a run keeps what is finished.

    Args:
        out: where the report shall be.
        force: write even into a folder with files that are not ours.

    Raises:
        InvalidInput: ``out`` holds files but no earlier report.
        UnwritableOutput: it is a file, or it or the folder that shall hold it cannot be written.
        OSError: the block met it at a file elsewhere, which it names.
    """
    out = Path(os.path.abspath(out))  # noqa: PTH100  # resolve() would follow a link
    with writing(out):
        if out.exists() and not out.is_dir():
            raise UnwritableOutput(f"{out}: expected a folder, got a file; name another --out")
        if out.is_dir() and _holds_other(out) and not (out / OURS).is_file() and not force:
            raise InvalidInput(
                f"{out}: holds files that are not a report of ours; name another --out, or --force"
            )
        out.parent.mkdir(parents=True, exist_ok=True)
        if out.is_dir() and not os.access(out, os.W_OK | os.X_OK):
            raise PermissionError(13, "Permission denied")
        _remove_leftovers(out)
        temporary, lock = _locked_folder(out)
    try:
        yield temporary
        _move(temporary, out)
    except UnwritableOutput as error:  # in words of the folder that was asked for
        raise UnwritableOutput(str(error).replace(str(temporary), str(out))) from None
    except OSError as error:
        if _is_elsewhere(error, (temporary, out)):
            raise
        raise UnwritableOutput(f"{out}: cannot write ({error.strerror or error})") from None
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
        if lock is not None:
            os.close(lock)


def _is_elsewhere(error: OSError, folders: Iterable[Path]) -> bool:
    """Whether an error is about a file outside these folders; one that names none is not."""
    if not isinstance(error.filename, str | os.PathLike):
        return False
    path = Path(os.path.abspath(error.filename))  # noqa: PTH100
    return not any(path.is_relative_to(folder) for folder in folders)


def _locked_folder(out: Path) -> tuple[Path, int | None]:
    """A new folder beside ``out``, and the lock that says that it is in use.

    The system lets go of the lock when the last process that holds it is gone, killed or not: safer
    than a process number, which is given out anew and means nothing on another machine. None where
    the file system knows no locks; there nobody can take the folder for a leftover either.
    """
    while True:
        folder = Path(tempfile.mkdtemp(prefix=f".{out.name}.", suffix=".part", dir=out.parent))
        if sys.platform == "win32":
            return folder, None
        try:
            lock = _lock(folder)
        except (BlockingIOError, FileNotFoundError):
            continue  # between the two calls another process took it for a leftover
        except OSError:
            return folder, None
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(lock), folder.stat()):
                return folder, lock
        os.close(lock)


def _lock(folder: Path) -> int:
    """Lock a folder until the descriptor is closed.

    Raises:
        BlockingIOError: another process holds it.
        OSError: it cannot be locked.
    """
    place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(place)
        raise
    return place


def _remove_leftovers(out: Path) -> None:
    """Remove the folders of killed processes that were to become ``out``, and no others."""
    if sys.platform == "win32":  # nothing tells them from folders in use
        return
    ours = re.compile(rf"\.{re.escape(out.name)}\.[a-z0-9_]{{8}}\.part")
    for path in list(out.parent.iterdir()):
        if not ours.fullmatch(path.name):
            continue
        try:
            lock = _lock(path)
        except OSError:  # in use, or not ours to judge
            continue
        shutil.rmtree(path, ignore_errors=True)
        os.close(lock)


def _holds_other(out: Path) -> bool:
    return any(path.name != CELLS for path in out.iterdir())


def _move(source: Path, target: Path) -> None:
    mask = os.umask(0)
    os.umask(mask)
    source.chmod(0o777 & ~mask)  # mkdtemp's folder is private
    if not target.exists():
        source.rename(target)
        return
    for path in sorted(source.rglob("*"), key=lambda p: (p.name == OURS, p)):
        place = target / path.relative_to(source)
        if path.is_dir():
            place.mkdir(exist_ok=True)
        else:
            path.replace(place)
