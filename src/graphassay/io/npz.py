"""NPZ of adjacency matrices: numpy arrays in a zip; pickled objects are never loaded.

Reads a square matrix per graph, or one stack of shape (n, k, k) with an optional ``n_vertices``
(n,) that tells how much of each matrix is real. An entry 0 is no edge, another its label: the
decimal text of the integer, or, where all are 0 and 1, `NO_LABEL`. Files that `write` made carry
names for vertices and edges too: ``adjacency_<i>``, ``vertex_labels_<i>``, ``vertex_label_names``,
``edge_label_names`` (entry k stands for name k - 1).
"""

import io
import math
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from graphassay.errors import InvalidInput, UnreadableFile
from graphassay.graph import NO_LABEL, GraphSet
from graphassay.intake import IntakeTally
from graphassay.io.archive import open_zip, read_member
from graphassay.io.builder import DIRECTED, SELF_LOOP, Refused, SetBuilder
from graphassay.io.options import ReadOptions
from graphassay.io.source import Source

NOT_SQUARE = "not a square matrix of numbers"
NOT_WHOLE = "entries that are not whole numbers >= 0"
WRONG_LABELS = "vertex labels that do not fit the matrix or the names"

Array = npt.NDArray[Any]
_HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


def read(source: Source, _options: ReadOptions) -> GraphSet:
    """Read one graph per matrix, in the archive's order; ``records`` count from 1."""
    arrays = _load_arrays(source.path)
    tally = IntakeTally(str(source.path), "npz")
    builder = SetBuilder(tally)
    vertex_names = _names(source.path, arrays, "vertex_label_names")
    edge_names = _names(source.path, arrays, "edge_label_names")
    sizes = arrays.pop("n_vertices", None)
    labels = {name: arrays.pop(name) for name in list(arrays) if name.startswith("vertex_labels_")}
    matrices = _matrices(source.path, arrays, sizes)
    binary = edge_names is None and all(
        m.size == 0 or (m.dtype.kind in "buif" and bool(np.isin(m, (0, 1)).all()))
        for _, m in matrices
    )
    for place, (name, matrix) in enumerate(matrices, start=1):
        try:
            u, v, codes = _edges(matrix)
            its_labels = labels.get("vertex_labels_" + name.removeprefix("adjacency_"))
            vertices = _vertex_labels(len(matrix), its_labels, vertex_names)
            builder.add(place, vertices, u, v, _edge_labels(codes, edge_names, binary=binary))
        except Refused as refusal:
            tally.refuse(str(refusal), place, name)
    return builder.finish(sha256=source.sha256)


def _load_arrays(path: Path) -> dict[str, Array]:
    with open_zip(path) as archive:
        names = [name for name in archive.namelist() if name.endswith(".npy")]
        if not names:
            raise UnreadableFile(f"{path}: expected .npy arrays in this archive, found none")
        return {
            name.removesuffix(".npy"): _load_array(path, name, read_member(path, archive, name))
            for name in names
        }


def _load_array(path: Path, name: str, data: bytes) -> Array:
    """One array; its header is held against the bytes that are there before it is believed."""
    stream = io.BytesIO(data)
    try:
        header = _HEADERS[np.lib.format.read_magic(stream)]
        shape, fortran, dtype = header(stream)
    except (ValueError, KeyError, TypeError, SyntaxError, RecursionError, MemoryError):
        raise UnreadableFile(f"{path}: array {name!r} is not a sound .npy file") from None
    if dtype.hasobject:
        raise UnreadableFile(f"{path}: array {name!r} holds pickled objects; refused")
    n_items: int = math.prod(map(int, shape))  # Python's integers do not wrap around
    n_bytes = n_items * dtype.itemsize
    if n_bytes != len(data) - stream.tell() or (dtype.itemsize == 0 and n_items):
        raise UnreadableFile(f"{path}: array {name!r} has another size than its header says")
    if n_bytes == 0:
        return np.zeros(shape, dtype=dtype)
    array = np.frombuffer(data, dtype=dtype, offset=stream.tell())
    return array.reshape(shape, order="F" if fortran else "C")


def _names(path: Path, arrays: dict[str, Array], key: str) -> list[str] | None:
    found = arrays.pop(key, None)
    if found is None:
        return None
    if found.dtype.kind != "U" or found.ndim != 1:
        raise UnreadableFile(f"{path}: array {key!r}: expected a list of strings")
    try:
        return [str(name) for name in found.tolist()]
    except UnicodeDecodeError:
        raise UnreadableFile(f"{path}: array {key!r}: not sound text") from None


