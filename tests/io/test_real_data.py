"""Real files against their published numbers (DEFINITIONS 12)."""

import gzip
from pathlib import Path

import numpy as np
import pytest
from rdkit import Chem

from graphassay.graph import GraphSet, MoleculeOptions
from graphassay.io import read, write
from graphassay.molecules import molecules_to_graphs

TU = {  # graphs, mean |V|, mean |E|, max |V|, disconnected graphs (where published)
    "MUTAG": (188, 17.9, 19.8, 28, None),
    "PTC_MR": (344, 14.3, 14.7, 64, None),
    "ENZYMES": (600, 32.6, 62.1, 126, 31),
    "PROTEINS": (1113, 39.1, 72.8, 620, 46),
    "NCI1": (4110, 29.9, 32.3, 111, 580),
}


def n_disconnected(graphs: GraphSet) -> int:
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    n = len(graphs.vertex_labels)
    shift = np.repeat(graphs.vertex_offsets[:-1], graphs.edge_counts)
    ends = (graphs.edge_u + shift, graphs.edge_v + shift)
    matrix = coo_matrix((np.ones(len(ends[0])), ends), shape=(n, n))
    component = connected_components(matrix, directed=False)[1]
    graph_of = np.repeat(np.arange(len(graphs)), graphs.vertex_counts)
    pairs = np.unique(np.stack([graph_of, component]), axis=1)
    return int((np.bincount(pairs[0]) > 1).sum())


@pytest.mark.parametrize("name", TU)
def test_tu_statistics(name: str, shared: Path) -> None:
    graphs = read(shared / "tu" / f"{name}.zip")
    n, mean_v, mean_e, max_v, disconnected = TU[name]
    assert len(graphs) == graphs.intake.n_records == n
    assert round(float(graphs.vertex_counts.mean()), 1) == mean_v
    assert round(float(graphs.edge_counts.mean()), 1) == mean_e
    assert graphs.vertex_counts.max() == max_v
    assert disconnected in (None, n_disconnected(graphs))
    assert all(label.isdecimal() for label in graphs.vertex_label_names)


@pytest.mark.parametrize("name", ["a.gspan", "a.zip"])
def test_tu_sets_come_back(name: str, shared: Path, tmp_path: Path) -> None:
    graphs = read(shared / "tu" / "ENZYMES.zip")
    write(graphs, tmp_path / name)
    assert read(tmp_path / name).sha256() == graphs.sha256()


@pytest.mark.parametrize(
    ("name", "n", "n_v", "n_e"),
    [("Compound_422.gz", 422, 16714, 17854), ("Chemical_340.gz", 340, 9189, 9317)],
)
def test_gspan_files(name: str, n: int, n_v: int, n_e: int, shared: Path) -> None:
    graphs = read(shared / "gspan" / name)  # recognised by its content
    assert (len(graphs), len(graphs.vertex_labels), len(graphs.edge_u)) == (n, n_v, n_e)


def test_published_patterns_are_read_as_graphs(shared: Path) -> None:
    graphs = read(shared / "gspan" / "Compound_422.output.t0-0.2.gz")
    assert int((graphs.edge_counts > 0).sum()) == 932


@pytest.mark.parametrize(
    ("name", "n", "n_none"),
    [
        ("digress_moses", 25000, 3492),
        ("digress_qm9_noh", 10000, None),
        ("digress_qm9_withh", 10000, 397),
    ],
)
def test_failed_generations_are_counted(name: str, n: int, n_none: int, shared: Path) -> None:
    graphs = read(shared / "generated" / f"{name}.smi.gz")
    assert graphs.intake.n_records == n
    refused = {r.reason: r.n for r in graphs.intake.refused}
    with gzip.open(shared / "generated" / f"{name}.smi.gz", "rt") as file:
        assert refused.get("no molecule (None, NaN or empty)", 0) == file.read().count("None")
    assert n_none is None or refused == {"no molecule (None, NaN or empty)": n_none}


@pytest.mark.slow
def test_all_of_qm9_parses(shared: Path) -> None:
    graphs = read(shared / "qm9.smi.gz")
    assert len(graphs) == graphs.intake.n_records == 130_831
    assert set(graphs.vertex_label_names) == {"C", "N", "O", "F"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [MoleculeOptions(), MoleculeOptions(hydrogens="explicit-h"), MoleculeOptions(kekulize=True)],
)
def test_our_graphs_are_rdkits(options: MoleculeOptions, shared: Path, tmp_path: Path) -> None:
    with gzip.open(shared / "moses_test.csv.gz", "rt") as file:
        texts = file.read().split()[1:10_001]
    (tmp_path / "a.smi").write_text("\n".join(texts))
    ours = read(tmp_path / "a.smi", molecules=options)
    theirs = molecules_to_graphs(map(Chem.MolFromSmiles, texts), options)
    assert ours.sha256() == theirs.sha256()
