"""The whole-graph metrics of a generated set, in the order in which to show them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from graphassay.errors import InvalidInput
from graphassay.graph import GraphSet
from graphassay.metrics import mmd, wl
from graphassay.metrics.graph_statistics import (
    Rows,
    VertexCounts,
    clustering_histograms,
    degree_histograms,
    orbit_means,
    spectrum_histograms,
)
from graphassay.metrics.planarity import connected_planar, planar_validity
from graphassay.results import Estimate, Value
from graphassay.results.quality import QualityMetric, Split

MAX_PAIRWISE = 2_048
"""Graphs per set in the MMDs that need every pair."""
MAX_REFERENCE = 10_000
"""Graphs of the reference in the WL metrics (as many as M's reference subsamples have)."""


@dataclass(frozen=True)
class GraphMetricOptions:
    """What the whole-graph metrics are computed with.

    Args:
        kernel: of the degree, clustering, orbit and spectral MMD; see `mmd.KERNELS`.
        unbiased: U-statistics for those four, instead of the literature's V-statistics.
        wl_iterations: rounds of Weisfeiler-Lehman refinement.
        wl_edge_labels: whether the WL kernel sees edge labels.
        wl_threshold: similarity from which a graph is covered.
        max_pairwise: larger sets are sampled down to this for the four MMDs.
        max_reference: larger references are sampled down to this for the WL metrics.
        n_resamples: of the generated set, for the intervals.
    """

    kernel: mmd.KernelName = "gaussian_tv"
    unbiased: bool = False
    wl_iterations: int = wl.ITERATIONS
    wl_edge_labels: bool = False
    wl_threshold: float = wl.COVERED
    max_pairwise: int = MAX_PAIRWISE
    max_reference: int = MAX_REFERENCE
    n_resamples: int = 200

    def __post_init__(self) -> None:
        if self.kernel not in mmd.KERNELS:
            known = ", ".join(mmd.KERNELS)
            raise InvalidInput(f"kernel: expected one of {known}, got {self.kernel!r}")
        if not 0 < self.wl_threshold <= 1:
            raise InvalidInput(
                f"wl_threshold: expected above 0, at most 1, got {self.wl_threshold}"
            )
        for name in ("max_pairwise", "max_reference", "n_resamples"):
            if getattr(self, name) < 2:
                raise InvalidInput(f"{name}: expected at least 2, got {getattr(self, name)}")


def graph_quality(
    train: GraphSet,
    generated: GraphSet,
    holdout: GraphSet | None = None,
    *,
    reference: Split = "train",
    n_failed: int = 0,
    options: GraphMetricOptions | None = None,
    seed: int = 0,
    threads: int = 1,
) -> list[QualityMetric]:
    """Degree, clustering, orbit and spectral MMD, WL MMD, coverage and diversity, planarity.

    Args:
        train: the training set.
        generated: the generated graphs.
        holdout: real graphs that were not trained on, for the ``real`` of every metric: as many of
            them as of generated graphs, or all where there are fewer (``detail`` then says so).
        reference: what the generated graphs are held against: ``train`` as M does, or ``holdout``
            as SPECTRE and DiGress do; train's graphs are then the ``real`` ones.
        n_failed: generated records that did not become a graph (for planar validity alone).
        options: kernels, sizes, numbers of resamples.
        seed: of samples and resamples.
        threads: at most this many; results do not depend on it.

    Returns:
        One metric per card, WL and MMD values with intervals over the generated graphs. Planar
        validity is there when all sets are without labels and every training graph is planar and
        connected. What is undefined says why.
    """
    options = options or GraphMetricOptions()
    if reference == "holdout" and holdout is None:
        raise InvalidInput("reference 'holdout': expected held-out graphs, got none")
    if reference not in ("train", "holdout"):
        raise InvalidInput(f"reference: expected 'train' or 'holdout', got {reference!r}")
    against, real = (train, holdout) if reference == "train" else (holdout, train)
    assert against is not None
    jobs = _Jobs(against, generated, real, reference, options, seed, threads)
    return [*jobs.statistics(), *jobs.wl(), *jobs.planar(train, n_failed)]


@dataclass(frozen=True)
class _Jobs:
    """The sets of one call, in the roles that they play."""

    against: GraphSet
    generated: GraphSet
    real: GraphSet | None
    reference: Split
    options: GraphMetricOptions
    seed: int
    threads: int

    def rng(self, purpose: int) -> np.random.Generator:
        """A stream of its own for every purpose: metrics do not depend on each other."""
        return np.random.default_rng([self.seed, purpose])

    def sample(self, graphs: GraphSet, most: int, purpose: int) -> GraphSet:
        """At most that many of the graphs, in their order."""
        if len(graphs) <= most:
            return graphs
        return graphs.take(np.sort(self.rng(purpose).choice(len(graphs), most, replace=False)))

    def statistics(self) -> Iterator[QualityMetric]:
        most = self.options.max_pairwise
        against = self.sample(self.against, most, 0)
        generated = self.sample(self.generated, most, 1)
        real = None if self.real is None else self.sample(self.real, len(generated), 2)
        sampled = len(against) < len(self.against)
        sets = [against, generated] if real is None else [against, generated, real]
        counts = [VertexCounts.of(graphs, threads=self.threads) for graphs in sets]
        kind = "U-statistic (unbiased)" if self.options.unbiased else "V-statistic (biased)"
        for purpose, (name, rows_of) in enumerate(_STATISTICS.items(), start=10):
            kernel = mmd.KERNELS[self.options.kernel][name]
            y, x, *rest = (rows_of(g, c) for g, c in zip(sets, counts, strict=True))
            within = kernel.matrix(y, y)
            estimate = mmd.mmd_estimate(
                kernel.matrix(x, x),
                within,
                kernel.matrix(x, y),
                unbiased=self.options.unbiased,
                rng=self.rng(purpose),
                n_resamples=self.options.n_resamples,
                sampled_reference=sampled,
            )
            reals: list[Value] = [
                mmd.mmd_squared(
                    kernel.matrix(z, z),
                    within,
                    kernel.matrix(z, y),
                    unbiased=self.options.unbiased,
                )
                for z in rest
            ]
            detail = f"{_BINS[name]}; {kernel}; {kind}"
            yield self.metric(f"{name}_mmd", estimate, len(against), reals, detail)

    def wl(self) -> Iterator[QualityMetric]:
        against = self.sample(self.against, self.options.max_reference, 3)
        generated = self.sample(self.generated, self.options.max_reference, 4)
        real = None if self.real is None else self.sample(self.real, len(generated), 5)
        sampled = len(against) < len(self.against)
        sets = [against, generated] if real is None else [against, generated, real]
        y, x, *rest = wl.wl_features(
            sets,
            iterations=self.options.wl_iterations,
            edge_labels=self.options.wl_edge_labels,
            threads=self.threads,
        )
        seen = "vertex and edge labels" if self.options.wl_edge_labels else "vertex labels"
        kernel = f"WL subtree kernel, {self.options.wl_iterations} iterations, {seen}, normalized"
        threshold, n = self.options.wl_threshold, self.options.n_resamples

        def distance(z: wl.WlFeatures, n_resamples: int) -> Estimate:
            return wl.wl_mmd(
                z, y, rng=self.rng(20), n_resamples=n_resamples, sampled_reference=sampled
            )

        def coverage(z: wl.WlFeatures) -> Estimate:
            return wl.wl_coverage(z, y, threshold=threshold, threads=self.threads)

        def diversity(z: wl.WlFeatures, n_resamples: int) -> Estimate:
            return wl.wl_diversity(z, rng=self.rng(21), n_resamples=n_resamples)

        m = len(against)
        reals = [distance(z, 2).value for z in rest]
        yield self.metric("wl_mmd", distance(x, n), m, reals, f"{kernel}; U-statistic (unbiased)")
        reals = [coverage(z).value for z in rest]
        detail = f"{kernel}; covered from similarity {threshold:g}"
        yield self.metric("wl_coverage", coverage(x), m, reals, detail)
        reals = [diversity(z, 2).value for z in rest]
        metric = self.metric("wl_diversity", diversity(x, n), 0, reals, kernel)
        yield replace(metric, reference="")

    def planar(self, train: GraphSet, n_failed: int) -> Iterator[QualityMetric]:
        sets = [train, self.generated]
        if not all(_unlabelled(graphs) for graphs in sets):
            return
        some = self.sample(train, self.options.max_pairwise, 6)
        if not (len(some) and connected_planar(some).all()):
            return
        real = None if self.real is None else planar_validity(self.real).value
        value = planar_validity(self.generated, n_failed=n_failed)
        yield QualityMetric("planar_validity", value, real=real, detail="connected and planar")

    def metric(
        self, key: str, value: Estimate, n_reference: int, reals: list[Value], detail: str
    ) -> QualityMetric:
        if self.real is not None and len(self.real) < value.n:
            detail += (
                f"; real: {len(self.real)} graphs"  # many numbers depend on how many there are
            )
        return QualityMetric(key, value, self.reference, n_reference, _only(reals), detail)


_STATISTICS: dict[str, Callable[[GraphSet, VertexCounts], Rows]] = {
    "degree": lambda _, counts: degree_histograms(counts),
    "clustering": lambda _, counts: clustering_histograms(counts),
    "orbit": lambda _, counts: orbit_means(counts),
    "spectral": lambda graphs, _: spectrum_histograms(graphs),
}
_BINS = {
    "degree": "degree histogram",
    "clustering": "clustering coefficients in 100 bins",
    "orbit": "mean counts of 15 orbits up to 4 vertices",
    "spectral": "normalized Laplacian spectrum in 200 bins",
}


def _only(values: list[Value]) -> Value | None:
    return values[0] if values else None


def _unlabelled(graphs: GraphSet) -> bool:
    columns = (graphs.vertex_labels, graphs.edge_labels)
    return all(not len(labels) or labels.min() == labels.max() for labels in columns)
