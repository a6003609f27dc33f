"""graph6 and sparse6: one unlabelled graph per line (format of Brendan McKay's nauty).

Both may stand in one file. digraph6 and incremental sparse6 records are refused, and so are
sparse6's self-loops and parallel edges.
Source: https://users.cecs.anu.edu.au/~bdm/data/formats.txt
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from graphassay.graph import GraphSet, Int64
from graphassay.intake import IntakeTally
from graphassay.io.builder import DIRECTED, Refused, SetBuilder
from graphassay.io.options import ReadOptions
from graphassay.io.source import Source

UNREADABLE = "not a graph6 or sparse6 line"
INCREMENTAL = "incremental sparse6"
_HEADERS = (b">>graph6<<", b">>sparse6<<")
_BITS = np.array([32, 16, 8, 4, 2, 1], dtype=np.uint8)

Bits = npt.NDArray[np.uint8]


def read(source: Source, _options: ReadOptions) -> GraphSet:
    """Read graph6 or sparse6 lines; ``records`` are lines."""
    tally = IntakeTally(str(source.path), "graph6")
    builder = SetBuilder(tally)
    for number, raw in enumerate(source.text.split(b"\n"), start=1):
        line = raw.strip()
        for header in _HEADERS:
            line = line.removeprefix(header)
        if not line:
            continue
        try:
            n, u, v = decode(line, builder)
            builder.add(number, n, u, v)
        except Refused as refusal:
            tally.refuse(str(refusal), number, line[:120].decode(errors="replace"))
    return builder.finish(sha256=source.sha256)


def decode(line: bytes, builder: SetBuilder) -> tuple[int, Int64, Int64]:
    """Number of vertices and the endpoints of the edges that a line stands for."""
    if line[:1] == b"&":
        raise Refused(DIRECTED)
    if line[:1] == b";":
        raise Refused(INCREMENTAL)
    sparse = line[:1] == b":"
    values = np.frombuffer(line[1:] if sparse else line, dtype=np.uint8)
    if not len(values) or int(values.min()) < 63 or int(values.max()) > 126:
        raise Refused(UNREADABLE)
    n, rest = _decode_size(values - 63)
    builder.declare(n)
    bits = (rest[:, None] & _BITS > 0).astype(np.uint8).ravel()
    u, v = _decode_sparse(n, bits) if sparse else _decode_dense(n, bits)
    return n, u, v


def _decode_size(values: Bits) -> tuple[int, Bits]:
    width = 1 if values[0] != 63 else 3 if len(values) < 2 or values[1] != 63 else 6
    start = {1: 0, 3: 1, 6: 2}[width]
    digits = values[start : start + width].tolist()
    if len(digits) < width:
        raise Refused(UNREADABLE)
    n = 0
    for digit in digits:
        n = n << 6 | digit
    return n, values[start + width :]


def _decode_dense(n: int, bits: Bits) -> tuple[Int64, Int64]:
    n_pairs = n * (n - 1) // 2
    if not n_pairs <= len(bits) < n_pairs + 6:
        raise Refused(UNREADABLE)
    columns = np.concatenate([[0], np.cumsum(np.arange(n, dtype=np.int64))])  # v starts at v(v-1)/2
    places = np.flatnonzero(bits[:n_pairs])
    v = np.searchsorted(columns, places, side="right") - 1
    return places - columns[v], v


def _decode_sparse(n: int, bits: Bits) -> tuple[Int64, Int64]:
    width = (n - 1).bit_length() if n else 0
    n_steps = len(bits) // (width + 1)
    steps = bits[: n_steps * (width + 1)].reshape(n_steps, width + 1).astype(np.int64)
    targets = steps[:, 1:] @ (1 << np.arange(width - 1, -1, -1, dtype=np.int64))
    edges: list[tuple[int, int]] = []
    v = 0
    for advance, x in zip(steps[:, 0].tolist(), targets.tolist(), strict=True):
        v += advance
        if x >= n or v >= n:
            break  # the padding at the end
        if x > v:
            v = x
        else:
            edges.append((x, v))
    ends = np.array(edges, dtype=np.int64).reshape(-1, 2)
    return ends[:, 0], ends[:, 1]


def write(graphs: GraphSet) -> Iterator[bytes]:
    """One graph6 line per graph; labels are left out."""
    for n, u, v in _plain(graphs):
        bits = np.zeros(n * (n - 1) // 2, dtype=np.uint8)
        bits[v * (v - 1) // 2 + u] = 1
        yield _encode_size(n) + _encode_bits(bits) + b"\n"


def write_sparse(graphs: GraphSet) -> Iterator[bytes]:
    """One sparse6 line per graph; labels are left out."""
    for n, u, v in _plain(graphs):
        width = (n - 1).bit_length() if n else 0
        text: list[str] = []
        current = 0
        for high, low in sorted(zip(v.tolist(), u.tolist(), strict=True)):
            if high > current + 1:
                text.append("1" + _binary(high, width))
                current = high
            text.append(("1" if high == current + 1 else "0") + _binary(low, width))
            current = high
        bits = "".join(text)
        n_padding = -len(bits) % 6
        # Ones would read as one more edge here: the format's own exception.
        if width < 6 and n == 1 << width and n_padding > width and current < n - 1:
            bits += "0"
        bits += "1" * (-len(bits) % 6)
        yield b":" + _encode_size(n) + _encode_bits(np.array(list(bits), dtype=np.uint8)) + b"\n"


def _binary(value: int, width: int) -> str:
    return f"{value:0{width}b}" if width else ""


def _plain(graphs: GraphSet) -> Iterator[tuple[int, Int64, Int64]]:
    u, v = graphs.edge_u.astype(np.int64), graphs.edge_v.astype(np.int64)
    for g, n in enumerate(graphs.vertex_counts.tolist()):
        edges = slice(graphs.edge_offsets[g], graphs.edge_offsets[g + 1])
        yield n, u[edges], v[edges]


def _encode_size(n: int) -> bytes:
    if n <= 62:
        return bytes([n + 63])
    width, head = (3, b"~") if n <= 258047 else (6, b"~~")
    return head + bytes((n >> 6 * (width - 1 - i) & 63) + 63 for i in range(width))


def _encode_bits(bits: Bits) -> bytes:
    padded = np.zeros(-(-len(bits) // 6) * 6, dtype=np.uint8)
    padded[: len(bits)] = bits
    return bytes(padded.reshape(-1, 6) @ _BITS + 63)
