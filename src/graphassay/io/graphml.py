"""GraphML: undirected ``graph`` elements, labels in the attribute named ``label``.

Where a file declares no such attribute its graphs are unlabelled; other attributes are skipped and
noted. Directed graphs or edges, hyperedges and nested graphs refuse their record. A document type
declaration refuses the file: that is where XML hides its bombs.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.parsers import expat
from xml.sax.saxutils import escape

from graphassay.errors import InvalidInput, UnreadableFile
from graphassay.graph import NO_LABEL, GraphSet
from graphassay.intake import IntakeTally
from graphassay.io.builder import (
    DIRECTED,
    NO_EDGE_LABEL,
    NO_VERTEX_LABEL,
    Refused,
    SetBuilder,
    check,
)
from graphassay.io.options import ReadOptions
from graphassay.io.source import Source

NESTED = "nested graph"
HYPEREDGE = "hyperedge"
DECLARED_TWICE = "vertex declared twice"
NO_ID = "vertex or edge without its ids"
LABEL = "label"


class _Reader:
    """Handlers of the XML parser, and the graph being read."""

    def __init__(self, builder: SetBuilder) -> None:
        self.builder = builder
        self.stack: list[str] = []
        self.kinds: dict[str, str] = {}  # key id -> node, edge or all, for keys named "label"
        self.defaults: dict[str, str] = {}
        self.unused: set[str] = set()
        self.n_graphs = 0
        self.is_graphml = False
        self.text: list[str] | None = None
        self.text_key = ""
        self._clear({})

    def _clear(self, attributes: dict[str, str]) -> None:
        self.reason: str | None = None
        self.graph_id = attributes.get("id", "")
        self.vertices: dict[str, int] = {}
        self.vertex_labels: list[str | None] = []
        self.edges: list[tuple[str, str]] = []
        self.edge_labels: list[str | None] = []

    def refuse(self, reason: str) -> None:
        self.reason = self.reason or reason

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition(":")[2]
        parent = self.stack[-1] if self.stack else ""
        self.stack.append(name)
        if not parent:
            self.is_graphml = name == "graphml"
        elif name == "key":
            self._start_key(attributes)
        elif name == "graph" and parent != "graphml":
            self.refuse(NESTED)
        elif name == "graph":
            self.n_graphs += 1
            self._clear(attributes)
            if attributes.get("edgedefault") == "directed":
                self.refuse(DIRECTED)
        elif name == "node":
            self._start_node(attributes)
        elif name == "edge":
            self._start_edge(attributes)
        elif name == "hyperedge":
            self.refuse(HYPEREDGE)
        elif name == "data":
            self.text, self.text_key = [], attributes.get("key", "")
        elif name == "default":
            self.text = []

    def _start_key(self, attributes: dict[str, str]) -> None:
        self.text_key = attributes.get("id", "")
        name = attributes.get("attr.name", self.text_key)
        kind = attributes.get("for", "all")
        if name == LABEL and kind in ("node", "edge", "all"):
            self.kinds[self.text_key] = kind
        elif kind != "graph":
            self.unused.add(name)

    def _start_node(self, attributes: dict[str, str]) -> None:
        node = attributes.get("id")
        if node is None:
            return self.refuse(NO_ID)
        if node in self.vertices:
            return self.refuse(DECLARED_TWICE)
        self.vertices[node] = len(self.vertices)
        self.vertex_labels.append(None)
        return None

    def _start_edge(self, attributes: dict[str, str]) -> None:
        if "source" not in attributes or "target" not in attributes:
            return self.refuse(NO_ID)
        if attributes.get("directed") == "true":
            self.refuse(DIRECTED)
        self.edges.append((attributes["source"], attributes["target"]))
        self.edge_labels.append(None)
        return None

    def characters(self, text: str) -> None:
        if self.text is not None:
            self.text.append(text)

    def end(self, _tag: str) -> None:
        name = self.stack.pop()
        parent = self.stack[-1] if self.stack else ""
        if name == "default" and self.text is not None:
            self.defaults[self.text_key] = "".join(self.text)
            self.text = None
        elif name == "data" and self.text is not None:
            self._end_data(parent, "".join(self.text))
            self.text = None
        elif name == "graph" and parent == "graphml":
            self._end_graph()

    def _end_data(self, parent: str, text: str) -> None:
        kind = self.kinds.get(self.text_key)
        if parent == "node" and kind in ("node", "all") and self.vertex_labels:
            self.vertex_labels[-1] = text
        elif parent == "edge" and kind in ("edge", "all") and self.edge_labels:
            self.edge_labels[-1] = text

    def _end_graph(self) -> None:
        # Vertex -1, which the builder refuses, stands for one that was never declared.
        ends = [(self.vertices.get(u, -1), self.vertices.get(v, -1)) for u, v in self.edges]
        try:
            check(self.reason)
            self.builder.add(
                self.n_graphs,
                self._labels("node", self.vertex_labels, NO_VERTEX_LABEL),
                [u for u, _ in ends],
                [v for _, v in ends],
                self._labels("edge", self.edge_labels, NO_EDGE_LABEL),
            )
        except Refused as refusal:
            self.builder.tally.refuse(str(refusal), self.n_graphs, self.graph_id)

    def _labels(self, kind: str, found: list[str | None], reason: str) -> list[str]:
        keys = [key for key, its_kind in self.kinds.items() if its_kind in (kind, "all")]
        if not keys:
            return [NO_LABEL] * len(found)
        default = next((self.defaults[key] for key in keys if key in self.defaults), None)
        labels = [default if label is None else label for label in found]
        if any(label is None for label in labels):
            # A label on none of them is an unlabelled graph; on some of them, a gap.
            if any(label is not None for label in labels):
                raise Refused(reason)
            return [NO_LABEL] * len(found)
        return [label for label in labels if label is not None]


def read(source: Source, _options: ReadOptions) -> GraphSet:
    """Read all graphs of a file; ``records`` count from 1."""
    tally = IntakeTally(str(source.path), "graphml")
    reader = _Reader(SetBuilder(tally))
    parser = expat.ParserCreate("utf-8")
    parser.buffer_text = True
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.characters

    def refuse_doctype(*_: Any) -> None:
        raise UnreadableFile(
            f"{source.path}: a document type declaration is not allowed in GraphML here; remove it"
        )

    parser.StartDoctypeDeclHandler = refuse_doctype
    try:
        parser.Parse(source.text, True)
    except expat.ExpatError as error:
        raise UnreadableFile(
            f"{source.path}: not sound XML, or truncated: {error} (expected GraphML)"
        ) from None
    if not reader.is_graphml:
        raise UnreadableFile(f"{source.path}: expected a <graphml> document, got other XML")
    if reader.unused:
        tally.notes.append(f"attributes not used: {', '.join(sorted(reader.unused)[:8])}")
    return reader.builder.finish(sha256=source.sha256)


_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="v" for="node" attr.name="label" attr.type="string"/>
<key id="e" for="edge" attr.name="label" attr.type="string"/>
"""


