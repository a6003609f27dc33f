"""Linearization speed: graphs and tokens per second on QM9 with explicit hydrogens.

    python benchmarks/linearize.py [--data qm9.smi.gz] [--graphs 130831] [--repeats 5]

The yardsticks of shared/BASELINES.md, one process: the study's sampler through its tokenizer
4,600 graphs/s, its compiled kernel alone 89,000. In the same run a plain Python SENT sampler over
the same graphs stands beside ours, so that the ratio does not depend on the machine's load.
"""

import argparse
import random
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from graphassay.graph import GraphSet, MoleculeOptions
from graphassay.io import read
from graphassay.linearize import KINDS, linearizer_from_data

DATA = Path(__file__).parents[2] / "shared" / "data" / "qm9.smi.gz"


def best_time(
    call: Callable[[], object], repeats: int, clock: Callable[[], float] = time.perf_counter
) -> float:
    times = []
    for _ in range(repeats):
        start = clock()
        call()
        times.append(clock() - start)
    return min(times)


def python_sent(graphs: GraphSet, rng: random.Random) -> int:
    """Random-order SENT as one would write it; returns the number of tokens."""
    n_tokens = 0
    for graph in graphs:
        neighbours: list[list[tuple[int, str]]] = [[] for _ in graph.vertex_labels]
        for u, v, label in graph.edges:
            neighbours[u].append((v, label))
            neighbours[v].append((u, label))
        left = set(range(graph.n_vertices))
        index: dict[int, int] = {}
        words = ["<bos>"]
        vertex, previous = rng.choice(sorted(left)), -1
        while True:
            left.remove(vertex)
            index[vertex] = len(index)
            words += [str(index[vertex]), graph.vertex_labels[vertex]]
            seen = [(index[u], x) for u, x in neighbours[vertex] if u in index and u != previous]
            if seen:
                words += ["[", *(word for i, x in sorted(seen) for word in (x, str(i))), "]"]
            steps = [(u, x) for u, x in neighbours[vertex] if u not in index]
            if steps:
                previous = vertex
                vertex, x = rng.choice(steps)
                words.append(x)
            elif left:
                words.append("RESET")
                vertex, previous = rng.choice(sorted(left)), -1
            else:
                break
        n_tokens += len(words) + 1
    return n_tokens


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--graphs", type=int, default=130_831)
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    graphs = read(arguments.data, molecules=MoleculeOptions(hydrogens="explicit-h"))
    graphs = graphs[: arguments.graphs]
    few = graphs[:: max(1, len(graphs) // 2000)]
    slow = len(few) / best_time(lambda: python_sent(few, random.Random(0)), 2, time.process_time)
    print(f"{len(graphs):,} graphs; plain Python SENT {slow:,.0f} graphs per CPU second")
    print(
        "one core: graphs and tokens per CPU second; wall: graphs per second with 1 and 2 threads"
    )
    print(f"{'linearization':16} {'one core':>10} {'tokens':>12} {'ratio':>7} {'1':>10} {'2':>10}")
    for name in KINDS:
        linearizer = linearizer_from_data(name, graphs)
        n_tokens = len(linearizer.batch(graphs, seed=0).tokens)

        def seconds(threads: int, clock: Callable[[], float], one=linearizer) -> float:
            return best_time(
                lambda: one.batch(graphs, seed=0, threads=threads), arguments.repeats, clock
            )

        core = seconds(1, time.process_time)
        rate = len(graphs) / core
        wall = [len(graphs) / seconds(threads, time.perf_counter) for threads in (1, 2)]
        print(
            f"{name:16} {rate:10,.0f} {n_tokens / core:12,.0f} {rate / slow:6.0f}x "
            f"{wall[0]:10,.0f} {wall[1]:10,.0f}"
        )
    masks(graphs, arguments.repeats)


def masks(graphs: GraphSet, repeats: int) -> None:
    """Grammar: masks and steps per second for a batch of 64 rows."""
    for name in ("sent:random", "dfs", "dfs:factored", "dgmg:label"):
        linearizer = linearizer_from_data(name, graphs[:20_000])
        table = linearizer.batch(graphs[:64], seed=0).padded()
        grammar = linearizer.grammar()
        out = np.empty((64, len(linearizer.vocabulary)), dtype=bool)

        def run(table=table, grammar=grammar, out=out) -> None:
            state = grammar.start(64)
            for column in np.ascontiguousarray(table.T):
                state.allowed(out=out)
                state.advance(column)

        seconds = best_time(run, repeats) / table.shape[1]
        size = len(linearizer.vocabulary)
        print(f"{name:16} mask + step of 64 rows, {size} tokens: {1e6 * seconds:.1f} us")


if __name__ == "__main__":
    main()
