"""Pictures of graphs: complete, deterministic, and never a reason to fail."""

import re
import time
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from graphassay.report.drawing import Drawer, abbreviations, describe, looks_molecular
from graphassay.report.layout import stress_layouts
from graphassay.results import DrawnGraph
from report.sample_result import HOSTILE, SMILES, fragment, molecule

BONDS = ("-", "=", "#", ":")


def complete(n: int) -> DrawnGraph:
    return DrawnGraph(("*",) * n, tuple((u, v, "*") for v in range(n) for u in range(v)))


def path(n: int) -> DrawnGraph:
    return DrawnGraph(("*",) * n, tuple((i, i + 1, "*") for i in range(n - 1)))


def crossings(graph: DrawnGraph, xy: np.ndarray) -> int:
    def turn(a, b, c) -> float:
        return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))

    count = 0
    for i, (a, b, _) in enumerate(graph.edges):
        for c, d, _ in graph.edges[:i]:
            if len({a, b, c, d}) == 4:
                p, q, r, s = xy[a], xy[b], xy[c], xy[d]
                count += turn(p, q, r) * turn(p, q, s) < 0 and turn(r, s, p) * turn(r, s, q) < 0
    return count


@pytest.mark.parametrize("graph", [path(8), complete(3), DrawnGraph(("*",), ())])
def test_stress_layout_of_planar_graphs_has_no_crossing(graph: DrawnGraph) -> None:
    (xy,) = stress_layouts([graph])
    assert xy.shape == (len(graph.vertex_labels), 2)
    assert crossings(graph, xy) == 0


def test_stress_layout_draws_a_path_as_a_line() -> None:
    (xy,) = stress_layouts([path(6)])
    length = np.hypot(*(xy.max(axis=0) - xy.min(axis=0)))
    assert length == pytest.approx(5 * 1.5, rel=0.05)


def test_layout_does_not_depend_on_its_company() -> None:
    graphs = [path(4), complete(5), path(8), DrawnGraph(("a", "b", "c"), ((0, 1, "x"),))]
    together = stress_layouts(graphs)
    for graph, points in zip(graphs, together, strict=True):
        assert np.allclose(points, stress_layouts([graph])[0], atol=1e-6)


def test_components_do_not_overlap() -> None:
    graph = DrawnGraph(("*",) * 5, ((0, 1, "*"), (2, 3, "*")))
    (xy,) = stress_layouts([graph])
    assert xy[[0, 1], 0].max() < xy[[2, 3], 0].min() < xy[4, 0]


def test_aromatic_fragments_that_do_not_sanitize_are_drawn() -> None:
    odd = DrawnGraph(("C", "N", "C"), ((0, 1, ":"), (1, 2, ":")))
    five_valent = DrawnGraph(("C",) * 6, tuple((0, i, "=") for i in range(1, 6)))
    pictures = Drawer(("C", "N"), BONDS).draw([odd, five_valent])
    for picture in pictures:
        ET.fromstring(picture)
    assert 'class="a"' in pictures[0]  # the dashed aromatic stroke


def test_whole_molecules_are_drawn_by_rdkit_and_follow_the_theme() -> None:
    drawer = Drawer(("C", "N", "O"), BONDS)
    (picture,) = drawer.draw([molecule(SMILES[0])], whole=True)
    ET.fromstring(picture)
    assert "s-N" in picture
    assert "f-O" in picture
    assert "#" not in picture.replace(SMILES[0], "")  # no fixed colour is left


def test_a_smiles_that_does_not_parse_falls_back_to_its_graph() -> None:
    graph = DrawnGraph(("C", "O"), ((0, 1, "-"),), smiles="not a smiles")
    (picture,) = Drawer(("C", "O"), BONDS).draw([graph], whole=True)
    assert "2 vertices, 1 edge" in picture


def test_hostile_labels_are_escaped_and_well_formed() -> None:
    n = len(HOSTILE)
    edges = tuple((i, i + 1, HOSTILE[i]) for i in range(n - 1))
    drawer = Drawer(HOSTILE, HOSTILE)
    (picture,) = drawer.draw([DrawnGraph(HOSTILE, edges)])
    legend = [drawer.swatch(label) for label in HOSTILE]
    for markup in (picture, *legend):
        ET.fromstring(markup)
        assert "<script" not in markup
        assert "<img" not in markup


def test_molecular_is_recognised_by_labels() -> None:
    assert looks_molecular(("C", "N+", "Cl", "13C"), BONDS)
    assert not looks_molecular(("C", "helix"), BONDS)
    assert not looks_molecular(("0", "1"), ("0",))
    assert not looks_molecular(("*",), ("*",))
    assert not looks_molecular((), ())


def test_abbreviations_are_distinct() -> None:
    for labels in (["1", "12"], ["alpha", "beta"], ["alpha", "alps"], [*HOSTILE]):
        short = abbreviations(labels)
        assert len(set(short)) == len(labels)
        assert max(map(len, short)) <= 3


def test_text_alternative_counts_labels() -> None:
    assert describe(molecule("CCO")) == "3 vertices, 2 edges: 2 C, 1 O"
    assert describe(complete(4)) == "4 vertices, 6 edges"


@pytest.mark.parametrize("kind", ["molecules", "plain"])
def test_many_patterns_are_compact_and_quick(kind: str) -> None:
    rng = np.random.default_rng(1)
    whole = [molecule(smiles) for smiles in SMILES] if kind == "molecules" else [complete(9)]
    patterns = [fragment(whole[i % len(whole)], rng) for i in range(300)]
    labels = sorted({label for g in patterns for label in g.vertex_labels})
    drawer = Drawer(labels, sorted({e[2] for g in patterns for e in g.edges}))
    drawer.draw(patterns[:2])  # imports
    start = time.perf_counter()
    pictures = drawer.draw(patterns, described=False)
    assert time.perf_counter() - start < 3  # measured: 0.05-0.2 s
    assert sum(map(len, pictures)) / len(pictures) < 900
    assert not re.search(r"nan|inf", "".join(pictures))


def test_carbon_is_written_where_lines_alone_would_not_show_it() -> None:
    drawer = Drawer(["C", "N", "O"], ["-", "="])
    cumulated = DrawnGraph(("O", "C", "N"), ((0, 1, "="), (1, 2, "=")))
    alone = DrawnGraph(("C", "N", "O"), ((1, 2, "-"),))
    chain = DrawnGraph(("O", "C", "N"), ((0, 1, "-"), (1, 2, "=")))
    written = [
        str(picture).count(">C</text>") for picture in drawer.draw([cumulated, alone, chain])
    ]
    assert written == [1, 1, 0]
