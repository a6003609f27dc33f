"""Graphs as small SVG pictures that follow the page's theme.

Whole molecules are drawn by RDKit. Fragments (mined patterns) get RDKit's coordinates and our own
strokes: RDKit's drawings of 1,500 of them would weigh several megabytes, and an aromatic fragment
that cannot be sanitized must still be drawn. Other graphs get the stress layout. Colours are CSS
classes, so the same picture serves light, dark and print.
"""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from markupsafe import Markup, escape

from graphassay.report.layout import Points, stress_layouts
from graphassay.results import DrawnGraph

MOLECULE_EDGES = frozenset({"-", "=", "#", ":"})
UNIT = 20.0
"""Pixels per layout unit; a bond is 1.5 units."""
MAX_LABEL = 6
"""Longer vertex labels are cut in the drawing (their full text is in its title)."""
MAX_WRITTEN = 20
"""Larger graphs show the colour of a vertex and no text."""
N_LABEL_COLOURS = 8

_ELEMENT = re.compile(r"^\d*([A-Z][a-z]?)")
_BOND_NAMES = frozenset(
    {"DATIVE", "ZERO", "QUADRUPLE", "QUINTUPLE", "HEXTUPLE", "HYDROGEN", "IONIC", "UNSPECIFIED"}
)


class Drawer:
    """Draws the graphs of one audit in one style.

    Args:
        vertex_labels: every vertex label in use (decides molecule or not, and the colours).
        edge_labels: every edge label in use.
    """

    def __init__(self, vertex_labels: Sequence[str], edge_labels: Sequence[str]) -> None:
        self.molecular = looks_molecular(vertex_labels, edge_labels)
        self.vertex_labels = sorted(set(vertex_labels))
        self.edge_labels = sorted(set(edge_labels))
        self.short_labels = dict(
            zip(
                self.vertex_labels,
                zip(
                    (i % N_LABEL_COLOURS for i in range(len(self.vertex_labels))),
                    abbreviations(self.vertex_labels),
                    strict=True,
                ),
                strict=True,
            )
        )

    def draw(
        self, graphs: Sequence[DrawnGraph], *, whole: bool = False, described: bool = True
    ) -> list[Markup]:
        """One SVG per graph. ``whole`` graphs with a SMILES are drawn as molecules by RDKit;
        ``described`` adds the text alternative (not where a caption says the same).
        """
        pictures: list[Markup | None] = [None] * len(graphs)
        if whole:
            pictures = [_molecule(g.smiles) if g.smiles else None for g in graphs]
        rest = [i for i, picture in enumerate(pictures) if picture is None]
        chosen = [graphs[i] for i in rest]
        places = fragment_layouts(chosen) if self.molecular else stress_layouts(chosen)
        for i, graph, points in zip(rest, chosen, places, strict=True):
            text = Markup(' role="img" aria-label="{0}"').format(describe(graph))
            pictures[i] = self._fragment(graph, points, text if described else Markup())
        return [picture for picture in pictures if picture is not None]

    def _fragment(self, graph: DrawnGraph, points: Points, alternative: Markup) -> Markup:
        xy, width, height = _fit(points)
        body = self._bonds(graph, xy) if self.molecular else self._lines(graph, xy)
        body += self._atoms(graph, xy) if self.molecular else self._dots(graph, xy)
        return Markup(
            '<svg class="g" viewBox="0 0 {w} {h}" width="{w}" height="{h}"{label}>{body}</svg>'
        ).format(w=width, h=height, label=alternative, body=body)

    def _bonds(self, graph: DrawnGraph, xy: Points) -> Markup:
        solid, dashed, extra = [], [], Markup()
        centre = xy.mean(axis=0)
        for u, v, label in graph.edges:
            a, b = xy[u], xy[v]
            side = _normal(a, b, centre)
            if label == "=":
                solid += [_segment(a, b, side * 1.8), _segment(a, b, -side * 1.8)]
            elif label == "#":
                solid += [_segment(a, b), _segment(a, b, side * 3.6), _segment(a, b, -side * 3.6)]
            else:
                solid.append(_segment(a, b))
                if label == ":":
                    dashed.append(_segment(a, b, side * 4.0, shorten=0.14))
                elif label != "-":
                    extra += _edge_text(label, (a + b) / 2 + side * 5)
        return _strokes("b", solid) + _strokes("a", dashed) + extra

    def _atoms(self, graph: DrawnGraph, xy: Points) -> Markup:
        body = Markup()
        written = _written_carbons(graph)
        for v, (label, (x, y)) in enumerate(zip(graph.vertex_labels, xy, strict=True)):
            if label == "C" and v not in written:  # chemists leave carbon unwritten
                continue
            element = _ELEMENT.match(label)
            kind = element.group(1) if element else ""
            css = f"e e-{kind}" if kind in _COLOURED else "e"
            body += Markup('<text class="{c}" x="{x}" y="{y}">{t}</text>').format(
                c=css, x=_short(x), y=_short(y), t=_cut(label)
            )
        return body

    def _lines(self, graph: DrawnGraph, xy: Points) -> Markup:
        body = _strokes("b", [_segment(xy[u], xy[v]) for u, v, _ in graph.edges])
        if len(self.edge_labels) > 1 and len(graph.vertex_labels) <= MAX_WRITTEN:
            for u, v, label in graph.edges:
                body += _edge_text(label, (xy[u] + xy[v]) / 2)
        return body

    def _dots(self, graph: DrawnGraph, xy: Points) -> Markup:
        """Vertices as round ends of strokes without length: one short path for each colour."""
        named = len(self.vertex_labels) > 1
        size = "t" if len(graph.vertex_labels) > MAX_WRITTEN or not named else "d"
        places: dict[int, list[str]] = {}
        for label, (x, y) in zip(graph.vertex_labels, xy, strict=True):
            colour = self.short_labels.get(label, (0, ""))[0] if named else 0
            places.setdefault(colour, []).append(f"M{_short(x)} {_short(y)}h0")
        body = _strokes(f"{size}o", [place for group in places.values() for place in group])
        for colour, group in sorted(places.items()):
            body += _strokes(f"{size} v{colour}", group)
        if size == "t":
            return body
        for label, (x, y) in zip(graph.vertex_labels, xy, strict=True):
            body += Markup('<text class="l" x="{0}" y="{1}">{2}</text>').format(
                _short(x), _short(y), self.short_labels.get(label, (0, _cut(label, 3)))[1]
            )
        return body

    def swatch(self, label: str) -> Markup:
        """A vertex as it is drawn, for the legend."""
        colour, short = self.short_labels[label]
        return Markup(
            '<svg class="g sw" viewBox="-10 -10 20 20" width="20" height="20" aria-hidden="true">'
            '<path class="do" d="M0 0h0"/><path class="d v{0}" d="M0 0h0"/>'
            '<text class="l">{1}</text></svg>'
        ).format(colour, short)


