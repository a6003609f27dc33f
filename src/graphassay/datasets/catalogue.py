"""What each named set is, where it comes from, and under which licence."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["tu", "molecules", "generated"]


@dataclass(frozen=True)
class Dataset:
    """A named set.

    ``sha256`` pins the content: of a TU set's four structural files (`tu.content_digest`, so that
    any packaging of them will do), of the text of a list of molecules; None for sets made from a
    seed and for files of which several editions are about (their count is checked instead).
    """

    name: str
    title: str
    kind: Kind
    n_graphs: int
    origin: str
    licence: str
    citation: str
    sha256: str | None = None
    splits: tuple[str, ...] = ()


_TU_CITATION = "Morris et al., TUDataset, 2020, arXiv:2007.08663"
_TU_LICENCE = "no licence stated; free for research (see the TUDataset page)"
_QM9 = "Ramakrishnan, Dral, Rupp, von Lilienfeld, Scientific Data 1 (2014) 140022"
_PLANAR = "Martinkus et al., SPECTRE, ICML 2022 (construction)"

DATASETS: tuple[Dataset, ...] = (
    Dataset(
        "qm9-sample",
        "5,000 molecules of QM9, inside the package",
        "molecules",
        5_000,
        "qm9pack 1.0.3, a seeded choice",
        "CC0",
        _QM9,
        sha256="e6a807c437b629fa29cf98a7c9feff4930d481fd728058d32cb292a97a0fefdb",
    ),
    Dataset(
        "mutag",
        "MUTAG: nitro compounds",
        "tu",
        188,
        "TUDataset; offline from GraKeL's wheel where that is installed",
        _TU_LICENCE,
        _TU_CITATION,
        sha256="5bec95b75a15467adeaaf6c46a49eb5b9ab0154079a3af2ab762fa8761170fd1",
    ),
    Dataset(
        "ptc_mr",
        "PTC_MR: carcinogenicity in male rats",
        "tu",
        344,
        "TUDataset",
        _TU_LICENCE,
        _TU_CITATION,
        sha256="e57419bf40df5f98a61c571e3b6a6a964c4ea90c729dce498a56671cc42e22a2",
    ),
    Dataset(
        "enzymes",
        "ENZYMES: secondary structure of enzymes",
        "tu",
        600,
        "TUDataset",
        _TU_LICENCE,
        _TU_CITATION,
        sha256="3828acfbaa256c01218129f0b5b2ea4c16c045cc780f209d3fe6c300d7c1f66a",
    ),
    Dataset(
        "proteins",
        "PROTEINS: secondary structure of proteins",
        "tu",
        1_113,
        "TUDataset",
        _TU_LICENCE,
        _TU_CITATION,
        sha256="4cbedb9f023b5f7b2f866945000803a8b7c07e936f195aeee3e8e68b59a02fc0",
    ),
    Dataset(
        "nci1",
        "NCI1: screened against lung cancer",
        "tu",
        4_110,
        "TUDataset",
        _TU_LICENCE,
        _TU_CITATION,
        sha256="0421a4635e148e27c94a4beec0e587b0f7ed7bfb67deec09fa5db4505ab4b3ef",
    ),
    Dataset(
        "nci5k",
        "The first 5,000 molecules of the NCI set, inside RDKit's wheel",
        "molecules",
        4_991,
        "RDKit's data folder, NCI/first_5K.smi",
        "public domain (NCI); RDKit is BSD-3-Clause",
        "National Cancer Institute, Developmental Therapeutics Program",
    ),
    Dataset(
        "qm9",
        "QM9: molecules of up to nine heavy atoms",
        "molecules",
        130_831,
        "the PyPI package qm9pack (extra [qm9]), or a local copy of its SMILES",
        "CC0",
        _QM9,
        sha256="c64f091ab8a2f9eaca39e97df40ab8640f7093421431f320c6e93eef61cce307",
        splits=("train", "valid", "test"),
    ),
    Dataset(
        "moses",
        "MOSES: drug-like molecules of ZINC",
        "molecules",
        1_584_663,
        "a local copy of moses_train.csv and moses_test.csv (also in the wheel molsets)",
        "MIT",
        "Polykovskiy et al., Frontiers in Pharmacology 11 (2020) 565644",
        splits=("train", "test"),
    ),
    Dataset(
        "planar",
        "Delaunay triangulations of 64 uniform points",
        "generated",
        200,
        "made from a seed",
        "CC0",
        _PLANAR,
        splits=("train", "valid", "test"),
    ),
    Dataset(
        "sbm",
        "Stochastic block model: 2 to 5 blocks of 20 to 40 vertices",
        "generated",
        200,
        "made from a seed",
        "CC0",
        _PLANAR,
        splits=("train", "valid", "test"),
    ),
    Dataset(
        "random",
        "Erdos-Renyi graphs of 20 to 40 vertices, edge probability 0.1",
        "generated",
        200,
        "made from a seed",
        "CC0",
        "Gilbert, Ann. Math. Statist. 30 (1959) 1141",
    ),
)
