"""``graphassay demo``: the main job on embedded molecules, on a model trained here and now."""

import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphassay.cli.audit import audit
from graphassay.cli.common import Seed, Threads, say, writing

if TYPE_CHECKING:
    from graphassay.graph import GraphSet
    from graphassay.lm.run import Run
    from graphassay.results import AuditResult

TRAIN_SHARE = 0.58
"""Of the 5,000 embedded molecules, at random; the rest is the holdout."""

RECIPE: dict[str, Any] = {
    "serialization": "dfs",
    "train_share": TRAIN_SHARE,
    "valid_share": 0.05,
    "size": "custom",
    "layers": 4,
    "hidden": 128,
    "heads": 4,
    "ffn": 512,
    "learning_rate": 2e-3,
    "warmup_share": 0.05,
    "steps": 1500,
    "precision": "bf16",
    "checkpoints": 4,
    "log_steps": 100,
}
"""Small enough for about two minutes on two cores, long enough to begin to memorize."""

N_KNOWN = 650
"""Graphs in each set whose answer is known; twice as many stay in the holdout."""

KNOWN = {
    "edited-copies": "resampled from train, one in ten edited: must be called memorized",
    "rewired": "train with its bonds rewired: must be called misaligned",
    "fresh-real": "real molecules that are not in train: what a perfect generator would give",
}


def demo(
    *,
    out: Annotated[Path, typer.Option("--out", help="Folder for the reports.")] = Path(
        "demo-report"
    ),
    steps: Annotated[
        int, typer.Option("--steps", min=1, help="Training steps of the model.")
    ] = RECIPE["steps"],
    seed: Seed = 0,
    threads: Threads = None,
) -> None:
    """Train a small language model on 2,900 molecules, sample 1,024 and audit them.

    Beside it, three sets whose answer is known. Needs the extra [lm] for the model; without it,
    only those three. Started again after a crash, it goes on.

    Example: graphassay demo --out demo-report
    """
    with writing(out):
        (out / "inputs").mkdir(parents=True, exist_ok=True)
    shared: dict[str, Any] = {"seed": seed, "threads": threads}
    molecules = _embedded(out / "inputs" / "molecules.smi")
    results, run = [], None
    if importlib.util.find_spec("torch") and importlib.util.find_spec("transformers"):
        run = _train(molecules, out, steps=steps, seed=seed, threads=threads)
        say("\n== language-model: 1,024 samples, and as many from each checkpoint")
        model: dict[str, Any] = {"run": [out / "run"], "name": "language model"}
        model |= {"decoding": "pure_sample", "trajectory": True}
        results.append(_audit(out / "language-model", **model, **shared))
    else:
        say("No language model: torch or transformers is missing (extra [lm]).")
    files = _known_sets(molecules, run, out / "inputs", seed)
    for name, what in KNOWN.items():
        say(f"\n== {name}: {what}")
        given = {"train": files["train"], "generated": files[name], "holdout": files["holdout"]}
        results.append(_audit(out / name, kekulize=True, **given, **shared))
    from graphassay.report import compare_reports

    page = compare_reports(results, out / "compare.html")
    typer.echo(f"\nAll side by side: {page}")
    if run is not None:
        typer.echo(f"The model's report: {out / 'language-model' / 'report.html'}")


def _embedded(path: Path) -> "GraphSet":
    """The embedded molecules, from a file that the run can name as its source.

    Kekulized, because a rewired molecule seldom keeps an aromatic ring that SMILES can write.
    """
    from graphassay import datasets, io
    from graphassay.graph import MoleculeOptions

    options = MoleculeOptions(kekulize=True)
    io.write(datasets.load("qm9-sample", molecules=options), path)
    return io.read(path, molecules=options)


def _train(
    molecules: "GraphSet", out: Path, *, steps: int, seed: int, threads: int | None
) -> "Run":
    import torch

    import graphassay.lm  # first: asks OpenMP to sleep before torch loads it
    from graphassay.lm.config import TrainConfig
    from graphassay.lm.train import train
    from graphassay.lm.trainer import TrainProgress

    del graphassay
    if threads is not None:
        torch.set_num_threads(threads)

    def show(at: TrainProgress) -> None:
        if at.loss is not None:
            say(f"step {at.step:,} of {at.n_steps:,}, loss {at.loss:.3f}")

    config = TrainConfig.from_dict(RECIPE | {"seed": seed, "steps": steps})
    source = str(out / "inputs" / "molecules.smi")
    say(f"== training a language model: {steps:,} steps on {TRAIN_SHARE:.0%} of {source}")
    return train(molecules, out / "run", config, source=source, progress=show).run


def _known_sets(
    molecules: "GraphSet", run: "Run | None", folder: Path, seed: int
) -> dict[str, str]:
    """Files of train, holdout and the sets of `KNOWN`; train is the run's own."""
    import numpy as np

    from graphassay import io
    from graphassay.baselines.edits import demo_sets

    if run is None:
        order = np.random.default_rng(seed).permutation(len(molecules))
        chosen, unseen = np.split(order, [round(TRAIN_SHARE * len(molecules))])
    else:
        splits = run.splits()
        chosen, unseen = splits.train, np.concatenate([splits.valid, splits.test])
        unseen = np.random.default_rng(seed).permutation(unseen)
    fresh, held = np.split(unseen, [N_KNOWN])
    sets = {"train": molecules.take(chosen), "holdout": molecules.take(held)}
    sets |= demo_sets(sets["train"], n_generated=N_KNOWN, seed=seed) | {
        "fresh-real": molecules.take(fresh)
    }
    for name, graphs in sets.items():
        io.write(graphs, folder / f"{name}.smi")
    return {name: str(folder / f"{name}.smi") for name in sets}


def _audit(out: Path, **options: Any) -> "AuditResult":
    """One audit, printed; then read back from its folder."""
    from graphassay.results import load

    audit(out=out, **options)
    sys.stdout.flush()
    return load(out)
