"""TU Dortmund sets, as a folder or as the zip that is distributed.

``X_A.txt`` (pairs of vertices, each edge in both directions), ``X_graph_indicator.txt``,
``X_node_labels.txt``, ``X_edge_labels.txt``. Without a label file every label is `NO_LABEL`;
attributes and class labels are skipped and named in the notes.

Files that do not fit together (line counts, unsorted indicators, a vertex that belongs to no
graph) spoil the whole set. Anything wrong with one graph's edges refuses that graph alone.
"""

import hashlib
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from graphassay.errors import InvalidInput, UnreadableFile
from graphassay.graph import NO_LABEL, GraphSet, Int32, Int64
from graphassay.intake import IntakeTally
from graphassay.io.archive import open_zip, read_member
from graphassay.io.columns import build_set
from graphassay.io.options import ReadOptions
from graphassay.io.source import Source
from graphassay.native import parse_integer_rows, parse_label_lines

ADJACENCY = "_A.txt"
Bools = npt.NDArray[np.bool_]


class _Files:
    """The text files of one TU set, wherever they lie."""

    def __init__(self, path: Path) -> None:
        self.path = path
        if path.is_dir():
            self.archive = None
            found = (file for file in path.rglob("*.txt") if file.is_file())
            self.names = sorted(file.relative_to(path).as_posix() for file in found)
        else:
            self.archive = open_zip(path)
            self.names = sorted(n for n in self.archive.namelist() if n.endswith(".txt"))
        sets = [name for name in self.names if name.endswith(ADJACENCY)]
        if len(sets) != 1:
            found_text = "none" if not sets else ", ".join(sets[:3])
            raise UnreadableFile(
                f"{path}: expected the files of one TU set (one X{ADJACENCY}), got {found_text}"
            )
        self.prefix = sets[0].removesuffix(ADJACENCY)

    def has(self, suffix: str) -> bool:
        return self.prefix + suffix in self.names

    def raw(self, name: str) -> bytes:
        if self.archive is not None:
            return read_member(self.path, self.archive, name)
        try:
            return (self.path / name).read_bytes()
        except OSError as error:
            raise UnreadableFile(f"{self.path / name}: cannot read ({error.strerror})") from None

    def read(self, suffix: str) -> bytes:
        name = self.prefix + suffix
        if not self.has(suffix):
            raise UnreadableFile(f"{self.path}: expected {name}, found no such file")
        data = self.raw(name)
        try:
            data.decode()
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            self.fail(suffix, f"line {line}: expected UTF-8 text")
        return data.removeprefix(b"\xef\xbb\xbf")

    def integers(self, suffix: str, n_columns: int) -> Int64:
        try:
            return parse_integer_rows(self.read(suffix), n_columns)
        except UnreadableFile:
            raise
        except InvalidInput as error:
            self.fail(suffix, str(error))

    def labels(self, suffix: str, n: int, what: str) -> tuple[Int32, list[str]]:
        """One label per vertex or edge, or `NO_LABEL` throughout when there is no such file."""
        if not self.has(suffix):
            return np.zeros(n, dtype=np.int32), [NO_LABEL]
        try:
            labels, names = parse_label_lines(self.read(suffix))
        except UnreadableFile:
            raise
        except InvalidInput as error:
            self.fail(suffix, str(error))
        if len(labels) != n:
            self.fail(suffix, f"expected {n} labels (one per {what}), got {len(labels)}")
        return labels, names

    def fail(self, suffix: str, message: str) -> NoReturn:
        raise UnreadableFile(f"{self.path}: {Path(self.prefix).name}{suffix}: {message}")

    def close(self) -> None:
        if self.archive is not None:
            self.archive.close()


def read(source: Source, _options: ReadOptions) -> GraphSet:
    """Read a zipped TU set; ``records`` are the graphs' numbers, from 1."""
    files = _Files(source.path)
    try:
        return _read(files, source.sha256)
    finally:
        files.close()


def read_folder(path: Path) -> GraphSet:
    """Read the folder of a TU set (its digest is that of its files, in order of name)."""
    files = _Files(path)
    digest = hashlib.sha256()
    for name in files.names:
        digest.update(name.encode() + b"\0" + files.raw(name))
    return _read(files, digest.hexdigest())