def write(graphs: GraphSet, path: Path) -> Iterator[bytes]:
    """One document, a ``graph`` element per graph."""
    vertex_names = _data("v", graphs.vertex_label_names, path)
    edge_names = _data("e", graphs.edge_label_names, path)
    yield _HEAD.encode()
    for g in range(len(graphs)):
        vertices = slice(graphs.vertex_offsets[g], graphs.vertex_offsets[g + 1])
        edges = slice(graphs.edge_offsets[g], graphs.edge_offsets[g + 1])
        lines = [f'<graph id="g{g}" edgedefault="undirected">']
        lines += [
            f'<node id="n{i}">{vertex_names[label]}</node>'
            for i, label in enumerate(graphs.vertex_labels[vertices].tolist())
        ]
        lines += [
            f'<edge source="n{u}" target="n{v}">{edge_names[label]}</edge>'
            for u, v, label in zip(
                graphs.edge_u[edges].tolist(),
                graphs.edge_v[edges].tolist(),
                graphs.edge_labels[edges].tolist(),
                strict=True,
            )
        ]
        yield ("\n".join(lines) + "\n</graph>\n").encode()
    yield b"</graphml>\n"


def _data(key: str, names: tuple[str, ...], path: Path) -> list[str]:
    """The element that carries each label; nothing where all are `NO_LABEL`."""
    if names == (NO_LABEL,):
        return [""]
    for label in names:
        if any((c < " " and c not in "\t\n\r") or c in "\ufffe\uffff" for c in label):
            raise InvalidInput(f"{path}: XML cannot hold the label {label!r}; write jsonl or arrow")
    return [f'<data key="{key}">{escape(label, {chr(13): "&#13;"})}</data>' for label in names]
