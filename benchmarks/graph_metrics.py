"""Whole-graph metrics beside GraKeL (WL kernel), networkx and orbit-count (statistics).

    python benchmarks/graph_metrics.py             # all of the below
    python benchmarks/graph_metrics.py large       # 1,024 generated against 10,000 real molecules
    python benchmarks/graph_metrics.py kernel      # WL kernel matrix, GraKeL beside us
    python benchmarks/graph_metrics.py statistics  # degree, clustering, spectrum, orbits

Generated: DiGress' MOSES molecules (heavy atoms); real: the first MOSES training molecules. Reading
is not counted; converting graphs for a peer is shown apart. Peers run once, we the best of three.
"""

import argparse
import gzip
import os
import resource
import tempfile
import time
from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np

from graphassay.graph import GraphSet
from graphassay.interop import to_networkx
from graphassay.io import read
from graphassay.metrics.graph_quality import GraphMetricOptions, graph_quality
from graphassay.metrics.graph_statistics import (
    VertexCounts,
    clustering_histograms,
    degree_histograms,
    spectrum_histograms,
    vertex_orbits,
)
from graphassay.metrics.wl import (
    ITERATIONS,
    wl_coverage,
    wl_diversity,
    wl_features,
    wl_kernel,
    wl_mmd,
)

SHARED = Path(os.environ.get("GRAPHASSAY_SHARED", Path(__file__).parents[2] / "shared" / "data"))
THREADS = 2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", default=list(PARTS), help=", ".join(PARTS))
    for part in parser.parse_args().parts:
        PARTS[part]()


def large() -> None:
    real, made = molecules(10_000)
    made = made[:1024]
    print(f"WL metrics, {len(made):,} x {len(real):,} molecules, {THREADS} threads:")
    rng = np.random.default_rng(0)
    total, (x, y) = best(lambda: wl_features([made, real], threads=THREADS))
    print(f"  features    {total:7.3f} s ({x.n_columns:,} columns)")
    for name, job in {
        "MMD": lambda: wl_mmd(x, y, rng=rng, sampled_reference=True),
        "coverage": lambda: wl_coverage(x, y, threads=THREADS),
        "diversity": lambda: wl_diversity(x, rng=rng),
    }.items():
        seconds, estimate = best(job)
        total += seconds
        print(
            f"  {name:11} {seconds:7.3f} s  {estimate.value:.4f} "
            f"[{estimate.low:.4f}, {estimate.high:.4f}]"
        )
    print(f"  all         {total:7.3f} s (intervals from 200 resamples included)")
    seconds, _ = best(lambda: graph_quality(real, made, threads=THREADS), repeats=1)
    sizes = GraphMetricOptions()
    print(
        f"  with degree, clustering, orbit, spectral MMD (at most {sizes.max_pairwise:,} graphs "
        f"each): {seconds:.2f} s; peak memory of this process {peak_mb():,.0f} MB"
    )


def kernel() -> None:
    import grakel

    real, made = molecules(1_000)
    for a, b in ((made[:256], real[:1000]), (made[:1024], real[:1000])):
        start = time.perf_counter()
        sets = [[grakel_graph(graph) for graph in graphs] for graphs in (a, b)]
        converting = time.perf_counter() - start

        def theirs(sets: list[list[Any]] = sets) -> np.ndarray:
            peer = grakel.WeisfeilerLehman(
                n_iter=ITERATIONS,
                base_graph_kernel=grakel.VertexHistogram,
                normalize=True,
                n_jobs=THREADS,
            )
            return peer.fit(sets[1]).transform(sets[0])

        def ours(a: GraphSet = a, b: GraphSet = b) -> np.ndarray:
            return wl_kernel(*wl_features([a, b], threads=THREADS), threads=THREADS)

        compare(
            f"WL kernel {len(a):,} x {len(b):,}",
            "GraKeL",
            ours,
            theirs,
            f"converting {converting:.2f} s",
        )


def statistics() -> None:
    import orbit_count

    sets = {"MOSES": molecules(2_000)[0], "ENZYMES": read(SHARED / "tu" / "ENZYMES.zip")}
    for name, graphs in sets.items():
        start = time.perf_counter()
        listed = [graph for graph in map(to_networkx, graphs) if graph.size()]
        note = f"converting {time.perf_counter() - start:.2f} s"
        pairs: dict[str, tuple[str, Callable[[], Any], Callable[[], Any]]] = {
            "degree": (
                "networkx",
                lambda graphs=graphs: degree_histograms(VertexCounts.of(graphs, threads=THREADS)),
                lambda listed=listed: [nx.degree_histogram(graph) for graph in listed],
            ),
            "clustering": (
                "networkx",
                lambda graphs=graphs: clustering_histograms(
                    VertexCounts.of(graphs, threads=THREADS)
                ),
                lambda listed=listed: [
                    np.histogram(list(nx.clustering(graph).values()), bins=100, range=(0, 1))
                    for graph in listed
                ],
            ),
            "spectrum": (
                "networkx",
                lambda graphs=graphs: spectrum_histograms(graphs),
                lambda listed=listed: [
                    np.linalg.eigvalsh(nx.normalized_laplacian_matrix(graph).toarray())
                    for graph in listed
                ],
            ),
            "orbits": (
                "orbit-count",
                lambda graphs=graphs: vertex_orbits(graphs, threads=THREADS),
                lambda listed=listed: orbit_count.batched_node_orbit_counts(
                    listed, graphlet_size=4
                ),
            ),
        }
        for statistic, (peer, ours, theirs) in pairs.items():
            compare(f"{statistic}, {len(graphs):,} {name}", peer, ours, theirs, note)


def molecules(n_real: int) -> tuple[GraphSet, GraphSet]:
    with (
        gzip.open(SHARED / "moses_train.csv.gz", "rt") as train,
        gzip.open(SHARED / "generated" / "digress_moses.smi.gz", "rt") as made,
    ):
        next(train)  # the header
        return first_molecules(train, n_real), first_molecules(made, 2_000)


def first_molecules(lines: Iterable[str], n: int) -> GraphSet:
    with tempfile.NamedTemporaryFile("w", suffix=".smi") as file:
        file.writelines(islice(lines, n))
        file.flush()
        return read(file.name)


def grakel_graph(graph: Any) -> Any:
    import grakel

    neighbours: dict[int, list[int]] = {v: [] for v in range(graph.n_vertices)}
    for u, v, _ in graph.edges:
        neighbours[u].append(v)
        neighbours[v].append(u)
    return grakel.Graph(neighbours, node_labels=dict(enumerate(graph.vertex_labels)))


def compare(
    name: str, peer: str, ours: Callable[[], Any], theirs: Callable[[], Any], note: str
) -> None:
    ours_s, _ = best(ours)
    theirs_s, _ = best(theirs, repeats=1)
    print(
        f"{name:28} ours {ours_s:8.4f} s | {peer} {theirs_s:8.3f} s ({note}): "
        f"{theirs_s / ours_s:6.1f}x faster",
        flush=True,
    )


def best(job: Callable[[], Any], *, repeats: int = 3) -> tuple[float, Any]:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        value = job()
        times.append(time.perf_counter() - start)
    return min(times), value


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


PARTS = {"large": large, "kernel": kernel, "statistics": statistics}

if __name__ == "__main__":
    main()