def abbreviations(labels: Sequence[str]) -> list[str]:
    """What to write inside a vertex: the label, a beginning that is unique, or its number.

    Example:
        >>> abbreviations(["helix", "sheet", "turn"]), abbreviations(["C", "N"])
        (['h', 's', 't'], ['C', 'N'])
    """
    if all(len(label) <= 2 for label in labels):
        return list(labels)
    for length in (1, 2, 3):
        short = [label[:length] for label in labels]
        if len(set(short)) == len(labels) and all(c.isalnum() for s in short for c in s):
            return short
    return [str(i + 1) for i in range(len(labels))]


def looks_molecular(vertex_labels: Sequence[str], edge_labels: Sequence[str]) -> bool:
    """Whether labels read as elements and bonds (`MoleculeOptions` may add charge or isotope)."""
    from rdkit import Chem

    table = Chem.GetPeriodicTable()
    for label in vertex_labels:
        match = _ELEMENT.match(label)
        if match is None:
            return False
        try:
            table.GetAtomicNumber(match.group(1))
        except RuntimeError:
            return False
    bonds = set(edge_labels)
    return bool(vertex_labels) and all(
        bond in MOLECULE_EDGES or bond.upper() in _BOND_NAMES or bond.upper().startswith("DATIVE")
        for bond in bonds
    )


def fragment_layouts(graphs: Sequence[DrawnGraph]) -> list[Points]:
    """RDKit's depiction coordinates of molecule fragments; nothing is sanitized."""
    from rdkit import Chem
    from rdkit.Chem import rdDepictor

    bonds = {
        "-": Chem.BondType.SINGLE,
        "=": Chem.BondType.DOUBLE,
        "#": Chem.BondType.TRIPLE,
        ":": Chem.BondType.AROMATIC,
    }
    places = []
    for graph in graphs:
        mol = Chem.RWMol()
        for label in graph.vertex_labels:
            match = _ELEMENT.match(label)
            mol.AddAtom(Chem.Atom(match.group(1) if match else "C"))
        for u, v, label in graph.edges:
            mol.AddBond(u, v, bonds.get(label, Chem.BondType.SINGLE))
        mol.UpdatePropertyCache(False)
        Chem.FastFindRings(mol)
        Chem.SetHybridization(mol)
        rdDepictor.Compute2DCoords(mol)
        points = np.array(mol.GetConformer().GetPositions(), dtype=np.float64)[:, :2]
        places.append(points * [1.0, -1.0])
    return places


def describe(graph: DrawnGraph) -> str:
    """A text alternative: how many vertices of which label, and how many edges."""
    counts: dict[str, int] = {}
    for label in graph.vertex_labels:
        counts[label] = counts.get(label, 0) + 1
    listed = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    shown = ", ".join(f"{n} {_cut(label, 24)}" for label, n in listed[:6])
    more = f" and {len(listed) - 6} more labels" if len(listed) > 6 else ""
    n, m = len(graph.vertex_labels), len(graph.edges)
    head = f"{n} {'vertex' if n == 1 else 'vertices'}, {m} {'edge' if m == 1 else 'edges'}"
    return head if set(counts) == {"*"} else f"{head}: {shown}{more}"


_COLOURED = frozenset({"N", "O", "S", "F", "Cl", "Br", "I", "P", "B", "H"})


