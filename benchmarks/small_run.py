"""A tiny model trained for a minute on QM9 with explicit hydrogens, for the benchmarks."""

import gzip
import os
import random
from pathlib import Path

import graphassay.lm  # noqa: F401 (first: asks OpenMP to sleep before torch loads it)
from graphassay.graph import GraphSet, MoleculeOptions
from graphassay.io import read
from graphassay.lm.config import TrainConfig
from graphassay.lm.run import Run
from graphassay.lm.train import train

SHARED = Path(os.environ.get("GRAPHASSAY_SHARED", Path(__file__).parents[2] / "shared" / "data"))
FOLDER = Path(__file__).parents[1] / "build" / "benchmark-run"


def qm9(n: int) -> GraphSet:
    """The first ``n`` molecules of a fixed shuffle of QM9, hydrogens explicit."""
    with gzip.open(SHARED / "qm9.smi.gz", "rt") as file:
        lines = file.read().splitlines()
    random.Random(0).shuffle(lines)
    path = FOLDER.with_name(f"qm9-{n}.smi")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines[:n]))
    return read(path, molecules=MoleculeOptions(hydrogens="explicit-h"))


def small_run() -> Run:
    """Trained once, then found again."""
    config = TrainConfig(
        serialization="sent:random",
        size="tiny",
        steps=40,
        batch_size=32,
        learning_rate=2e-3,
        warmup_share=0.1,
        precision="bf16",
        checkpoints=1,
        resume_steps=10,
        valid_share=0.01,
    )
    return train(qm9(6000), FOLDER, config, source="QM9", device="cpu", progress=print).run
