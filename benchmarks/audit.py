"""What an audit costs: python benchmarks/audit.py [NAME …] [--shared DIR].

Each TU set is audited against 1,024 graphs resampled from itself; ``digress-moses`` audits 25,000
DiGress samples against MOSES' 1.58 million training molecules, from the csv and from the Arrow
cache. Every case runs in a process of its own, so that the peak memory is its own.
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
N_GENERATED = 1024
LIMITS = {  # bootstraps, seconds, GB
    "mutag": (200, 3, None),
    "ptc_mr": (200, 3, None),
    "nci1": (200, 30, None),
    "enzymes": (10, 15, None),
    "proteins": (10, None, None),
    "digress-moses": (200, 600, 6),
    "digress-moses-arrow": (200, 120, 6),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help=", ".join(LIMITS))
    parser.add_argument("--shared", type=Path, default=SHARED)
    parser.add_argument("--case", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.case:
        run_case(arguments.case, arguments.shared)
        return
    print(f"{'case':22} {'total s':>8} {'limit':>6} {'audit s':>8} {'GB':>6}  phases")
    for name in arguments.names or LIMITS:
        done = subprocess.run(
            [sys.executable, __file__, "--case", name, "--shared", arguments.shared],
            stdout=subprocess.PIPE, text=True, check=True,
        )  # fmt: skip
        facts = json.loads(done.stdout.splitlines()[-1])
        limit = LIMITS[name][1]
        phases = ", ".join(f"{k} {v:.2f}" for k, v in facts["phases"].items() if v >= 0.05)
        print(
            f"{name:22} {facts['total_s']:8.2f} {limit or '-':>6} {facts['audit_s']:8.2f} "
            f"{facts['gb']:6.2f}  {phases}; {facts['patterns']:,.0f} patterns, {facts['verdict']}"
        )


def run_case(name: str, shared: Path) -> None:
    """Read, audit, and print one line of JSON. Starting Python is not counted."""
    from graphassay.assay.memorization import run_audit

    os.environ["GRAPHASSAY_SHARED"] = str(shared)
    started = time.perf_counter()
    train, generated, start = _sets(name, shared, started)
    begun = time.perf_counter()
    done = run_audit(train, generated, bootstraps=LIMITS[name][0])
    finished = time.perf_counter()
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(
        json.dumps(
            {
                "total_s": finished - start,
                "audit_s": finished - begun,
                "gb": max(own, children) / 2**20,
                "phases": {"reading": begun - start, **done.result.provenance.phases_s},
                "patterns": done.result.alignment.patterns.train,
                "verdict": done.result.verdict.kind,
            }
        )
    )


def _sets(name: str, shared: Path, started: float):
    import numpy as np

    from graphassay import datasets, io

    if not name.startswith("digress-moses"):
        train = datasets.load(name, source=shared / "tu")
        rng = np.random.default_rng(0)
        return train, train.take(rng.integers(len(train), size=N_GENERATED)), started
    csv = shared / "moses_train.csv.gz"
    samples = shared / "generated" / "digress_moses.smi.gz"
    if name == "digress-moses":
        return io.read(csv), io.read(samples), started
    cache = Path(tempfile.gettempdir()) / "graphassay-bench-moses.arrow"
    if not cache.exists():
        io.write(io.read(csv), cache)
    started = time.perf_counter()  # making the cache is not counted
    return io.read(cache), io.read(samples), started


if __name__ == "__main__":
    main()
