"""MOSES' published metrics of its own training set against its test set, beside ours.

    python benchmarks/quality.py ../shared/data --n 10000 --reference 176074
    python benchmarks/quality.py ../shared/data --n 1584663 --metrics Scaf

The published row is “Train” of Polykovskiy et al. (2020), table 2, "Test" columns. SNN and Scaf
grow with the reference, so that only the whole test set gives the published ones; FCD is inflated
by some 1/n, so that it is also extrapolated from several sizes (Chong and Forsyth, CVPR 2020).
"""

import argparse
import time
from pathlib import Path

import numpy as np

from graphassay.metrics.chemnet import chemnet_activations
from graphassay.metrics.fingerprints import internal_diversity, nearest_similarity
from graphassay.metrics.fragments import part_similarity
from graphassay.metrics.frechet import frechet_distance
from graphassay.molecules.features import describe

PUBLISHED = {
    "FCD": 0.008,
    "SNN": 0.642,
    "Frag": 1.000,
    "Scaf": 0.991,
    "IntDiv": 0.857,
    "IntDiv2": 0.851,
}

FEATURE = {
    "SNN": "fingerprint",
    "Frag": "fragments",
    "Scaf": "scaffold",
    "IntDiv": "fingerprint",
    "IntDiv2": "fingerprint",
}
"""What a metric needs of each molecule."""


def smiles_of(path: Path, n: int, rng: np.random.Generator) -> list[str]:
    """Random SMILES of a one-column table."""
    import gzip

    with gzip.open(path, "rt") as file:
        texts = [line.strip() for line in file][1:]
    if n >= len(texts):
        return texts
    return [texts[i] for i in rng.choice(len(texts), n, replace=False).tolist()]


def show(name: str, value: float, low: float, high: float, seconds: float) -> None:
    print(
        f"{name:8} published {PUBLISHED[name]:.3f}  measured {value:.4f} "
        f"({low:.4f} to {high:.4f})  {seconds:.1f} s",
        flush=True,
    )


def fcd(train: list[str], test: list[str], sizes: list[int]) -> None:
    """FCD at several sizes, and where it goes for infinitely many molecules."""
    start = time.perf_counter()
    a, b = (chemnet_activations(part[: max(sizes)]) for part in (train, test))
    print(f"ChemNet  {2 * max(sizes):,} molecules  {time.perf_counter() - start:.1f} s")
    found = [frechet_distance(a[:n], b[:n], seed=0, n_resamples=0).value for n in sizes]
    for n, value in zip(sizes, found, strict=True):
        print(f"FCD      at {n:,} molecules on each side: {value:.4f}")
    if len(sizes) > 1:
        slope, limit = np.polyfit(1 / np.array(sizes), found, 1)
        published = PUBLISHED["FCD"]
        print(f"FCD      published {published:.3f}  extrapolated {limit:.4f} (slope {slope:.0f})")


def main() -> None:
    """Run and print."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("data", type=Path)
    arguments.add_argument("--n", type=int, default=10_000, help="of train, as if generated")
    arguments.add_argument("--reference", type=int, default=176_074, help="of test")
    arguments.add_argument("--metrics", default=",".join(PUBLISHED), help="those to compute")
    arguments.add_argument("--fcd", default="1250,2500,5000", help="sizes for FCD")
    asked = arguments.parse_args()
    names = asked.metrics.split(",")
    rng = np.random.default_rng(0)
    train = smiles_of(asked.data / "moses_train.csv.gz", asked.n, rng)
    test = smiles_of(asked.data / "moses_test.csv.gz", asked.reference, rng)
    print(f"train {len(train):,}, test {len(test):,}")
    start = time.perf_counter()
    sides = [describe(part, {FEATURE[n] for n in names if n in FEATURE}) for part in (train, test)]
    print(f"describing {len(train) + len(test):,} molecules  {time.perf_counter() - start:.1f} s")

    def parts(name: str) -> list[list[list[str]]]:
        return [[text.split(".") if text else [] for text in getattr(s, name)] for s in sides]

    for name, compute in {
        "SNN": lambda: nearest_similarity(*(side.fingerprint for side in sides)),
        "Frag": lambda: part_similarity(*parts("fragments"), seed=0),
        "Scaf": lambda: part_similarity(*parts("scaffold"), seed=0),
        "IntDiv": lambda: internal_diversity(sides[0].fingerprint),
        "IntDiv2": lambda: internal_diversity(sides[0].fingerprint, power=2),
    }.items():
        if name not in names:
            continue
        start = time.perf_counter()
        found = compute()
        show(name, found.value, found.low, found.high, time.perf_counter() - start)
    if "FCD" in names:
        fcd(train, test, [int(size) for size in asked.fcd.split(",")])


if __name__ == "__main__":
    main()
