"""The whole-graph metrics of a generated set, in the order in which to show them."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

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
from graphassay.results import Estimate
from graphassay.results.quality import QualityMetric, Split

_MMD = ("degree_mmd", "clustering_mmd", "orbit_mmd", "spectral_mmd")
_WL = ("wl_mmd", "wl_coverage", "wl_diversity")
KEYS = (*_MMD, *_WL, "planar_validity")
"""Of the cards of what `graph_quality` computes, in the order in which to show them."""

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
    metrics: Collection[str] | None = None,
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
        metrics: keys of `KEYS`, to compute these alone; default all.
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
    wanted = frozenset(KEYS if metrics is None else metrics)
    for key in sorted(wanted - set(KEYS)):
        raise InvalidInput(f"metrics: expected any of {', '.join(KEYS)}; got {key!r}")
    if reference == "holdout" and holdout is None:
        raise InvalidInput("reference 'holdout': expected held-out graphs, got none")
    if reference not in ("train", "holdout"):
        raise InvalidInput(f"reference: expected 'train' or 'holdout', got {reference!r}")
    against, real = (train, holdout) if reference == "train" else (holdout, train)
    assert against is not None
    jobs = _Jobs(against, generated, real, reference, wanted, options, seed, threads)
    return [*jobs.statistics(), *jobs.wl(), *jobs.planar(train, n_failed)]


@dataclass(frozen=True)
class _Jobs:
    """The sets of one call, in the roles that they play."""

    against: GraphSet
    generated: GraphSet
    real: GraphSet | None
    reference: Split
    wanted: Collection[str]
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
        names = [name for name in _STATISTICS if f"{name}_mmd" in self.wanted]
        if not names:
            return
        most = self.options.max_pairwise
        against = self.sample(self.against, most, 0)
        generated = self.sample(self.generated, most, 1)
        real = None if self.real is None else self.sample(self.real, len(generated), 2)
        sampled = len(against) < len(self.against)
        sets = [against, generated] if real is None else [against, generated, real]
        sides = [_Side(graphs, self.threads) for graphs in sets]
        kind = "U-statistic (unbiased)" if self.options.unbiased else "V-statistic (biased)"
        for name in names:
            kernel = mmd.KERNELS[self.options.kernel][name]
            y, x, *rest = map(_STATISTICS[name], sides)
            within = kernel.matrix(y, y)
            estimate, *reals = (
                mmd.mmd_estimate(
                    kernel.matrix(z, z),
                    within,
                    kernel.matrix(z, y),
                    unbiased=self.options.unbiased,
                    rng=self.rng(_STREAMS[name]),
                    n_resamples=self.options.n_resamples,
                    sampled_reference=sampled,
                )
                for z in (x, *rest)
            )
            detail = f"{_BINS[name]}; {kernel}; {kind}"
            yield self.metric(f"{name}_mmd", estimate, len(against), reals, detail)

    def wl(self) -> Iterator[QualityMetric]:
        if not set(_WL) & set(self.wanted):
            return
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

        def distance(z: wl.WlFeatures) -> Estimate:
            return wl.wl_mmd(z, y, rng=self.rng(20), n_resamples=n, sampled_reference=sampled)

        def coverage(z: wl.WlFeatures) -> Estimate:
            return wl.wl_coverage(z, y, threshold=threshold, threads=self.threads)

        def diversity(z: wl.WlFeatures) -> Estimate:
            return wl.wl_diversity(z, rng=self.rng(21), n_resamples=n)

        for key, compute, about in (
            ("wl_mmd", distance, "; U-statistic (unbiased)"),
            ("wl_coverage", coverage, f"; covered from similarity {threshold:g}"),
            ("wl_diversity", diversity, ""),
        ):
            if key in self.wanted:
                value, *reals = map(compute, (x, *rest))
                metric = self.metric(key, value, len(against), reals, kernel + about)
                alone = key == "wl_diversity"  # of one set
                yield replace(metric, reference="", n_reference=0) if alone else metric

    def planar(self, train: GraphSet, n_failed: int) -> Iterator[QualityMetric]:
        if "planar_validity" not in self.wanted:
            return
        sets = [train, self.generated]
        if not all(_unlabelled(graphs) for graphs in sets):
            return
        some = self.sample(train, self.options.max_pairwise, 6)
        if not (len(some) and connected_planar(some).all()):
            return
        real = None if self.real is None else planar_validity(self.real)
        value = planar_validity(self.generated, n_failed=n_failed)
        yield QualityMetric("planar_validity", value, real=real, detail="connected and planar")

    def metric(
        self, key: str, value: Estimate, n_reference: int, reals: list[Estimate], detail: str
    ) -> QualityMetric:
        if self.real is not None and len(self.real) < value.n:
            detail += (
                f"; real: {len(self.real)} graphs"  # many numbers depend on how many there are
            )
        return QualityMetric(key, value, self.reference, n_reference, _only(reals), detail)


@dataclass(frozen=True, eq=False)
class _Side:
    """One set, its vertices counted once, and only where that is asked for."""

    graphs: GraphSet
    threads: int

    @cached_property
    def counts(self) -> VertexCounts:
        return VertexCounts.of(self.graphs, threads=self.threads)


_STATISTICS: dict[str, Callable[[_Side], Rows]] = {
    "degree": lambda side: degree_histograms(side.counts),
    "clustering": lambda side: clustering_histograms(side.counts),
    "orbit": lambda side: orbit_means(side.counts),
    "spectral": lambda side: spectrum_histograms(side.graphs),
}
_STREAMS = {name: purpose for purpose, name in enumerate(_STATISTICS, start=10)}
_BINS = {
    "degree": "degree histogram",
    "clustering": "clustering coefficients in 100 bins",
    "orbit": "mean counts of 15 orbits up to 4 vertices",
    "spectral": "normalized Laplacian spectrum in 200 bins",
}


def _only(values: list[Estimate]) -> Estimate | None:
    return values[0] if values else None


def _unlabelled(graphs: GraphSet) -> bool:
    columns = (graphs.vertex_labels, graphs.edge_labels)
    return all(not len(labels) or labels.min() == labels.max() for labels in columns)