def _read(files: _Files, sha256: str | None) -> GraphSet:
    tally = IntakeTally(str(files.path), "tu")
    counts = _graph_sizes(files)
    n_vertices = int(counts.sum())
    vertex_labels, vertex_names = files.labels("_node_labels.txt", n_vertices, "vertex")
    pairs = files.integers(ADJACENCY, 2).reshape(-1, 2) - 1
    edge_labels, edge_names = files.labels("_edge_labels.txt", len(pairs), "line of _A.txt")
    for suffix in ("_node_attributes", "_edge_attributes", "_graph_attributes", "_graph_labels"):
        if files.has(suffix + ".txt"):
            tally.notes.append(f"{Path(files.prefix).name}{suffix}.txt not used")

    graph_of = np.repeat(np.arange(len(counts)), counts)
    starts = np.concatenate([[0], np.cumsum(counts)])
    sound, edges = _sound_edges(files, tally, pairs, edge_labels, graph_of, len(counts))
    graph, u, v, labels = edges
    kept = np.flatnonzero(sound)
    keep_edge = sound[graph]
    edge_counts = np.bincount(graph[keep_edge], minlength=len(counts))[kept]
    tally.keep(len(kept))
    return build_set(
        vertex_counts=counts[kept],
        edge_counts=edge_counts,
        vertex_labels=vertex_labels[sound[graph_of]],
        vertex_names=vertex_names,
        edge_u=(u - starts[graph])[keep_edge],
        edge_v=(v - starts[graph])[keep_edge],
        edge_labels=labels[keep_edge],
        edge_names=edge_names,
        records=kept.astype(np.int64) + 1,
        intake=tally.report(sha256=sha256),
    )


def _graph_sizes(files: _Files) -> Int64:
    """Vertices of each graph."""
    indicator = files.integers("_graph_indicator.txt", 1)
    if not len(indicator):
        files.fail("_graph_indicator.txt", "the file is empty")
    steps = np.diff(indicator, prepend=0)
    wrong = np.flatnonzero((steps != 0) & (steps != 1))
    if len(wrong) or indicator[0] != 1:
        line = int(wrong[0]) + 1 if len(wrong) else 1
        before = int(indicator[line - 2]) if line > 1 else 0
        files.fail(
            "_graph_indicator.txt",
            f"line {line}: expected graph {max(before, 1)} or {before + 1}, "
            f"got {int(indicator[line - 1])} (graphs must be numbered 1, 2, 3, … in order)",
        )
    return np.bincount(indicator)[1:].astype(np.int64)


