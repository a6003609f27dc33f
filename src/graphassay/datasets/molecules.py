"""Lists of molecules: inside the package, inside other packages, or a local copy."""

import csv
import gzip
import hashlib
import importlib.util
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from importlib import resources
from pathlib import Path

import numpy as np
import numpy.typing as npt

from graphassay import io
from graphassay.datasets.catalogue import Dataset
from graphassay.datasets.local import find_file
from graphassay.errors import MissingDependency, UnreadableFile
from graphassay.graph import GraphSet, MoleculeOptions

N_QM9_ROWS = 133_885
"""Rows of QM9 with the 3,054 that failed its authors' consistency check."""


def load(
    dataset: Dataset,
    *,
    split: str | None,
    source: Path | None,
    molecules: MoleculeOptions,
) -> GraphSet:
    """Read a list of molecules."""
    if dataset.name == "moses":
        split = split or "train"
        names = (f"moses_{split}.csv.gz", f"moses_{split}.csv", f"{split}.csv", f"{split}.csv.gz")
        path = find_file(
            names,
            source,
            what="moses",
            remedy="copy it from the wheel molsets or https://github.com/molecularsets/moses",
        )
        return io.read(path, molecules=molecules)
    if dataset.name == "nci5k":
        from rdkit import RDConfig

        return io.read(Path(RDConfig.RDDataDir) / "NCI" / "first_5K.smi", molecules=molecules)
    if dataset.name == "qm9-sample":
        text = gzip.decompress(
            resources.files("graphassay.datasets").joinpath("data/qm9_sample.smi.gz").read_bytes()
        ).decode()
        return _from_smiles(text.split(), dataset, molecules=molecules)
    rows = _qm9(dataset, source)
    if split is None:
        return _from_smiles([smiles for _, smiles in rows], dataset, molecules=molecules)
    chosen = qm9_split([index for index, _ in rows], split)
    kept = replace(dataset, sha256=None)
    return _from_smiles([rows[i][1] for i in chosen.tolist()], kept, molecules=molecules)


def qm9_split(indices: list[int], split: str) -> npt.NDArray[np.int64]:
    """Positions of a split in the rows that exist.

    The rows 0..133,884 are shuffled by ``RandomState(42)``, which is what pandas'
    ``sample(frac=1, random_state=42)`` does; the first 100,000 are train, the last 13,388 test,
    the rest valid; rows that are missing are skipped: 97,734 / 20,042 / 13,055 remain.

    Args:
        indices: QM9's 1-based index of every row that exists.
        split: ``train``, ``valid`` or ``test``.
    """
    order = np.random.RandomState(42).choice(N_QM9_ROWS, size=N_QM9_ROWS, replace=False)
    part = {
        "train": order[:100_000],
        "valid": order[100_000:-13_388],
        "test": order[-13_388:],
    }[split]
    place = np.full(N_QM9_ROWS, -1, dtype=np.int64)
    place[np.asarray(indices) - 1] = np.arange(len(indices))
    return place[part][place[part] >= 0]


def qm9pack_rows() -> Iterator[tuple[int, str]]:
    """Index and SMILES of every molecule in the installed package ``qm9pack``.

    Its CSV files are read as files, because importing the package needs ``pkg_resources``.

    Raises:
        MissingDependency: it is not installed.
    """
    package = importlib.util.find_spec("qm9pack")
    if package is None or not package.submodule_search_locations:
        raise MissingDependency(
            "QM9 comes from the package qm9pack: pip install 'graphassay[qm9]', or name a local "
            "copy of its SMILES (--from)"
        )
    folder = Path(package.submodule_search_locations[0]) / "data"
    csv.field_size_limit(2**30)  # the coordinates are long fields
    for part in (1, 2, 3):
        with (folder / f"qm9_part{part}.csv").open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                yield int(row["Index"]), row["SMILES"]


def _qm9(dataset: Dataset, source: Path | None) -> list[tuple[int, str]]:
    if source is None:
        try:
            return list(qm9pack_rows())
        except MissingDependency:
            try:
                return _qm9_copy(dataset, None)
            except UnreadableFile:
                pass
            raise
    return _qm9_copy(dataset, source)


def _qm9_copy(dataset: Dataset, source: Path | None) -> list[tuple[int, str]]:
    """Rows of a plain list of SMILES in QM9's order; the missing indices are known."""
    path = find_file(
        ("qm9.smi.gz", "qm9.smi"), source, what="qm9", remedy="install 'graphassay[qm9]'"
    )
    data = path.read_bytes()
    text = gzip.decompress(data) if path.suffix == ".gz" else data
    smiles = text.decode().split()
    if len(smiles) != dataset.n_graphs:
        raise UnreadableFile(f"{path}: expected {dataset.n_graphs:,} SMILES, got {len(smiles):,}")
    missing = resources.files("graphassay.datasets").joinpath("data/qm9_missing.txt").read_text()
    present = np.ones(N_QM9_ROWS, dtype=bool)
    present[np.array(missing.split(), dtype=np.int64) - 1] = False
    return list(zip((np.flatnonzero(present) + 1).tolist(), smiles, strict=True))


def _from_smiles(smiles: list[str], dataset: Dataset, *, molecules: MoleculeOptions) -> GraphSet:
    text = "".join(f"{line}\n" for line in smiles).encode()
    found = hashlib.sha256(text).hexdigest()
    if dataset.sha256 not in (None, found):
        raise UnreadableFile(
            f"{dataset.name}: its content is not the known one (sha256 {found[:12]}…, expected "
            f"{(dataset.sha256 or '')[:12]}…)"
        )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{dataset.name}.smi"
        path.write_bytes(text)
        graphs = io.read(path, molecules=molecules)
    if graphs.intake is None:
        return graphs
    return replace(graphs, intake=replace(graphs.intake, source=dataset.name, sha256=found))
