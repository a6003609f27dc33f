"""Weisfeiler-Lehman kernel between sets of labelled graphs: MMD, coverage, diversity.

k(G, H) counts the pairs of vertices of G and H whose neighbourhoods look alike up to each depth
0 .. h (Shervashidze et al., JMLR 12 (2011) 2539), and is normalized so that k(G, G) = 1. It is a
dot product of sparse feature vectors. MMD and diversity therefore need only the mean vectors, in
time linear in the number of graphs; coverage needs every pair.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from graphassay.errors import InvalidInput
from graphassay.graph import GraphSet, Int32, Int64
from graphassay.metrics.intervals import rate, resampled
from graphassay.metrics.mmd import (
    Matrix,
    PairMeans,
    draw_weights,
    interval_of,
    undefined_mmd,
    weighted_pairs,
)
from graphassay.results import Estimate, Undefined, Value

if TYPE_CHECKING:
    from scipy.sparse import csr_array

ITERATIONS = 5
"""M does not say how many. With 5 (GraKeL's default), resamples of its five TU sets come close to
all of its table 11, provided that its column of diversities holds the mean similarity 1 - D."""
COVERED = 0.75
"""M gives no threshold. This one puts the same resamples within 0.05 of its coverages, four of five
within 0.01."""

_BLOCK = 1 << 23
"""Similarities computed at a time (64 MiB)."""
_RESAMPLES_AT_ONCE = 16


@dataclass(frozen=True)
class WlFeatures:
    """Sparse feature vectors of a set of graphs.

    Graph ``g`` owns ``columns[offsets[g]:offsets[g + 1]]`` and as many ``counts``. Columns are
    shared by the sets whose features were taken together.
    """

    offsets: Int64
    columns: Int32
    counts: Int32
    n_columns: int

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @cached_property
    def squared_norms(self) -> Matrix:
        """k(G, G) before normalization, shape (n_graphs,)."""
        rows = np.repeat(np.arange(len(self)), np.diff(self.offsets))
        squares = self.counts.astype(np.float64) ** 2
        sums = np.bincount(rows, weights=squares, minlength=len(self))
        return sums.astype(np.float64, copy=False)

    @cached_property
    def normalized(self) -> "csr_array[np.float64, tuple[int, int]]":
        """Rows of length 1 (of length 0 for a graph without vertices)."""
        from scipy.sparse import csr_array

        scale = np.repeat(_inverse_root(self.squared_norms), np.diff(self.offsets))
        return csr_array(
            (self.counts * scale, self.columns, self.offsets), shape=(len(self), self.n_columns)
        )

    @cached_property
    def turned(self) -> "csr_array[np.float64, tuple[int, int]]":
        """`normalized`, one row per column."""
        return self.normalized.T.tocsr()

    def rows(self, start: int, stop: int) -> "WlFeatures":
        """The graphs from ``start`` up to ``stop``."""
        offsets = self.offsets[start : stop + 1]
        inside = slice(offsets[0], offsets[-1])
        return WlFeatures(
            offsets - offsets[0], self.columns[inside], self.counts[inside], self.n_columns
        )


def wl_features(
    sets: Sequence[GraphSet],
    *,
    iterations: int = ITERATIONS,
    edge_labels: bool = False,
    threads: int = 1,
) -> list[WlFeatures]:
    """Feature vectors of several sets over common columns.

    Args:
        sets: labels are compared by name.
        iterations: rounds of refinement; 0 counts vertex labels only.
        edge_labels: whether a neighbour is seen together with the label of the edge to it. The
            kernel of the paper, and GraKeL's, know vertex labels only.
        threads: at most this many; the features do not depend on it.

    Returns:
        One per set. Two colours share a column by mistake with a probability of 3e-6 in sets with
        10 million colours (64-bit hashes).

    Source: Shervashidze et al., JMLR 12 (2011) 2539, algorithm 2.
    """
    from graphassay import native

    if iterations < 0:
        raise InvalidInput(f"expected iterations >= 0, got {iterations}")
    no_keys = np.zeros(0, dtype=np.uint64)
    found = [
        native.wl_features(
            graphs.view,
            graphs.vertex_label_keys,
            graphs.edge_label_keys if edge_labels else no_keys,
            iterations,
            threads,
        )
        for graphs in sets
    ]
    every = np.concatenate([no_keys, *(colours for _, colours, _ in found)])
    distinct, columns = np.unique(every, return_inverse=True)
    ends = np.cumsum([len(colours) for _, colours, _ in found])[:-1]
    split = np.split(columns.astype(np.int32), ends)
    return [
        WlFeatures(offsets, part, counts, len(distinct))
        for (offsets, _, counts), part in zip(found, split, strict=True)
    ]


def wl_kernel(a: WlFeatures, b: WlFeatures, *, normalize: bool = True, threads: int = 1) -> Matrix:
    """Kernel values of all pairs, shape (len(a), len(b)).

    Normalized values lie in [0, 1]; a graph without vertices is like none, itself included.
    """
    from graphassay import native

    if a.n_columns != b.n_columns:
        raise InvalidInput("expected features that were taken together (see wl_features)")
    products = native.sparse_products(
        a.offsets, a.columns, a.counts, b.offsets, b.columns, b.counts, a.n_columns, threads
    ).reshape(len(a), len(b))
    if normalize:
        # One root of the product, so that equal features give exactly 1. 1 where a norm is 0: such
        # products are 0 already.
        norms = np.multiply.outer(a.squared_norms, b.squared_norms)
        products /= np.sqrt(np.maximum(norms, 1.0, out=norms), out=norms)
    return products


def wl_mmd(
    generated: WlFeatures,
    reference: WlFeatures,
    *,
    rng: np.random.Generator,
    n_resamples: int = 200,
    sampled_reference: bool = False,
) -> Estimate:
    """Unbiased MMD^2 of the normalized WL kernel, with an interval over the generated graphs.

    Args:
        generated: features of the generated graphs.
        reference: features of the graphs compared with, taken together with the others.
        rng: source of the resamples.
        n_resamples: how many.
        sampled_reference: the reference is itself a sample of a larger one; its own spread is then
            added in quadrature.

    Returns:
        In [-2, 2]; 0 in the mean for equal distributions, and as often below as above.
        `Undefined` with fewer than two graphs in either set.

    Source: M, appendix H, table 11 (which reports -0.001); Gretton et al. 2012, equation 3.
    """
    n, m = len(generated), len(reference)
    reason = undefined_mmd(n, m, unbiased=True)
    if reason is not None:
        return interval_of(reason, np.zeros(0), n)
    once = np.ones((1, n))
    value = float(_pair_means(generated, reference, once).squared(unbiased=True)[0])
    weights = draw_weights(n, n_resamples, rng)
    draws = _pair_means(generated, reference, weights).squared(unbiased=True)
    extra = 0.0
    if sampled_reference:
        weights = draw_weights(m, n_resamples, rng)
        turned = _pair_means(reference, generated, weights).squared(unbiased=True)
        extra = float(turned.std())
    return interval_of(value, draws, n, extra_sd=extra)


def wl_coverage(
    generated: WlFeatures, reference: WlFeatures, *, threshold: float = COVERED, threads: int = 1
) -> Estimate:
    """Share of the reference's graphs that some generated graph resembles.

    A graph is covered when the normalized WL kernel with its most similar generated graph is at
    least ``threshold``. M says no more than "fraction of training graphs covered by the generated
    set"; for the threshold see `COVERED`.

    Returns:
        A share of the reference's graphs with Wilson's interval; ``n`` is the number of generated
        graphs. `Undefined` when either set is empty.

    Source: M, appendix H, table 11.
    """
    if not len(generated):
        nothing = Undefined("no generated graphs")
        return Estimate(nothing, nothing, nothing, 0, "Wilson")
    best = most_similar(reference, generated, threads=threads)
    found = rate(int(np.sum(best >= threshold)), len(reference))
    return Estimate(found.value, found.low, found.high, len(generated), found.method)


def most_similar(a: WlFeatures, b: WlFeatures, *, threads: int = 1) -> npt.NDArray[np.float64]:
    """The largest kernel value of each graph of ``a`` with any of ``b``, shape (len(a),)."""
    best = np.zeros(len(a))
    step = max(1, _BLOCK // max(len(b), 1))
    for start in range(0, len(a), step):
        stop = min(start + step, len(a))
        block = wl_kernel(a.rows(start, stop), b, threads=threads)
        best[start:stop] = block.max(axis=1, initial=0.0)
    return best


def wl_diversity(
    generated: WlFeatures, *, rng: np.random.Generator, n_resamples: int = 200
) -> Estimate:
    """Mean dissimilarity 1 - k of two different generated graphs, with a bootstrap interval.

    Returns:
        In [0, 1]; 0 when all graphs look alike to the kernel. `Undefined` with fewer than two.
        (M describes the same number; the values that it prints agree with 1 minus this one.)

    Source: M, appendix H, table 11.
    """
    n = len(generated)
    value: Value = Undefined(f"diversity needs at least 2 generated graphs, got {n}")
    if n < 2:
        return interval_of(value, np.zeros(0), n)
    # Rounding can take a mean of ones beyond 1.
    value = max(0.0, 1 - float(_within(generated, np.ones((1, n)))[1][0]))
    draws = np.maximum(0.0, 1 - _within(generated, draw_weights(n, n_resamples, rng))[1])
    return resampled(value, draws.tolist(), n=n, bounds=(0.0, 1.0))


def _pair_means(x: WlFeatures, y: WlFeatures, weights: Matrix) -> PairMeans:
    mean_y = np.asarray(y.normalized.sum(axis=0)) / len(y)
    same_y, within_y = _within(y, np.ones((1, len(y))))
    similarity_to_y = np.asarray(x.normalized @ mean_y)
    same_x, within_x = _within(x, weights)
    between = (weights * similarity_to_y).sum(axis=1) / weights.sum(axis=1)
    return PairMeans(
        len(x), len(y), same_x, within_x, float(same_y[0]), float(within_y[0]), between
    )


def _within(x: WlFeatures, weights: Matrix) -> tuple[Matrix, Matrix]:
    """Means of k(x, x) and of k(x, x') over different graphs, per row of weights."""
    quadratic = np.empty(len(weights))
    for start in range(0, len(weights), _RESAMPLES_AT_ONCE):
        some = slice(start, start + _RESAMPLES_AT_ONCE)
        # Sparse times dense: sums in one order, whatever the number of threads.
        sums: Matrix = np.asarray(x.turned @ np.ascontiguousarray(weights[some].T))
        quadratic[some] = (sums * sums).sum(axis=0)
    self_values = (x.squared_norms > 0).astype(np.float64)
    return weighted_pairs(weights, self_values, quadratic)


def _inverse_root(squared_norms: Matrix) -> Matrix:
    roots = np.sqrt(np.maximum(squared_norms, 1.0))
    return np.where(squared_norms > 0, 1 / roots, 0.0)