def _matrices(path: Path, arrays: dict[str, Array], sizes: Array | None) -> list[tuple[str, Array]]:
    stacks = [name for name, array in arrays.items() if array.ndim == 3]
    if not stacks:
        return list(arrays.items())
    if len(arrays) > 1:
        raise UnreadableFile(
            f"{path}: expected one stack of matrices or one matrix per graph, got arrays "
            f"{', '.join(sorted(arrays)[:8])}"
        )
    stack = arrays[stacks[0]]
    if sizes is None:
        return [(f"{stacks[0]}[{i}]", matrix) for i, matrix in enumerate(stack)]
    if sizes.shape != (len(stack),) or sizes.dtype.kind not in "iu":
        raise UnreadableFile(f"{path}: array 'n_vertices': expected {len(stack)} integers")
    if len(sizes) and (int(sizes.min()) < 0 or int(sizes.max()) > min(stack.shape[1:])):
        raise UnreadableFile(f"{path}: array 'n_vertices': expected 0..{min(stack.shape[1:])}")
    return [
        (f"{stacks[0]}[{i}]", matrix[:n, :n])
        for i, (matrix, n) in enumerate(zip(stack, sizes.tolist(), strict=True))
    ]


def _edges(matrix: Array) -> tuple[Array, Array, Array]:
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.dtype.kind not in "buif":
        raise Refused(NOT_SQUARE)
    rows, columns = np.nonzero(matrix)  # NaN counts as non-zero, and fails below
    entries = matrix[rows, columns]
    if matrix.dtype.kind == "f" and not (
        np.isfinite(entries).all() and (entries == np.floor(entries)).all()
    ):
        raise Refused(NOT_WHOLE)
    if len(entries) and not 0 < entries.min() <= entries.max() < 2**31:
        raise Refused(NOT_WHOLE)
    if (rows == columns).any():
        raise Refused(SELF_LOOP)
    upper = rows < columns
    if 2 * int(upper.sum()) != len(rows) or (matrix[columns, rows] != entries).any():
        raise Refused(DIRECTED)
    return rows[upper], columns[upper], entries[upper].astype(np.int64)


def _vertex_labels(n: int, labels: Array | None, names: list[str] | None) -> list[str] | int:
    if labels is None:
        return n
    if labels.shape != (n,) or labels.dtype.kind not in "iu":
        raise Refused(WRONG_LABELS)
    listed = labels.tolist()
    if names is None:
        return [str(label) for label in listed]
    if n and not 0 <= min(listed) <= max(listed) < len(names):
        raise Refused(WRONG_LABELS)
    return [names[label] for label in listed]


def _edge_labels(codes: Array, names: list[str] | None, *, binary: bool) -> list[str] | None:
    if binary:
        return None
    listed = codes.tolist()
    if names is None:
        return [str(code) for code in listed]
    if listed and max(listed) > len(names):
        raise Refused(WRONG_LABELS)
    return [names[code - 1] for code in listed]


def write(graphs: GraphSet, path: Path, draft: Path) -> None:
    """One matrix per graph, its vertex labels, and the names of all labels."""
    for label in (*graphs.vertex_label_names, *graphs.edge_label_names):
        if label.endswith("\0"):
            raise InvalidInput(
                f"{path}: numpy cannot hold the label {label!r}; write arrow instead"
            )
    labelled = graphs.vertex_label_names != (NO_LABEL,) or graphs.edge_label_names != (NO_LABEL,)
    dtype = np.min_scalar_type(len(graphs.edge_label_names))
    with zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        if labelled:
            _add(archive, "vertex_label_names", np.array(graphs.vertex_label_names, dtype=np.str_))
            _add(archive, "edge_label_names", np.array(graphs.edge_label_names, dtype=np.str_))
        for g, n in enumerate(graphs.vertex_counts.tolist()):
            edges = slice(graphs.edge_offsets[g], graphs.edge_offsets[g + 1])
            u, v = graphs.edge_u[edges], graphs.edge_v[edges]
            matrix = np.zeros((n, n), dtype=dtype)
            matrix[u, v] = matrix[v, u] = graphs.edge_labels[edges] + 1
            _add(archive, f"adjacency_{g}", matrix)
            if labelled:
                start, stop = graphs.vertex_offsets[g], graphs.vertex_offsets[g + 1]
                _add(archive, f"vertex_labels_{g}", graphs.vertex_labels[start:stop])


def _add(archive: zipfile.ZipFile, name: str, array: Array) -> None:
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, allow_pickle=False)
    archive.writestr(f"{name}.npy", stream.getvalue())
