"""Every kept fuzz input, and some mutations of each, through the reader it was found for."""

from pathlib import Path

import pytest
from fuzz_property import NAMES, check, mutations

CORPUS = Path(__file__).parent / "corpus"
SAMPLES = sorted(path for path in CORPUS.glob("*/*") if path.is_file())


def test_every_target_has_a_corpus() -> None:
    assert {path.parent.name for path in SAMPLES} == set(NAMES)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_sample(sample: Path, tmp_path: Path) -> None:
    data = sample.read_bytes()
    for mutated in [data, *mutations(data, 10, seed=len(data))]:
        check(sample.parent.name, mutated, tmp_path)
