"""Fuzz one reader with atheris: ``python tests/fuzz/fuzz_readers.py gspan -max_total_time=20``.

Starts from (and libFuzzer may add to) the folder named last; `make fuzz` runs every target for a
bounded time on a copy of the corpus. A crash leaves a file ``crash-…``: put it into the corpus.
"""

import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["graphassay"]):
    from fuzz_property import check

    import graphassay.io
    import graphassay.io.arrow
    import graphassay.io.graph6
    import graphassay.io.graphml
    import graphassay.io.gspan
    import graphassay.io.jsonl
    import graphassay.io.npz
    import graphassay.io.sdf
    import graphassay.io.smiles
    import graphassay.io.tu  # noqa: F401


def main() -> None:
    target = sys.argv.pop(1)
    shm = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=shm if shm.is_dir() else None) as folder:
        atheris.Setup(sys.argv, lambda data: check(target, data, Path(folder)))
        atheris.Fuzz()


if __name__ == "__main__":
    main()
