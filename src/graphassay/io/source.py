"""The bytes of an input file: found, unpacked, measured, and refused in one clear line."""

import hashlib
import zlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from graphassay.errors import UnreadableFile

MAX_BYTES = 8 << 30
"""No input may unpack to more than this."""
MAX_RATIO = 200
"""An input may not unpack to more than this many times its size (once past `RATIO_FROM`)."""
RATIO_FROM = 64 << 20

_GZIP = b"\x1f\x8b"
_CHUNK = 1 << 22


@dataclass(frozen=True)
class Source:
    """One input file; ``data`` is unpacked when the file was gzipped."""

    path: Path
    data: bytes
    sha256: str

    @cached_property
    def text(self) -> bytes:
        """The data as UTF-8 text without its byte order mark.

        Raises:
            UnreadableFile: when it is binary or in another encoding.
        """
        data = self.data
        if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
            raise UnreadableFile(f"{self.path}: expected UTF-8 text, got UTF-16; save it as UTF-8")
        if b"\0" in data:
            raise UnreadableFile(
                f"{self.path}: expected text, got binary data; name its format with --format"
            )
        data = data.removeprefix(b"\xef\xbb\xbf")
        try:
            data.decode()
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise UnreadableFile(
                f"{self.path}: line {line}: expected UTF-8 text, got byte {data[error.start]:#04x}"
            ) from None
        if not data.strip():
            raise UnreadableFile(f"{self.path}: expected graphs, got a file with only blanks")
        return data


def check_exists(path: Path) -> None:
    """Raise `UnreadableFile` unless something is there to be read."""
    try:
        found = path.exists()
    except OSError as error:  # a name too long, a parent that may not be entered
        raise _unreadable(path, error) from None
    if not found:
        raise UnreadableFile(f"{path}: no such file; check the path")


def load(path: Path) -> Source:
    """Read a file, unpack gzip, and take its digest (of the file as it lies on disk).

    Raises:
        UnreadableFile: missing, a folder, empty, truncated, or unpacking to a bomb.
    """
    check_exists(path)
    if path.is_dir():
        raise UnreadableFile(f"{path}: expected a file, got a folder (only TU sets are folders)")
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise _unreadable(path, error) from None
    if not raw:
        raise UnreadableFile(f"{path}: the file is empty")
    data = _unpack(path, raw) if raw[:2] == _GZIP else raw
    if not data:
        raise UnreadableFile(f"{path}: the file unpacks to nothing")
    return Source(path, data, hashlib.sha256(raw).hexdigest())


def file_sha256(path: Path) -> str:
    """Digest of a file, without holding it in memory."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_unpacked_size(path: Path, n_packed: int, n_unpacked: int) -> None:
    """Raise `UnreadableFile` when unpacked data is larger than honest files are."""
    if n_unpacked > MAX_BYTES:
        raise UnreadableFile(f"{path}: unpacks to more than {MAX_BYTES >> 30} GiB; split the file")
    if n_unpacked > RATIO_FROM and n_unpacked > MAX_RATIO * n_packed:
        raise UnreadableFile(
            f"{path}: unpacks to more than {MAX_RATIO} times its size, as a zip bomb does; "
            "unpack it yourself if you trust it"
        )


def _unpack(path: Path, raw: bytes) -> bytes:
    parts: list[bytes] = []
    total = 0
    rest = raw
    try:
        while rest.strip(b"\0"):  # gzip files may be concatenated, and padded with zeros
            stream = zlib.decompressobj(wbits=31)
            pending = rest
            while not stream.eof:
                part = stream.decompress(pending, _CHUNK)
                pending = stream.unconsumed_tail
                if not part and not pending and not stream.eof:
                    raise UnreadableFile(f"{path}: the gzip file is truncated; fetch it again")
                total += len(part)
                check_unpacked_size(path, len(raw), total)
                parts.append(part)
            rest = stream.unused_data
    except zlib.error as error:
        raise UnreadableFile(f"{path}: not a sound gzip file ({error}); fetch it again") from None
    return b"".join(parts)


def _unreadable(path: Path, error: OSError) -> UnreadableFile:
    return UnreadableFile(f"{path}: cannot read ({error.strerror or error})")
