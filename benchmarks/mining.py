"""The miner beside gBolt (PyPI package fast-gspan), file to table, each in its own process.

    python benchmarks/mining.py                          # the five TU sets, against gBolt
    python benchmarks/mining.py --datasets MUTAG NCI1 --skip-peer
    python benchmarks/mining.py --low                    # support 0.01, ours alone
    python benchmarks/mining.py --resamples              # train + 10 resamples against train alone
    python benchmarks/mining.py --scaling                # MOSES, 1k to 1M molecules

Both read the same gSpan text file and use two threads. Ours: file to `PatternTable`. gBolt: its
binary on that file to its output files (its Python wrapper would only add to that). Time starts
when the interpreter is up and modules are imported (shown apart); memory is the peak of the whole
process. gBolt skips every branch whose projection exceeds 500,000 occurrences, so it finds fewer
patterns.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SHARED = Path(os.environ.get("GRAPHASSAY_SHARED", Path(__file__).parents[2] / "shared" / "data"))
COUNTS = {"MUTAG": 18, "PTC_MR": 34, "NCI1": 411, "ENZYMES": 60, "PROTEINS": 111}
LOW_COUNTS = {"MUTAG": 1, "PTC_MR": 3, "NCI1": 41, "ENZYMES": 6, "PROTEINS": 11}
N_GRAPHS = {"MUTAG": 188, "PTC_MR": 344, "NCI1": 4110, "ENZYMES": 600, "PROTEINS": 1113}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--datasets", nargs="+", default=list(COUNTS), choices=list(COUNTS))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3, help="of ours; the best counts")
    parser.add_argument("--skip-peer", action="store_true")
    parser.add_argument("--low", action="store_true")
    parser.add_argument("--resamples", action="store_true")
    parser.add_argument("--scaling", action="store_true")
    parser.add_argument("--sizes", nargs="+", type=int, default=[1_000, 10_000, 100_000, 1_000_000])
    parser.add_argument("--child", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        print(json.dumps(CHILDREN[options.child[0]](*options.child[1:])))
    elif options.scaling:
        scaling(options)
    elif options.resamples:
        resamples(options)
    else:
        compare(options)


def compare(options: argparse.Namespace) -> None:
    print(f"{'set':9} {'count':>5} | {'time':>8} {'memory':>8} {'patterns':>9} |  gBolt …, ratios")
    for name in options.datasets:
        count = (LOW_COUNTS if options.low else COUNTS)[name]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"{name}.gspan"
            child("convert", SHARED / "tu" / f"{name}.zip", path)
            runs = [child("ours", path, count, options.threads) for _ in range(options.repeats)]
            ours = min(runs, key=lambda run: run["time_s"])
            line = f"{name:9} {count:5} | {row(ours)}"
            if not options.skip_peer and not options.low:
                peer = child("gbolt", path, (count + 0.001) / N_GRAPHS[name], options.threads)
                line += (
                    f" | {row(peer)} | {peer['time_s'] / ours['time_s']:6.1f}x faster, "
                    f"{peer['peak_mb'] / ours['peak_mb']:5.1f}x less memory"
                )
            parts = ", ".join(f"{key} {value:.3f}" for key, value in ours["parts_s"].items())
            print(f"{line} | {parts}", flush=True)


def row(run: dict) -> str:
    return f"{run['time_s']:7.3f}s {run['peak_mb']:6.0f}MB {run['n_patterns']:9,}"


def resamples(options: argparse.Namespace) -> None:
    for name in options.datasets:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"{name}.gspan"
            child("convert", SHARED / "tu" / f"{name}.zip", path)
            run = child("resample", path, COUNTS[name] / N_GRAPHS[name], options.threads)
            print(f"{name:9} " + ", ".join(f"{k} {v:.3f}" for k, v in run.items()), flush=True)


def scaling(options: argparse.Namespace) -> None:
    print(f"{'molecules':>9} {'support':>7} | {'time':>8} {'memory':>8} {'patterns':>9}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "moses.arrow"
        child("arrow", SHARED / "moses_train.csv.gz", path, max(options.sizes))
        for n in options.sizes:
            for support in (0.1, 0.01):
                run = child("moses", path, n, support, options.threads)
                print(f"{n:9,} {support:7} | {row(run)}", flush=True)


def child(*arguments: object) -> dict:
    command = [sys.executable, __file__, "--child", *map(str, arguments)]
    # Idle threads of numpy's BLAS spin for a while after its import; mining calls no BLAS.
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment)
    return json.loads(done.stdout.splitlines()[-1])


def peak_mb(who: int = resource.RUSAGE_SELF) -> float:
    return resource.getrusage(who).ru_maxrss / 1024


def convert(source: str, target: str) -> dict:
    from graphassay.io import read, write

    write(read(source), target)
    return {}


def arrow(source: str, target: str, n: str) -> dict:
    from graphassay.io import read, write

    lines = Path(target).with_suffix(".smi")
    import gzip

    with gzip.open(source, "rt") as table, lines.open("w") as out:
        column = next(table).strip().split(",").index("SMILES")
        for _, line in zip(range(int(n)), table, strict=False):
            out.write(line.split(",")[column].strip() + "\n")
    write(read(lines), target)
    return {}


def ours(path: str, count: str, threads: str) -> dict:
    start = time.perf_counter()
    from graphassay.io import read
    from graphassay.mining import mine

    imported = time.perf_counter()
    graphs = read(path)
    parsed = time.perf_counter()
    table = mine(graphs, int(count), threads=int(threads))
    end = time.perf_counter()
    parts = {"import": imported - start, "read": parsed - imported, "mine": end - parsed}
    return {
        "time_s": end - imported,
        "peak_mb": peak_mb(),
        "n_patterns": len(table),
        "parts_s": parts,
    }


def gbolt(path: str, support: str, threads: str) -> dict:
    import importlib.util

    package = Path(importlib.util.find_spec("fast_gspan").origin).parent
    binary = package / "vendor" / "gbolt" / "build" / "gbolt"
    libraries = f"{binary.parent / 'lib'}:{os.environ.get('LD_LIBRARY_PATH', '')}"
    environment = {**os.environ, "OMP_NUM_THREADS": threads, "LD_LIBRARY_PATH": libraries}
    output = f"{path}.out"
    start = time.perf_counter()
    subprocess.run(
        [binary, "-i", path, "-o", output, "-s", support, "-d", "-x", "8"],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment,
    )
    end = time.perf_counter()
    n_patterns = 0
    for part in Path(path).parent.glob(f"{Path(output).name}.t*"):
        size = n_edges = 0
        for line in [*part.open(), "t"]:
            n_edges += line.startswith("e")
            if line.startswith("t"):
                n_patterns += n_edges > 0
                n_edges = 0
            size += len(line)
    return {
        "time_s": end - start,
        "peak_mb": peak_mb(resource.RUSAGE_CHILDREN),
        "n_patterns": n_patterns,
    }


def resample(path: str, support: str, threads: str) -> dict:
    import numpy as np

    from graphassay.io import read
    from graphassay.mining import Database, mine

    graphs = read(path)
    rng = np.random.default_rng(0)
    n = len(graphs)
    databases = [Database(graphs)] + [
        Database(graphs, np.bincount(rng.integers(n, size=n), minlength=n)) for _ in range(10)
    ]
    best = {"alone_s": float("inf"), "with_10_s": float("inf")}
    for _ in range(5):  # interleaved: the neighbours' load changes
        for key, mined in (("alone_s", databases[:1]), ("with_10_s", databases)):
            start = time.perf_counter()
            mine(mined, float(support), threads=int(threads))
            best[key] = min(best[key], time.perf_counter() - start)
    return {**best, "ratio": best["with_10_s"] / best["alone_s"]}


def moses(path: str, n: str, support: str, threads: str) -> dict:
    from graphassay.io import read
    from graphassay.mining import mine

    graphs = read(path)[: int(n)]
    start = time.perf_counter()
    table = mine(graphs, float(support), threads=int(threads))
    return {
        "time_s": time.perf_counter() - start,
        "peak_mb": peak_mb(),
        "n_patterns": len(table),
    }


CHILDREN = {
    "convert": convert,
    "arrow": arrow,
    "ours": ours,
    "gbolt": gbolt,
    "resample": resample,
    "moses": moses,
}

if __name__ == "__main__":
    main()
