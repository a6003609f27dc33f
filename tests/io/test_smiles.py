"""SMILES files: what is a record, which column, and that the failures are counted."""

import gzip
from pathlib import Path

import numpy as np
import pytest
from rdkit import Chem

from graphassay.errors import GraphAssayError, InvalidInput
from graphassay.graph import Graph, GraphSet, MoleculeOptions
from graphassay.io import read, write
from graphassay.molecules import molecules_to_graphs, parallel
from graphassay.molecules.columns import MoleculeColumns

LINES = """smiles
CCO ethanol

  c1ccccc1\tbenzene
None
C(C)(C)(C)(C)C
c1cccc1
cC
xyz
nan
[Na+].[Cl-]
"""


def test_every_line_is_kept_or_refused_for_a_reason(tmp_path: Path) -> None:
    (tmp_path / "a.smi").write_text(LINES)
    graphs = read(tmp_path / "a.smi")
    assert graphs.sources.to_pylist() == ["CCO", "c1ccccc1", "[Na+].[Cl-]"]
    assert graphs.records.tolist() == [2, 4, 11]
    assert graphs[2] == Graph(("Na", "Cl"))
    assert [(r.reason, r.n, [e.place for e in r.examples]) for r in graphs.intake.refused] == [
        ("aromatic system without a Kekulé structure", 2, [7, 8]),
        ("no molecule (None, NaN or empty)", 2, [5, 10]),
        ("impossible valence", 1, [6]),
        ("not a SMILES", 1, [9]),
    ]
    assert graphs.intake.n_records == 9
    assert graphs.intake.notes == (
        "line 1 is a header",
        "1 blank lines skipped (no records)",
    )


@pytest.mark.parametrize(
    ("text", "column", "found"),
    [
        ("SMILES\nC\nCC\n", None, ["C", "CC"]),
        ("id,smiles,y\n1,C,0\n2,CC,1\n", None, ["C", "CC"]),
        ("id\tCanonical_SMILES\n1\tC\n2\tCC\n", None, ["C", "CC"]),
        ('a;my smiles\n"x;y";C\n"x\ny";CC\n', None, ["C", "CC"]),
        ("smiles,other\nO,C\nO,CC\n", "other", ["C", "CC"]),
        ('\ufeff"SMILES"\n"C"\n"CC"\n', None, ["C", "CC"]),
    ],
)
def test_columns(text: str, column: str | None, found: list[str], tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(text)
    graphs = read(tmp_path / "a.csv", column=column)
    assert graphs.sources.to_pylist() == found


def test_fields_of_a_table_are_whole_smiles(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('SMILES,n\n"",1\nC C,2\nC\nCC |$a;b$|,3\n,4\n')
    graphs = read(tmp_path / "a.csv")
    assert graphs.intake.n_records == 5
    assert graphs.records.tolist() == [4, 5]
    assert {r.reason: [e.place for e in r.examples] for r in graphs.intake.refused} == {
        "no molecule (None, NaN or empty)": [2, 6],
        "not a SMILES": [3],
    }


def test_processes_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "CHUNK", 7)
    rng = np.random.default_rng(0)
    texts = ["CCO", "None", "c1cc[nH]c1", "C[N+](=O)[O-]", "xyz", "[13CH4]", "C" * 300, "F/C=C/F"]
    (tmp_path / "a.smi").write_text("".join(f"{rng.choice(texts)}\n" for _ in range(100)))
    steps: list[tuple[int, int]] = []
    options = MoleculeOptions(charges=True, isotopes=True)
    one = read(tmp_path / "a.smi", molecules=options, processes=1)
    two = read(
        tmp_path / "a.smi",
        molecules=options,
        processes=2,
        progress=lambda done, total: steps.append((done, total)),
    )
    assert two.sha256() == one.sha256()
    assert two.intake == one.intake
    assert two.sources.equals(one.sources)
    assert two.records.tolist() == one.records.tolist()
    assert steps == [(min(n, 100), 100) for n in range(7, 106, 7)]


def test_a_dead_process_is_an_error_not_a_hang(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "CHUNK", 2)
    monkeypatch.setattr(parallel.sys, "executable", "/bin/false")
    with pytest.raises(GraphAssayError, match="a process that read molecules died"):
        list(
            parallel.parse_in_parallel(
                ["C"] * 9, range(9), "smiles", MoleculeOptions(), processes=2
            )
        )


def test_interrupted_parsing_leaves_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "CHUNK", 2)
    started = []
    start = parallel._start
    monkeypatch.setattr(parallel, "_start", lambda *a: started.append(start(*a)) or started[-1])

    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    run = parallel.parse_in_parallel(
        ["C"] * 99, range(99), "smiles", MoleculeOptions(), processes=2, progress=interrupt
    )
    with pytest.raises(KeyboardInterrupt):
        list(run)
    assert len(started) == 2
    assert all(process.returncode is not None for process in started)


def test_gzip_members_and_padding(tmp_path: Path) -> None:
    data = gzip.compress(b"C\n") + gzip.compress(b"CC\n") + b"\0" * 512
    (tmp_path / "a.smi.gz").write_bytes(data)
    assert read(tmp_path / "a.smi.gz").sources.to_pylist() == ["C", "CC"]


