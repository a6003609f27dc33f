"""Places for the vertices of small graphs, deterministic and fast for many graphs at once.

Molecule fragments get RDKit's depiction coordinates, all other graphs a stress-minimizing layout
(SMACOF on shortest-path distances), computed for all graphs of equal size together.
"""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from graphassay.results import DrawnGraph

Points = npt.NDArray[np.float64]

N_STARTS = 4
BOND_LENGTH = 1.5
"""RDKit's bond length; the stress layout uses the same unit, so that drawings match in size."""


def stress_layouts(graphs: Sequence[DrawnGraph]) -> list[Points]:
    """One (n_vertices, 2) array per graph; components stand side by side."""
    parts = [_components(graph) for graph in graphs]
    by_size: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for g, components in enumerate(parts):
        for c, component in enumerate(components):
            by_size[len(component)].append((g, c))
    placed: dict[tuple[int, int], Points] = {}
    for size, members in by_size.items():
        distances = np.stack([_distances(graphs[g], parts[g][c]) for g, c in members])
        placed.update(zip(members, _minimize_stress(distances), strict=True))
        assert size == distances.shape[1]
    return [
        _side_by_side(
            len(graph.vertex_labels), components, [placed[g, c] for c in range(len(components))]
        )
        for g, (graph, components) in enumerate(zip(graphs, parts, strict=True))
    ]


def _components(graph: DrawnGraph) -> list[list[int]]:
    neighbours = _neighbours(graph)
    seen: set[int] = set()
    components = []
    for root in range(len(graph.vertex_labels)):
        if root in seen:
            continue
        component = [root]
        seen.add(root)
        for vertex in component:  # grows while it is walked: breadth first
            fresh = [v for v in neighbours[vertex] if v not in seen]
            seen.update(fresh)
            component.extend(fresh)
        components.append(component)
    return components


def _neighbours(graph: DrawnGraph) -> list[list[int]]:
    neighbours: list[list[int]] = [[] for _ in graph.vertex_labels]
    for u, v, _ in graph.edges:
        neighbours[u].append(v)
        neighbours[v].append(u)
    return neighbours


def _distances(graph: DrawnGraph, component: list[int]) -> Points:
    """Shortest-path lengths inside one component, in bond lengths."""
    index = {vertex: i for i, vertex in enumerate(component)}
    neighbours = _neighbours(graph)
    n = len(component)
    table = np.zeros((n, n))
    for i, root in enumerate(component):
        depth = {root: 0}
        queue = [root]
        for vertex in queue:
            for other in neighbours[vertex]:
                if other not in depth:
                    depth[other] = depth[vertex] + 1
                    queue.append(other)
        for vertex, steps in depth.items():
            table[i, index[vertex]] = steps
    return table * BOND_LENGTH


def _minimize_stress(distances: Points) -> Points:
    """SMACOF with weights 1/d² from several starts at once; shape (n_graphs, n, 2)."""
    n_graphs, n, _ = distances.shape
    if n == 1:
        return np.zeros((n_graphs, 1, 2))
    if n > 60:  # whole graphs in a gallery: one start is enough, and dense algebra stays cheap
        starts, steps = _starts(n, 1), 40
    else:
        starts, steps = _starts(n, N_STARTS), 80
    goal = np.repeat(distances, len(starts), axis=0)
    points = np.tile(starts, (n_graphs, 1, 1)) * (goal.max(axis=(1, 2)) / 2)[:, None, None]
    with np.errstate(divide="ignore"):
        weights = np.where(goal > 0, goal**-2.0, 0.0)
    laplacian = _laplacian(weights)
    inverse = np.linalg.pinv(laplacian, hermitian=True)
    for _ in range(steps):
        gaps = _gaps(points)
        ratio = np.where(gaps > 1e-9, weights * goal / np.maximum(gaps, 1e-9), 0.0)
        points = inverse @ (_laplacian(ratio) @ points)
    stress = (weights * (_gaps(points) - goal) ** 2).sum(axis=(1, 2)).reshape(n_graphs, -1)
    # Rounded, so that starts that end equally well are chosen between in a stable way.
    best = np.argmin(np.round(stress, 6), axis=1)
    chosen = points.reshape(n_graphs, len(starts), n, 2)[np.arange(n_graphs), best]
    return np.stack([_upright(item) for item in chosen])


def _starts(n: int, how_many: int) -> Points:
    """Fixed starting places: a circle, then seeded random ones."""
    rng = np.random.default_rng(7)
    angle = 2 * np.pi * np.arange(n) / n
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=1) + 0.01 * rng.standard_normal((n, 2))
    return np.stack([circle] + [rng.uniform(-1, 1, (n, 2)) for _ in range(how_many - 1)])


def _gaps(points: Points) -> Points:
    delta = points[:, :, None, :] - points[:, None, :, :]
    gaps: Points = np.sqrt((delta**2).sum(axis=-1))
    return gaps


def _laplacian(weights: Points) -> Points:
    matrix = -weights
    diagonal = np.arange(weights.shape[1])
    matrix[:, diagonal, diagonal] = weights.sum(axis=2)
    return matrix


def _upright(points: Points) -> Points:
    """Turn the long axis to the horizontal; signs fixed so that the result is one of four."""
    centred = points - points.mean(axis=0)
    _, axes = np.linalg.eigh(centred.T @ centred)
    turned = centred @ axes[:, ::-1]
    for axis in (0, 1):
        first = turned[np.argmax(np.abs(np.round(turned[:, axis], 6))), axis]
        if first > 0:
            turned[:, axis] *= -1
    return np.asarray(turned)


def _side_by_side(n: int, components: list[list[int]], placed: list[Points]) -> Points:
    points = np.zeros((n, 2))
    left = 0.0
    for component, local in zip(components, placed, strict=True):
        shifted = local - local.min(axis=0)
        shifted[:, 1] -= shifted[:, 1].max() / 2
        shifted[:, 0] += left
        points[component] = shifted
        left = float(shifted[:, 0].max()) + BOND_LENGTH
    return points
