"""Unlabelled graphs made from a seed."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from graphassay.datasets.catalogue import Dataset
from graphassay.errors import InvalidInput
from graphassay.graph import NO_LABEL, Graph, GraphSet

SPLITS = {"train": slice(0, 128), "valid": slice(128, 160), "test": slice(160, 200)}
"""128 / 32 / 40 of 200 graphs (Martinkus et al. 2022)."""


def planar(n_graphs: int, *, n_vertices: int = 64, rng: np.random.Generator) -> GraphSet:
    """Delaunay triangulations of uniform points in the unit square (Martinkus et al. 2022)."""
    from scipy.spatial import Delaunay

    if n_vertices < 4:
        raise InvalidInput(f"expected at least 4 points to triangulate, got {n_vertices}")

    def one() -> Graph:
        triangles = Delaunay(rng.random((n_vertices, 2))).simplices
        pairs = {
            (min(a, b), max(a, b))
            for corners in triangles.tolist()
            for a, b in zip(corners, corners[1:] + corners[:1], strict=True)
        }
        return Graph([NO_LABEL] * n_vertices, [(u, v, NO_LABEL) for u, v in pairs])

    return GraphSet.from_graphs(one() for _ in range(n_graphs))


def stochastic_blocks(n_graphs: int, *, rng: np.random.Generator) -> GraphSet:
    """Two to five blocks of 20 to 40 vertices, edge probability 0.3 inside and 0.005 across.

    Source: Martinkus et al. 2022 (the parameters of their SBM set).
    """

    def one() -> Graph:
        blocks = np.repeat(np.arange(b := int(rng.integers(2, 6))), rng.integers(20, 41, size=b))
        same = blocks[:, None] == blocks[None, :]
        return _from_probabilities(np.where(same, 0.3, 0.005), rng)

    return GraphSet.from_graphs(one() for _ in range(n_graphs))


def erdos_renyi(
    n_graphs: int,
    *,
    n_vertices: tuple[int, int] = (20, 40),
    probability: float = 0.1,
    rng: np.random.Generator,
) -> GraphSet:
    """Graphs whose every pair of vertices is joined with one probability.

    Args:
        n_graphs: how many.
        n_vertices: smallest and largest size, drawn evenly.
        probability: of an edge.
        rng: source of randomness.
    """

    def one() -> Graph:
        n = int(rng.integers(n_vertices[0], n_vertices[1] + 1))
        return _from_probabilities(np.full((n, n), probability), rng)

    return GraphSet.from_graphs(one() for _ in range(n_graphs))


def load(dataset: Dataset, *, split: str | None, seed: int) -> GraphSet:
    """One of the catalogue's sets, or a split of it."""
    makers: dict[str, Callable[..., GraphSet]] = {
        "planar": planar,
        "sbm": stochastic_blocks,
        "random": erdos_renyi,
    }
    graphs = makers[dataset.name](dataset.n_graphs, rng=np.random.default_rng(seed))
    return graphs if split is None else graphs[SPLITS[split]]


def _from_probabilities(probabilities: npt.NDArray[np.float64], rng: np.random.Generator) -> Graph:
    n = len(probabilities)
    drawn = np.triu(rng.random((n, n)) < probabilities, k=1)
    edges = [(u, v, NO_LABEL) for u, v in np.argwhere(drawn).tolist()]
    return Graph([NO_LABEL] * n, edges)
