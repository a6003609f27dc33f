"""Which runs are one model, which are repeats with other seeds, and what tables call them."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from graphassay.lm.history import step_of
from graphassay.lm.run import Run


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
