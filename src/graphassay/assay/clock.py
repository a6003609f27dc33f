"""How long the phases of an audit take, and the record of how it was made."""

import platform
import shlex
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib import metadata

from graphassay import __version__
from graphassay.cores import n_cores
from graphassay.results import Provenance


@dataclass
class Clock:
    """Times the phases and tells the caller of each."""

    progress: Callable[[str], None] | None
    started: float = field(default_factory=time.perf_counter)
    phases_s: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Time a block under a name."""
        if self.progress is not None:
            self.progress(name)
        start = time.perf_counter()
        yield
        self.phases_s[name] = round(time.perf_counter() - start, 4)

    def provenance(self, *, command: str | None, seed: int, threads: int | None) -> Provenance:
        """The record so far; arguments as of `graphassay.assay.memorization.run_audit`."""
        return Provenance(
            command=shlex.join(sys.argv) if command is None else command,
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            elapsed_s=round(time.perf_counter() - self.started, 4),
            seed=seed,
            threads=threads or n_cores(),
            versions={
                "graphassay": __version__,
                "python": platform.python_version(),
                **{package: metadata.version(package) for package in ("numpy", "rdkit", "scipy")},
            },
            phases_s=self.phases_s,
        )