def _sound_edges(
    files: _Files,
    tally: IntakeTally,
    pairs: Int64,
    labels: Int32,
    graph_of: Int64,
    n_graphs: int,
) -> tuple[Bools, tuple[Int64, Int64, Int64, Int32]]:
    """Which graphs are sound, and all edges once: (graph, u, v, label), ascending."""
    n_vertices = len(graph_of)
    sound = np.ones(n_graphs, dtype=np.bool_)

    def refuse(lines: npt.NDArray[np.intp], graphs: Int64, reason: str) -> None:
        fresh, first = np.unique(graphs, return_index=True)
        for graph, at in zip(fresh.tolist(), first.tolist(), strict=True):
            if sound[graph]:
                line = int(lines[at])
                u, v = (pairs[line] + 1).tolist()
                sound[graph] = False
                tally.refuse(reason, graph + 1, f"{ADJACENCY[1:]} line {line + 1}: {u}, {v}")

    inside = (pairs >= 0) & (pairs < n_vertices)
    strays = np.flatnonzero(~inside.all(axis=1))
    if len(strays):
        lost = strays[~inside[strays].any(axis=1)]
        if len(lost):
            u, v = (pairs[lost[0]] + 1).tolist()
            files.fail(
                ADJACENCY,
                f"line {int(lost[0]) + 1}: expected vertices in 1..{n_vertices}, got {u}, {v}",
            )
        known = np.where(inside[strays, 0], pairs[strays, 0], pairs[strays, 1])
        refuse(strays, graph_of[known], "edge to an undeclared vertex")
    lines = np.flatnonzero(inside.all(axis=1))
    graphs = graph_of[pairs[lines]]
    crossing = graphs[:, 0] != graphs[:, 1]
    if crossing.any():
        refuse(np.repeat(lines[crossing], 2), graphs[crossing].ravel(), "edge between two graphs")
    lines, graph = lines[~crossing], graphs[~crossing, 0]
    u, v = pairs[lines, 0], pairs[lines, 1]
    loops = u == v
    if loops.any():
        refuse(lines[loops], graph[loops], "self-loop")
        lines, graph, u, v = lines[~loops], graph[~loops], u[~loops], v[~loops]

    low, high = np.minimum(u, v), np.maximum(u, v)
    order = np.lexsort((u > v, high, low))
    key = (low * n_vertices + high)[order]
    backwards = (u > v)[order]
    same = key[1:] == key[:-1]
    twice = np.flatnonzero(same & (backwards[1:] == backwards[:-1]))
    if len(twice):
        at = order[twice + 1]
        refuse(lines[at], graph[at], "parallel edges")
    paired = same & ~backwards[:-1] & backwards[1:]
    lonely = np.ones(len(order), dtype=np.bool_)
    lonely[:-1][paired] = False
    lonely[1:][paired] = False
    if lonely.any():
        at = order[lonely]
        refuse(lines[at], graph[at], "directed edge (no line for the other direction)")
    first = order[:-1][paired]
    second = order[1:][paired]
    unlike = labels[lines[first]] != labels[lines[second]]
    if unlike.any():
        at = second[unlike]
        refuse(lines[at], graph[at], "edge with two labels, one per direction")
    return sound, (graph[first], low[first], high[first], labels[lines[first]])


def write(graphs: GraphSet, path: Path, draft: Path) -> None:
    """Write the files of a TU set into the folder ``draft``, or a zip where it is a file."""
    name = path.name.removesuffix(".zip")
    if draft.is_dir():
        for file_name, data in _write_files(graphs, path, name):
            (draft / file_name).write_bytes(data)
        return
    with zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED) as archive:
        for file_name, data in _write_files(graphs, path, name):
            archive.writestr(zipfile.ZipInfo(f"{name}/{file_name}"), data, zipfile.ZIP_DEFLATED)


def _write_files(graphs: GraphSet, path: Path, name: str) -> Iterator[tuple[str, bytes]]:
    """The files of a TU set; labels that are no integers are written as they are."""
    for kind in ("vertex", "edge"):
        for label in getattr(graphs, f"{kind}_label_names"):
            if not label.strip() or label.strip() != label or len(label.splitlines()) != 1:
                raise InvalidInput(
                    f"{path}: a TU file cannot hold the {kind} label {label!r}; "
                    "write jsonl or arrow instead"
                )
    counts = graphs.vertex_counts
    shift = np.repeat(graphs.vertex_offsets[:-1], graphs.edge_counts) + 1
    u, v = graphs.edge_u + shift, graphs.edge_v + shift
    pairs = np.stack([np.stack([u, v], 1), np.stack([v, u], 1)], 1).reshape(-1, 2)
    vertex_names = [f"{label}\n" for label in graphs.vertex_label_names]
    edge_names = [f"{label}\n" * 2 for label in graphs.edge_label_names]
    indicator = np.repeat(np.arange(1, len(graphs) + 1), counts)
    yield name + ADJACENCY, "".join(f"{a}, {b}\n" for a, b in pairs.tolist()).encode()
    yield name + "_graph_indicator.txt", "".join(f"{g}\n" for g in indicator.tolist()).encode()
    if graphs.vertex_label_names != (NO_LABEL,):
        text = "".join(vertex_names[i] for i in graphs.vertex_labels.tolist())
        yield name + "_node_labels.txt", text.encode()
    if graphs.edge_label_names not in ((NO_LABEL,), ()):
        text = "".join(edge_names[i] for i in graphs.edge_labels.tolist())
        yield name + "_edge_labels.txt", text.encode()
