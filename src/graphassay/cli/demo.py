"""``graphassay demo``: the main job on embedded molecules, with a known answer."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from graphassay.cli.audit import audit
from graphassay.cli.common import Seed, Threads, say, writing

N_TRAIN = 3000
"""Of the 5,000 embedded molecules, at random; the rest is the holdout."""


def demo(
    *,
    out: Annotated[Path, typer.Option("--out", help="Folder for the reports.")] = Path(
        "demo-report"
    ),
    seed: Seed = 0,
    threads: Threads = None,
) -> None:
    """Audit two generated sets whose answer is known: copies with a few edits, and a rewiring.

    Example: graphassay demo --out demo-report
    """
    import numpy as np

    from graphassay import datasets, io
    from graphassay.baselines.edits import demo_sets
    from graphassay.graph import MoleculeOptions
    from graphassay.report import compare_reports
    from graphassay.results import load

    with writing(out):
        (out / "inputs").mkdir(parents=True, exist_ok=True)
    # Kekulized, because a rewired molecule seldom keeps an aromatic ring that SMILES can write.
    molecules = datasets.load("qm9-sample", molecules=MoleculeOptions(kekulize=True))
    order = np.random.default_rng(seed).permutation(len(molecules))
    files = {
        "train": molecules.take(order[:N_TRAIN]),
        "holdout": molecules.take(order[N_TRAIN:]),
    }
    files |= demo_sets(files["train"], seed=seed)
    for name, graphs in files.items():
        io.write(graphs, out / "inputs" / f"{name}.smi")
    results = []
    for name in ("edited-copies", "rewired"):
        say(f"\n== {name}")
        audit(
            train=str(out / "inputs" / "train.smi"),
            generated=str(out / "inputs" / f"{name}.smi"),
            holdout=str(out / "inputs" / "holdout.smi"),
            out=out / name,
            kekulize=True,
            seed=seed,
            threads=threads,
        )
        sys.stdout.flush()
        results.append(load(out / name))
    page = compare_reports(results, out / "compare.html")
    typer.echo(f"\nBoth side by side: {page}")
