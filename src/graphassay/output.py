"""Outputs appear whole or not at all: a draft beside the target, then a rename."""

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from graphassay.errors import GraphAssayError, UnwritableOutput


@contextmanager
def replacing(path: Path, *, folder: bool = False) -> Iterator[Path]:
    """A draft that takes the place of ``path`` when all went well, and else vanishes.

    A link stays a link: the file it names is replaced. What is no regular file (``/dev/stdout``, a
    pipe, a device) is never replaced; the finished draft is copied into it.

    Args:
        path: the file, or the folder, to write.
        folder: the draft is a folder; one in the way must be empty.

    Raises:
        UnwritableOutput: no permission, no such folder, a folder in the way, or a full disk.
    """
    draft: Path | None = None
    try:
        copied = is_special(path)
        target = path if copied else Path(os.path.realpath(path))
        if target.is_dir() and (not folder or any(target.iterdir())):
            raise UnwritableOutput(f"{path}: a folder is in the way; remove it or name another")
        draft = _draft(target, beside=not copied, folder=folder)
        yield draft
        if copied:
            _copy(draft, target)
            return
        umask = os.umask(0)
        os.umask(umask)
        draft.chmod((0o777 if folder else 0o666) & ~umask)  # drafts are private
        draft.replace(target)
        draft = None
    except OSError as error:
        if isinstance(error, GraphAssayError):
            raise
        raise UnwritableOutput(f"{path}: cannot write ({error.strerror or error})") from None
    finally:
        if draft is not None and folder:
            shutil.rmtree(draft, ignore_errors=True)
        elif draft is not None:
            draft.unlink(missing_ok=True)


def check_writable(path: Path) -> None:
    """Say before long work that its output could not be written; what is there stays as it is.

    Raises:
        UnwritableOutput: as `replacing`.
    """
    try:
        if is_special(path):
            return
        target = Path(os.path.realpath(path))
        if target.is_dir():
            raise UnwritableOutput(f"{path}: a folder is in the way; remove it or name another")
        _draft(target, beside=True, folder=False).unlink()
    except OSError as error:
        if isinstance(error, GraphAssayError):
            raise
        raise UnwritableOutput(f"{path}: cannot write ({error.strerror or error})") from None


_HANDLES = {"/dev/stdout": 1, "/dev/stderr": 2}

_STREAMS = ("/dev/std", "/dev/fd/", "/proc/")
"""Names of open files: a regular file behind one must not be swapped under its holder."""


def is_stdout(path: str | Path) -> bool:
    """Whether an output is this process's standard output, which then holds nothing else."""
    return _HANDLES.get(str(path)) == 1


def is_special(path: Path) -> bool:
    """Whether a path is a stream, a pipe or a device, which is written into and never replaced."""
    if str(path).startswith(_STREAMS):
        return True
    try:
        mode = path.stat().st_mode
    except OSError:  # not there, or not to be seen: writing will tell
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _draft(target: Path, *, beside: bool, folder: bool) -> Path:
    """A new private file or folder, on the target's file system when it shall be renamed."""
    prefix, place = f".{target.name[:80]}.", target.parent if beside else None
    if folder:
        return Path(tempfile.mkdtemp(prefix=prefix, dir=place))
    handle, name = tempfile.mkstemp(prefix=prefix, dir=place)
    os.close(handle)
    return Path(name)


def _copy(draft: Path, target: Path) -> None:
    if draft.is_dir():
        raise UnwritableOutput(f"{target}: expected a folder, got a device or pipe")
    # A second opening of a redirected stream would have its own position: write to the stream.
    handle = _HANDLES.get(str(target))
    with (
        draft.open("rb") as source,
        open(  # noqa: PTH123  # a handle or a path
            target if handle is None else os.dup(handle), "wb"
        ) as file,
    ):
        shutil.copyfileobj(source, file)
