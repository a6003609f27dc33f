"""A process that parses molecules for `graphassay.molecules.parallel`, over its own pipes.

``python -m graphassay.molecules.worker OPTIONS`` reads frames (length, then texts separated by NUL)
and answers each with a frame: a JSON header that names the arrays, then their bytes. Arrays travel
in the smallest integer type that holds them; nothing is pickled.
"""

import dataclasses
import json
import signal
import struct
import sys
from typing import IO, Any

import numpy as np

from graphassay.graph import MoleculeOptions
from graphassay.intake import Refusal, RefusedRecord
from graphassay.molecules.columns import MoleculeColumns
from graphassay.molecules.parsing import ParsedTexts, parse_texts

_LENGTH = struct.Struct("<Q")


def write_frame(stream: IO[bytes], *parts: bytes) -> None:
    """Send one frame."""
    stream.write(_LENGTH.pack(sum(map(len, parts))))
    for part in parts:
        stream.write(part)
    stream.flush()


def read_frame(stream: IO[bytes]) -> bytes | None:
    """Receive one frame, or None when the other side is gone."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    length = _LENGTH.unpack(head)[0]
    body = stream.read(length)
    return body if len(body) == length else None


def pack(parsed: ParsedTexts) -> tuple[bytes, ...]:
    """A result as the parts of a frame."""
    columns = {name: getattr(parsed.columns, name) for name in MoleculeColumns.FIELDS}
    columns["kept"] = np.asarray(parsed.kept, dtype=np.int64)
    small = {
        name: column.astype(np.min_scalar_type(int(column.max()) if len(column) else 0))
        for name, column in columns.items()
    }
    header = {
        "arrays": [[name, column.dtype.str, len(column)] for name, column in small.items()],
        "refused": [dataclasses.asdict(refusal) for refusal in parsed.refused],
    }
    text = json.dumps(header).encode()
    return (_LENGTH.pack(len(text)), text, *(column.tobytes() for column in small.values()))


def unpack(frame: bytes) -> ParsedTexts:
    """The result that `pack` packed."""
    start = _LENGTH.size + _LENGTH.unpack_from(frame)[0]
    header = json.loads(frame[_LENGTH.size : start])
    arrays: dict[str, Any] = {}
    for name, dtype, length in header["arrays"]:
        arrays[name] = np.frombuffer(frame, dtype=dtype, count=length, offset=start)
        start += arrays[name].nbytes
    kept = arrays.pop("kept").astype(np.int64)
    refused = tuple(
        Refusal(r["reason"], r["n"], tuple(RefusedRecord(**example) for example in r["examples"]))
        for r in header["refused"]
    )
    return ParsedTexts(MoleculeColumns(**arrays), kept, refused)


def main() -> None:
    """Serve until the input closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's affair
    asked = json.loads(sys.argv[1])
    options = MoleculeOptions(**asked["options"])
    while (frame := read_frame(sys.stdin.buffer)) is not None:
        texts = frame.decode().split("\0")
        parsed = parse_texts(texts, range(len(texts)), asked["notation"], options)
        write_frame(sys.stdout.buffer, *pack(parsed))


if __name__ == "__main__":
    main()
