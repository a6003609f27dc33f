"""How fast files become graphs: our readers beside RDKit's plain loop, in one run.

    python benchmarks/intake.py [DATA] [--molecules 100000]

DATA is the folder (default ../shared/data) with ``tu/*.zip`` and ``moses_train.csv.gz``.
"""

import argparse
import gzip
import itertools
import os
import resource
import tempfile
import time
from pathlib import Path

from graphassay.io import read, write

SHARED = Path(os.environ.get("GRAPHASSAY_SHARED", Path(__file__).parents[2] / "shared" / "data"))


def best_of(n: int, function: object, *args: object) -> tuple[float, object]:
    """Shortest wall time of ``n`` calls, in seconds, and the last result."""
    times, result = [], None
    for _ in range(n):
        start = time.perf_counter()
        result = function(*args)
        times.append(time.perf_counter() - start)
    return min(times), result


def main() -> None:
    """Print one line per measurement."""
    parser = argparse.ArgumentParser()
    parser.add_argument("data", nargs="?", default=SHARED, type=Path)
    parser.add_argument("--molecules", type=int, default=100_000)
    asked = parser.parse_args()
    cores = len(os.sched_getaffinity(0))
    print(f"{cores} cores; best of 5 for TU and gSpan")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for tu in ("ENZYMES", "PROTEINS", "NCI1"):
            seconds, graphs = best_of(5, read, asked.data / "tu" / f"{tu}.zip")
            write(graphs, folder / f"{tu}.gspan")
            as_gspan, _ = best_of(5, read, folder / f"{tu}.gspan")
            print(f"{tu:10} TU zip {seconds * 1e3:6.1f} ms   gSpan text {as_gspan * 1e3:6.1f} ms")
        with gzip.open(asked.data / "moses_train.csv.gz", "rt") as file:
            lines = list(itertools.islice(file, 1, asked.molecules + 1))
        (folder / "a.smi").write_text("".join(lines))
        start = time.process_time()
        plain_rdkit(lines)
        rdkit = time.process_time() - start
        start = time.process_time()
        one = read(folder / "a.smi", processes=1)
        one_core = time.process_time() - start
        wall, graphs = best_of(1, read, folder / "a.smi")
        assert graphs.sha256() == one.sha256()
        write(graphs, folder / "a.arrow")
        cached, _ = best_of(3, read, folder / "a.arrow")
        n = len(lines)
        print(f"{n:,} molecules of MOSES")
        print(f"  RDKit, a loop over atoms and bonds (CPU) {rdkit:7.1f} s")
        print(f"  ours, one core (CPU)                     {one_core:7.1f} s")
        print(f"    {rdkit / one_core:.1f} times faster")
        print(f"  ours, all cores (wall)                   {wall:7.1f} s")
        print(f"  Arrow cache (wall)                       {cached:7.3f} s")
        print(f"  all 1,584,663 at this pace: {wall / n * 1584663:.0f} s")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


def plain_rdkit(lines: list[str]) -> int:
    """What one would write without us."""
    from rdkit import Chem

    total = 0
    for line in lines:
        mol = Chem.MolFromSmiles(line.strip())
        atoms = [atom.GetSymbol() for atom in mol.GetAtoms()]
        bonds = [(b.GetBeginAtomIdx(), b.GetEndAtomIdx(), b.GetBondType()) for b in mol.GetBonds()]
        total += len(atoms) + len(bonds)
    return total


if __name__ == "__main__":
    main()
