"""What a run is: which are repeats under other seeds, what tables call it, how it was made."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from graphassay.graph import GraphSet
from graphassay.lm.config import TrainConfig
from graphassay.lm.history import step_of, tokens_at, valid_nats_per_token
from graphassay.lm.run import Run
from graphassay.results import Undefined
from graphassay.results.model import ModelSummary


def family_of(run: Run) -> str:
    """Names what a run shares with its repeats under other training seeds, in 16 hex digits.

    A digest of the configuration without its seed, the data, the number of processes (they
    multiply the batch) and, of a checkpoint, its step.
    """
    record = run.record
    shared = {
        "config": {name: value for name, value in record.config.items() if name != "seed"},
        "data": record.data["sha256"],
        "processes": record.versions.get("processes", "1"),
        "step": None if run.folder == run.root else step_of(run),
    }
    text = json.dumps(shared, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def run_names(runs: Sequence[Run]) -> dict[Path, str]:
    """What tables call each run, by its ``folder``: different folders get different names.

    The folder's own name, with the run's before it where it is a checkpoint; folders above are
    added only where two names would be the same.
    """
    folders = {run.folder: run.folder.resolve() for run in runs}
    depths = {run.folder: 1 if run.folder == run.root else 2 for run in runs}
    while True:
        named = {key: "/".join(full.parts[-depths[key] :]) for key, full in folders.items()}
        called: dict[str, set[Path]] = {}
        for key, name in named.items():
            called.setdefault(name, set()).add(folders[key])
        shared = [key for key, name in named.items() if len(called[name]) > 1]
        if not shared:
            return named
        for key in shared:
            depths[key] += 1


def summarize(run: Run, test: GraphSet, *, name: str) -> ModelSummary:
    """How the run was made, from its record.

    Args:
        run: the run, or a checkpoint.
        test: where training has not finished, its tokens are estimated by those of these graphs.
        name: what to call it.
    """
    lengths = run.linearizer.batch(test[:500], seed=0, on_refusal="skip").lengths
    mean_tokens = float(lengths.mean()) - 1 if len(lengths) else 0.0
    config = TrainConfig.from_dict(run.record.config)
    valid = valid_nats_per_token(run)
    return ModelSummary(
        run=name,
        fingerprint=run.fingerprint(),
        serialization=run.linearizer.name,
        n_parameters=config.shape.n_parameters(len(run.linearizer.vocabulary)),
        n_steps=step_of(run),
        n_tokens=tokens_at(run, step_of(run), mean_tokens=mean_tokens),
        n_train=len(run.splits().train),
        seed=config.seed,
        valid_nats_per_token=Undefined("the run did not validate at this step")
        if valid is None
        else valid,
    )