def _written_carbons(graph: DrawnGraph) -> set[int]:
    """Carbons that lines alone would not show: in a bare bond, without a bond, or on the straight
    line between two double bonds.
    """
    if len(graph.vertex_labels) <= 2:
        return set(range(len(graph.vertex_labels)))
    bonds: list[list[str]] = [[] for _ in graph.vertex_labels]
    for u, v, label in graph.edges:
        bonds[u].append(label)
        bonds[v].append(label)
    return {v for v, own in enumerate(bonds) if own in ([], ["=", "="])}


def _fit(points: Points) -> tuple[Points, int, int]:
    """Scale to pixels with a margin for labels."""
    margin = 14.0
    low = points.min(axis=0)
    xy = (points - low) * UNIT + margin
    width, height = xy.max(axis=0) + margin
    return xy, max(round(float(width)), 48), max(round(float(height)), 28)


def _normal(a: Points, b: Points, centre: Points) -> Points:
    """Unit normal of a bond, on the side where the rest of the fragment lies."""
    delta = b - a
    length = float(np.hypot(*delta)) or 1.0
    normal = np.array([-delta[1], delta[0]]) / length
    inward = float(np.dot(centre - (a + b) / 2, normal))
    return normal if inward >= -1e-9 else -normal


def _segment(a: Points, b: Points, shift: Points | float = 0.0, shorten: float = 0.0) -> str:
    start, end = a + shift + (b - a) * shorten, b + shift - (b - a) * shorten
    return f"M{_short(start[0])} {_short(start[1])}L{_short(end[0])} {_short(end[1])}"


def _strokes(css: str, segments: list[str]) -> Markup:
    if not segments:
        return Markup()
    return Markup('<path class="{c}" d="{d}"/>').format(c=css, d="".join(segments))


def _edge_text(label: str, at: Points) -> Markup:
    return Markup('<text class="k" x="{x}" y="{y}">{t}</text>').format(
        x=_short(at[0]), y=_short(at[1]), t=_cut(label)
    )


def _short(value: Any) -> str:
    text = f"{float(value):.1f}"
    return text[:-2] if text.endswith(".0") else text


def _cut(label: str, length: int = MAX_LABEL) -> str:
    return label if len(label) <= length else label[: length - 1] + "…"


_PATH = re.compile(r"<path[^>]*?d='([^']*)'[^>]*?/>", re.DOTALL)
_STROKE = re.compile(r"stroke:(#[0-9A-Fa-f]{6})")
_FILL = re.compile(r"fill='(#[0-9A-Fa-f]{6})'|fill:(#[0-9A-Fa-f]{6})")
_RDKIT_COLOURS = {
    "#000000": "C",
    "#0000FF": "N",
    "#3333FF": "N",
    "#FF0000": "O",
    "#CCCC00": "S",
    "#B2B200": "S",
    "#33CCCC": "F",
    "#00CC00": "Cl",
    "#7F4C19": "Br",
    "#A01EEF": "I",
    "#FF7F00": "P",
    "#FF7F7F": "B",
}


def _molecule(smiles: str) -> Markup | None:
    """RDKit's drawing of a whole molecule with themed colours; None where it does not parse."""
    from rdkit import Chem, rdBase
    from rdkit.Chem.Draw import rdMolDraw2D

    with rdBase.BlockLogs():
        mol = Chem.MolFromSmiles(smiles)
    if mol is None or mol.GetNumAtoms() == 0:
        return None
    width, height = 168, 124
    drawer = rdMolDraw2D.MolDraw2DSVG(width, height)
    options: Any = drawer.drawOptions()  # the stubs of RDKit give its fields a wrong type
    options.clearBackground = False
    options.fixedBondLength = 20
    options.minFontSize = 8
    options.bondLineWidth = 1.2
    drawer.DrawMolecule(mol)
    drawer.FinishDrawing()
    strokes: dict[str, list[str]] = {}
    fills: dict[str, list[str]] = {}
    for match in _PATH.finditer(drawer.GetDrawingText()):
        path = re.sub(r"\s*([A-Za-z])\s*", r"\1", match.group(1)).replace("\n", " ").strip()
        stroke, fill = _STROKE.search(match.group(0)), _FILL.search(match.group(0))
        if stroke and "fill:none" in match.group(0):
            strokes.setdefault(stroke.group(1).upper(), []).append(path)
        elif fill:
            fills.setdefault((fill.group(1) or fill.group(2)).upper(), []).append(path)
    body = Markup()
    for css, groups in (("s", strokes), ("f", fills)):
        for colour, paths in groups.items():
            kind = _RDKIT_COLOURS.get(colour, "C")
            body += Markup('<path class="{s} {s}-{k}" d="{d}"/>').format(
                s=css, k=kind, d="".join(paths)
            )
    return Markup(
        '<svg class="g m" viewBox="0 0 {w} {h}" width="{w}" height="{h}" role="img" '
        'aria-label="{label}">{body}</svg>'
    ).format(w=width, h=height, label=escape(f"molecule {smiles}"), body=body)
