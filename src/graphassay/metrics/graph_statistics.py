"""What a graph looks like without its labels: one row of numbers per graph.

Degree, clustering, orbit and spectral statistics as the graph generation literature takes them
(You et al., ICML 2018; Liao et al., NeurIPS 2019; Martinkus et al., ICML 2022). Histograms are
shares that sum to 1; a graph without vertices has the all-zero row.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from graphassay.graph import GraphSet, Int64, offsets_from_counts

Rows = npt.NDArray[np.float64]
"""One row per graph."""

N_ORBITS = 15
CLUSTERING_BINS = 100
SPECTRUM_BINS = 200
SPECTRUM_RANGE = (-1e-5, 2.0)
"""The literature's: the first bin starts just below 0, so that rounding loses no eigenvalue."""

_MATRIX_BYTES = 1 << 26
"""Laplacians are diagonalized in stacks of at most this size."""


def vertex_orbits(graphs: GraphSet, *, threads: int = 1) -> Int64:
    """How often each vertex lies at each orbit of the graphlets on up to 4 vertices.

    Labels play no part. Orbits are numbered as in Pržulj, Bioinformatics 23 (2007) e177: 0 is the
    degree, 3 the number of triangles, 14 that of 4-cliques.

    Returns:
        Counts, shape (n_vertices, 15). A vertex without edges has zeros.
    """
    from graphassay import native

    return native.vertex_orbits(graphs.view, threads).reshape(-1, N_ORBITS)


@dataclass(frozen=True)
class VertexCounts:
    """Orbit counts of all vertices of a set, counted once for three statistics.

    ``orbits`` has the shape (n_vertices, 15); ``offsets`` are the set's vertex offsets.
    """

    orbits: Int64
    offsets: Int64

    @classmethod
    def of(cls, graphs: GraphSet, *, threads: int = 1) -> "VertexCounts":
        """Count in native code."""
        return cls(vertex_orbits(graphs, threads=threads), graphs.vertex_offsets)

    @property
    def graph_of_vertex(self) -> Int64:
        """The graph of each vertex, shape (n_vertices,)."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))


def degree_histograms(counts: VertexCounts) -> Rows:
    """Share of each graph's vertices with each degree from 0 up.

    As wide as the largest degree asks: nothing is cut off. Pad with `same_width` before comparing.

    Source: You et al. 2018, section 4.3.
    """
    degrees = counts.orbits[:, 0]
    return _histograms(counts, degrees, int(degrees.max(initial=0)) + 1)


def clustering_histograms(counts: VertexCounts, *, n_bins: int = CLUSTERING_BINS) -> Rows:
    """Share of each graph's vertices by local clustering coefficient, in equal bins on [0, 1].

    The coefficient of a vertex is 2 triangles / (d (d - 1)), and 0 where d < 2 (as in networkx).
    Bins hold their left end, the last one both ends.

    Source: You et al. 2018, section 4.3 (100 bins).
    """
    degrees, triangles = counts.orbits[:, 0], counts.orbits[:, 3]
    pairs = degrees * (degrees - 1)
    # Whole numbers up to the division: 0.3 falls in bin 30 on every machine.
    bins = np.where(pairs > 0, 2 * triangles * n_bins // np.maximum(pairs, 1), 0)
    return _histograms(counts, np.minimum(bins, n_bins - 1), n_bins)


def orbit_means(counts: VertexCounts) -> Rows:
    """Mean count of each of the 15 orbits over a graph's vertices, shape (n_graphs, 15).

    Source: You et al. 2018, section 4.3; mean over vertices as in Liao et al. 2019.
    """
    n_graphs = len(counts.offsets) - 1
    sums = np.zeros((n_graphs, N_ORBITS), dtype=np.int64)
    filled = np.diff(counts.offsets) > 0
    if filled.any():
        sums[filled] = np.add.reduceat(counts.orbits, counts.offsets[:-1][filled], axis=0)
    return np.asarray(sums / np.maximum(np.diff(counts.offsets), 1)[:, None], dtype=np.float64)


def spectrum_histograms(graphs: GraphSet, *, n_bins: int = SPECTRUM_BINS) -> Rows:
    """Share of the eigenvalues of each graph's normalized Laplacian, in equal bins on [-1e-5, 2].

    L = I - D^(-1/2) A D^(-1/2), with a zero row for a vertex without edges (as in networkx). An
    eigenvalue that rounding puts beyond 2 counts in the last bin; the scripts in circulation drop
    it, which for bipartite graphs loses one of the n.

    Source: Liao et al. 2019, section 4.2; range and bins as in Martinkus et al. 2022.
    """
    sizes = graphs.vertex_counts
    histograms = np.zeros((len(graphs), n_bins))
    for size in np.unique(sizes[sizes > 0]).tolist():
        members = np.flatnonzero(sizes == size)
        step = max(1, _MATRIX_BYTES // (8 * size * size))
        for start in range(0, len(members), step):
            chosen = members[start : start + step]
            spectra = np.linalg.eigvalsh(_normalized_laplacians(graphs, chosen, size))
            low, high = SPECTRUM_RANGE
            bins = np.floor((spectra - low) * (n_bins / (high - low))).astype(np.int64)
            flat = np.clip(bins, 0, n_bins - 1) + np.arange(len(chosen))[:, None] * n_bins
            found = np.bincount(flat.ravel(), minlength=len(chosen) * n_bins)
            histograms[chosen] = found.reshape(-1, n_bins) / size
    return histograms


def same_width(a: Rows, b: Rows) -> tuple[Rows, Rows]:
    """Both with as many columns as the wider one has; new columns are 0."""
    width = max(a.shape[1], b.shape[1])
    first, second = (np.pad(rows, ((0, 0), (0, width - rows.shape[1]))) for rows in (a, b))
    return first, second


def _histograms(counts: VertexCounts, bins: Int64, n_bins: int) -> Rows:
    n_graphs = len(counts.offsets) - 1
    flat = counts.graph_of_vertex * n_bins + bins
    found = np.bincount(flat, minlength=n_graphs * n_bins).reshape(n_graphs, n_bins)
    return np.asarray(found / np.maximum(np.diff(counts.offsets), 1)[:, None], dtype=np.float64)


def _normalized_laplacians(graphs: GraphSet, chosen: Int64, size: int) -> Rows:
    """Laplacians of graphs that all have ``size`` vertices, shape (n_chosen, size, size)."""
    n_edges = graphs.edge_counts[chosen]
    place = np.repeat(np.arange(len(chosen)), n_edges)
    starts = graphs.edge_offsets[chosen]
    edges = np.arange(n_edges.sum()) + np.repeat(
        starts - offsets_from_counts(n_edges)[:-1], n_edges
    )
    u, v = graphs.edge_u[edges], graphs.edge_v[edges]
    degrees = np.zeros((len(chosen), size))
    for ends in (u, v):
        np.add.at(degrees, (place, ends), 1)
    laplacians = np.zeros((len(chosen), size, size))
    weights = -1 / np.sqrt(degrees[place, u] * degrees[place, v])
    laplacians[place, u, v] = weights
    laplacians[place, v, u] = weights
    diagonal = np.arange(size)
    laplacians[:, diagonal, diagonal] = degrees > 0
    return laplacians