def test_written_smiles_are_the_sources_where_those_are_faithful(tmp_path: Path) -> None:
    (tmp_path / "a.smi").write_text("C[C@H](N)O\nOCC\nc1cc[nH]c1\n")
    graphs = read(tmp_path / "a.smi")
    report = write(graphs, tmp_path / "b.smi")
    assert (tmp_path / "b.smi").read_text() == "C[C@H](N)O\nOCC\nc1cc[nH]c1\n"
    assert report.n_kept == 3
    bare = GraphSet.from_graphs(list(graphs), molecules=graphs.molecules)
    write(bare, tmp_path / "c.csv")
    assert (tmp_path / "c.csv").read_text() == "SMILES\nCC(N)O\nCCO\nc1cc[nH]c1\n"


def test_what_is_no_molecule_is_counted_not_written(tmp_path: Path) -> None:
    graphs = GraphSet.from_graphs([Graph("CO", [(0, 1, "-")]), Graph("FFF", [(0, 1, "#")])])
    report = write(graphs, tmp_path / "a.smi")
    assert (tmp_path / "a.smi").read_text() == "CO\n"
    assert (report.n_kept, report.n_records) == (1, 2)
    assert report.refused[0].reason == "graph is no valid molecule"
    with pytest.raises(InvalidInput, match="graph 2: graph is no valid molecule"):
        write(graphs, tmp_path / "b.smi", strict=True)
    assert not (tmp_path / "b.smi").exists()


def test_sdf(tmp_path: Path) -> None:
    smiles = ["CC(=O)O", "c1cc[nH]c1", "C[N+](=O)[O-]", "[Na+].[Cl-]"]
    mols = [Chem.MolFromSmiles(s) for s in smiles]
    with Chem.SDWriter(str(tmp_path / "a.sdf")) as writer:
        for mol, name in zip(mols, smiles, strict=True):
            mol.SetProp("_Name", name)
            mol.SetProp("weight", "$$$$ is no end of record here")
            writer.write(mol)
    text = (tmp_path / "a.sdf").read_text()
    (tmp_path / "b.sdf").write_bytes((text + "broken\n$$$$\n").replace("\n", "\r\n").encode())
    for name, n_records in (("a.sdf", 4), ("b.sdf", 5)):
        graphs = read(tmp_path / name)
        assert graphs.sources.to_pylist() == smiles
        assert list(graphs) == list(molecules_to_graphs(mols))
        assert graphs.intake.n_records == n_records
    write(graphs, tmp_path / "c.sdf.gz")
    assert list(read(tmp_path / "c.sdf.gz")) == list(graphs)
    theirs = Chem.SDMolSupplier()
    theirs.SetData(gzip.decompress((tmp_path / "c.sdf.gz").read_bytes()).decode())
    assert [Chem.MolToSmiles(m) for m in theirs] == [Chem.MolToSmiles(m) for m in mols]


HARD = [
    *("[H][H]", "[H]C([H])([H])[H]", "[2H]C", "C/C=C/C", "C[C@H](F)Cl", "CN(=O)=O", "*C", "[Fe+2]"),
    *("O=c1[nH]cc[nH]1", "N1C=CC=C1", "C[Si](C)(C)C", "[NH4+].[OH-]", "c1ccc2c(c1)[nH]c1ccccc12"),
    *("[CH3]", "C=[N+]=[N-]", "[O-][n+]1ccccc1", "OCl(=O)(=O)=O", "F[P-](F)(F)(F)(F)F", "C$C"),
]


@pytest.mark.parametrize("options", [MoleculeOptions(), MoleculeOptions(hydrogens="explicit-h")])
def test_the_short_way_gives_rdkits_own_graphs(options: MoleculeOptions, tmp_path: Path) -> None:
    """Skipped sanitization steps and our reader of RDKit's binary form change no graph."""
    (tmp_path / "a.smi").write_text("\n".join(HARD))
    graphs = read(tmp_path / "a.smi", molecules=options)
    assert not graphs.intake.refused
    heavy = options.hydrogens == "heavy"
    mols = [Chem.MolFromSmiles(s) for s in HARD]
    mols = mols if heavy else [Chem.AddHs(mol) for mol in mols]
    slow = MoleculeColumns.from_molecules_slowly(mols)
    assert graphs.vertex_counts.tolist() == slow.vertex_counts.tolist()
    assert graphs.edge_counts.tolist() == slow.edge_counts.tolist()
    if heavy:  # atoms in the same order too
        symbols = [atom.GetSymbol() for mol in mols for atom in mol.GetAtoms()]
        assert [graphs.vertex_label_names[i] for i in graphs.vertex_labels] == symbols
        assert graphs.edge_u.tolist() == slow.edge_u.tolist()
        assert graphs.edge_v.tolist() == slow.edge_v.tolist()


def test_rdkits_verdict_is_ours_on_5000_nci_molecules(tmp_path: Path) -> None:
    from rdkit import RDConfig

    path = Path(RDConfig.RDDataDir) / "NCI" / "first_5K.smi"
    graphs = read(path)
    texts = [line.split()[0] for line in path.read_text().splitlines() if line.strip()]
    mols = [mol for mol in map(Chem.MolFromSmiles, texts) if mol is not None]
    assert len(graphs) == len(mols)
    assert graphs.sha256() == molecules_to_graphs(mols).sha256()
