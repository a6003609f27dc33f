"""Rebuild the QM9 sample that the wheel carries: python tools/make_qm9_sample.py [TARGET].

5,000 of the 130,831 molecules of the PyPI package qm9pack, a seeded choice in file order. QM9 is
CC0 (Ramakrishnan et al., Scientific Data 1 (2014) 140022).
"""

import gzip
import hashlib
import sys
from pathlib import Path

import numpy as np

from graphassay.datasets.molecules import qm9pack_rows

TARGET = (
    Path(__file__).parents[1] / "src" / "graphassay" / "datasets" / "data" / "qm9_sample.smi.gz"
)
N_MOLECULES = 5_000
SEED = 9


def main() -> None:
    """Write the sample and print the digest that the catalogue pins."""
    smiles = [text for _, text in qm9pack_rows()]
    chosen = np.random.default_rng(SEED).choice(len(smiles), size=N_MOLECULES, replace=False)
    text = "".join(f"{smiles[i]}\n" for i in np.sort(chosen)).encode()
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET
    with (
        target.open("wb") as raw,
        gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as packed,
    ):
        packed.write(text)
    print(
        f"{target}: {target.stat().st_size:,} bytes, text sha256 {hashlib.sha256(text).hexdigest()}"
    )


if __name__ == "__main__":
    main()
