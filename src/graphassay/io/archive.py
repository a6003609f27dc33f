"""Zip files from strangers: names stay inside, sizes are checked before memory is taken."""

import zipfile
import zlib
from pathlib import Path, PurePosixPath

from graphassay.errors import UnreadableFile
from graphassay.io.source import check_unpacked_size

MAX_MEMBERS = 4_000_000


def open_zip(path: Path) -> zipfile.ZipFile:
    """Open a zip file and check every member's name and the declared sizes.

    Raises:
        UnreadableFile: not a zip file, a member outside its folder, encrypted, or a bomb.
    """
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise UnreadableFile(
            f"{path}: not a sound zip file, or truncated ({error}); fetch it again"
        ) from None
    try:
        _check_members(path, archive)
    except UnreadableFile:
        archive.close()
        raise
    return archive


def _check_members(path: Path, archive: zipfile.ZipFile) -> None:
    members = archive.infolist()
    if len(members) > MAX_MEMBERS:
        raise UnreadableFile(f"{path}: more than {MAX_MEMBERS:,} members")
    for member in members:
        name = member.filename
        if (
            "\\" in name
            or ".." in PurePosixPath(name).parts
            or name.startswith("/")
            or ":" in name.split("/")[0]
        ):
            raise UnreadableFile(
                f"{path}: member {name!r} lies outside the archive's folder; do not trust this file"
            )
        if member.flag_bits & 1:
            raise UnreadableFile(f"{path}: member {name!r} is encrypted; unpack it yourself")
    check_unpacked_size(path, path.stat().st_size, sum(member.file_size for member in members))


def read_member(path: Path, archive: zipfile.ZipFile, name: str) -> bytes:
    """One member's bytes, never more than it declares."""
    declared = archive.getinfo(name).file_size
    try:
        with archive.open(name) as file:
            data = file.read(declared + 1)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError) as error:
        raise UnreadableFile(
            f"{path}: member {name!r} is damaged ({error}); fetch the file again"
        ) from None
    if len(data) != declared:
        raise UnreadableFile(f"{path}: member {name!r} unpacks to another size than it declares")
    return data
