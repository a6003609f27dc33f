"""QM9 in the split of study L: python benchmarks/qm9_split.py FOLDER.

Writes train.smi (97,734 molecules), valid.smi (20,042), test.smi (13,055) and, nested in train,
train-128.smi, train-1000.smi and train-10000.smi. The study shuffles the 133,885 rows of the full
data set by ``DataFrame.sample(frac=1, random_state=42)``; which of them GRAPHASSAY_SHARED's
qm9.smi.gz lacks comes from the package qm9pack (extra [qm9]).
"""

import csv
import gzip
import importlib.util
import os
import sys
from pathlib import Path

import numpy as np

SHARED = Path(os.environ.get("GRAPHASSAY_SHARED", Path(__file__).parents[2] / "shared" / "data"))
N_ROWS = 133_885
N_TRAIN, N_TEST = 100_000, 13_388
SUBSETS = (128, 1000, 10_000)


def row_numbers() -> list[int]:
    """The row of the full data set that each line of qm9.smi.gz is, from 0."""
    found = importlib.util.find_spec("qm9pack")
    if found is None or found.origin is None:
        sys.exit("qm9pack is not installed: pip install graphassay[qm9]")
    numbers = []
    for part in (1, 2, 3):
        path = Path(found.origin).parent / "data" / f"qm9_part{part}.csv"
        with path.open(newline="") as file:
            numbers += [int(row["Index"]) - 1 for row in csv.DictReader(file)]
    return numbers


def split() -> dict[str, list[str]]:
    """SMILES of each part, in the study's shuffled order."""
    with gzip.open(SHARED / "qm9.smi.gz", "rt") as file:
        smiles = dict(zip(row_numbers(), file.read().split(), strict=True))
    rows = np.random.RandomState(42).permutation(N_ROWS).tolist()  # what DataFrame.sample draws
    parts = {
        "train": rows[:N_TRAIN],
        "valid": rows[N_TRAIN:-N_TEST],
        "test": rows[-N_TEST:],
    }
    kept = {name: [smiles[i] for i in part if i in smiles] for name, part in parts.items()}
    return kept | {f"train-{n}": kept["train"][:n] for n in SUBSETS}


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, lines in split().items():
        (folder / f"{name}.smi").write_text("\n".join(lines) + "\n")
        print(f"{folder / name}.smi: {len(lines):,} molecules")
