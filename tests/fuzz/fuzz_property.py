"""What must hold of a reader whatever the bytes: a graph set or one clear line, nothing else.

And what was read must survive being written and read again.
"""

import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from graphassay.errors import InvalidInput
from graphassay.graph import GraphSet
from graphassay.io import read, write

NAMES = {  # target -> name of the file, which decides the format
    "gspan": "a.gspan",
    "smiles": "a.smi",
    "csv": "a.csv",
    "sdf": "a.sdf",
    "graph6": "a.g6",
    "sparse6": "a.s6",
    "graphml": "a.graphml",
    "jsonl": "a.jsonl",
    "tu": "a.zip",
    "tu_text": "a.zip",
    "npz": "a.npz",
    "npy": "a.npz",
    "arrow": "a.arrow",
    "gzip": "a.smi.gz",
    "content": "a.txt",
}


def check(target: str, data: bytes, folder: Path) -> None:
    """Raise unless the reader behaves."""
    path = folder / NAMES[target]
    path.write_bytes(PREPARE.get(target, lambda raw: raw)(data))
    try:
        graphs = read(path, processes=1)
    except InvalidInput as error:
        message = str(error)
        assert message.startswith(str(path)), message
        assert "\n" not in message, message
        return
    assert graphs.intake is not None
    assert graphs.intake.n_kept == len(graphs) > 0
    assert graphs.intake.n_refused == sum(r.n for r in graphs.intake.refused)
    assert len(list(graphs)) == len(graphs)  # every graph is well-formed
    _check_round_trip(target, graphs, folder)


def _check_round_trip(target: str, graphs: GraphSet, folder: Path) -> None:
    for name in ("b.jsonl", "b" + NAMES[target][1:]):
        if target in ("smiles", "csv", "sdf", "gzip", "content", "sparse6") and name != "b.jsonl":
            continue
        write(graphs, folder / name)
        again = read(folder / name)
        assert again.sha256() == graphs.sha256(), (list(graphs), list(again))


def _tu_from_text(data: bytes) -> bytes:
    """Members of a TU set, separated by 0xff: their parsers, past the zip's checksums."""
    names = ("A", "graph_indicator", "node_labels", "edge_labels")
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in zip(names, data.split(b"\xff", 3), strict=False):
            archive.writestr(f"X/X_{name}.txt", text)
    return buffer.getvalue()


def _npz_from_npy(data: bytes) -> bytes:
    """One .npy member, past the zip's checksums."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a.npy", data)
    return buffer.getvalue()


PREPARE: dict[str, Callable[[bytes], bytes]] = {"tu_text": _tu_from_text, "npy": _npz_from_npy}


def mutations(data: bytes, n: int, seed: int) -> list[bytes]:
    """Cuts, flips and splices of a sample."""
    rng = np.random.default_rng(seed)
    out = []
    for _ in range(n):
        raw = bytearray(data)
        for _ in range(int(rng.integers(1, 4))):
            if not raw:
                break
            at = int(rng.integers(len(raw)))
            kind = int(rng.integers(4))
            if kind == 0:
                del raw[at:]
            elif kind == 1:
                raw[at] ^= 1 << int(rng.integers(8))
            elif kind == 2:
                raw[at:at] = raw[int(rng.integers(len(raw))) :][:9]
            else:
                del raw[at : at + int(rng.integers(1, 9))]
        out.append(bytes(raw))
    return out
