import gzip
import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from graphassay import datasets
from graphassay.datasets import molecules
from graphassay.datasets.molecules import qm9_split
from graphassay.errors import MissingDependency, UnreadableFile
from graphassay.graph import MoleculeOptions

SAMPLE = Path(molecules.__file__).parent / "data" / "qm9_sample.smi.gz"


@pytest.fixture
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("GRAPHASSAY_SHARED", raising=False)
    monkeypatch.setenv("GRAPHASSAY_CACHE", str(tmp_path))
    return tmp_path


def test_the_embedded_sample_is_5000_molecules_of_qm9() -> None:
    sample = datasets.load("qm9-sample")
    assert len(sample) == 5000
    assert set(sample.vertex_label_names) == {"C", "N", "O", "F"}
    assert sample.vertex_counts.max() == 9
    assert sample.intake.source == "qm9-sample"
    assert sample.intake.n_refused == 0
    assert sample.sources[0].as_py()
    explicit = datasets.load("qm9-sample", molecules=MoleculeOptions(hydrogens="explicit-h"))
    assert "H" in explicit.vertex_label_names


def test_the_sample_is_part_of_qm9(shared: Path) -> None:
    every = set(gzip.decompress((shared / "qm9.smi.gz").read_bytes()).decode().split())
    assert set(gzip.decompress(SAMPLE.read_bytes()).decode().split()) <= every


def test_the_published_split_of_qm9() -> None:
    missing = (SAMPLE.parent / "qm9_missing.txt").read_text().split()
    present = sorted(set(range(1, 133_886)) - {int(i) for i in missing})
    assert len(present) == 130_831
    parts = {split: qm9_split(present, split) for split in ("train", "valid", "test")}
    assert [len(p) for p in parts.values()] == [97_734, 20_042, 13_055]
    assert len(set().union(*(p.tolist() for p in parts.values()))) == 130_831


@pytest.mark.slow
def test_qm9_from_its_package_and_from_a_copy(shared: Path) -> None:
    pytest.importorskip("pandas")
    test = datasets.load("qm9", split="test", source=shared)
    assert len(test) == 13_055
    if importlib.util.find_spec("qm9pack"):
        again = datasets.load("qm9", split="test")
        assert again.sources.equals(test.sources)


def test_qm9_without_its_package(alone: Path, monkeypatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda *_: None)
    with pytest.raises(MissingDependency, match=r"pip install 'graphassay\[qm9\]'"):
        datasets.load("qm9")
    (alone / "qm9.smi").write_text("C\nN\n")
    with pytest.raises(MissingDependency, match="qm9pack"):
        datasets.load("qm9")
    with pytest.raises(UnreadableFile, match="expected 130,831 SMILES, got 2"):
        datasets.load("qm9", source=alone)


def test_another_content_is_refused(alone: Path) -> None:
    (alone / "qm9.smi").write_text("C\n" * 130_831)
    with pytest.raises(UnreadableFile, match="qm9: its content is not the known one"):
        datasets.load("qm9", source=alone)


def test_moses_is_read_from_a_local_copy(alone: Path) -> None:
    with pytest.raises(UnreadableFile, match=r"moses: expected one of moses_train\.csv\.gz"):
        datasets.load("moses")
    (alone / "moses_test.csv").write_text("SMILES,SPLIT\nCCO,test\nc1ccccc1,test\n")
    assert len(datasets.load("moses", split="test")) == 2
    assert len(datasets.load("moses", split="test", source=alone / "moses_test.csv")) == 2


def test_nci5k_comes_with_rdkit() -> None:
    nci = datasets.load("nci5k")
    assert abs(len(nci) - 4991) <= 1
    assert nci.intake.n_records == 4999


def test_the_sample_can_be_rebuilt(tmp_path: Path) -> None:
    if not importlib.util.find_spec("qm9pack"):
        pytest.skip("needs qm9pack")
    tool = Path(__file__).parents[2] / "tools" / "make_qm9_sample.py"
    target = tmp_path / "sample.smi.gz"
    subprocess.run([sys.executable, tool, target], check=True, capture_output=True)
    assert gzip.decompress(target.read_bytes()) == gzip.decompress(SAMPLE.read_bytes())
