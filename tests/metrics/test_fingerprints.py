"""Diversity and nearest neighbours against RDKit's own similarity, pair by pair."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphassay import datasets
from graphassay.errors import InvalidInput
from graphassay.metrics import fingerprints
from graphassay.metrics.fingerprints import internal_diversity, nearest_similarity
from graphassay.molecules.features import describe
from graphassay.results import Undefined


@pytest.fixture(scope="module")
def bits() -> np.ndarray:
    smiles = datasets.load("qm9-sample").sources.to_pylist()[:120]
    return describe(smiles, ["fingerprint"]).fingerprint


@pytest.fixture(scope="module")
def pairwise() -> np.ndarray:
    from rdkit import Chem, DataStructs
    from rdkit.Chem import rdFingerprintGenerator

    generator = rdFingerprintGenerator.GetMorganGenerator(radius=2, fpSize=1024)
    smiles = datasets.load("qm9-sample").sources.to_pylist()[:120]
    prints = [generator.GetFingerprint(Chem.MolFromSmiles(text)) for text in smiles]
    return np.array([DataStructs.BulkTanimotoSimilarity(p, prints) for p in prints])


@pytest.mark.parametrize("block", [7, 64, 2048])
def test_as_rdkit_has_it(
    bits: np.ndarray, pairwise: np.ndarray, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fingerprints, "BLOCK", block)
    assert internal_diversity(bits).value == pytest.approx(1 - pairwise.mean(), abs=1e-6)
    expected = 1 - np.sqrt((pairwise**2).mean(axis=1)).mean()
    assert internal_diversity(bits, power=2).value == pytest.approx(expected, abs=1e-6)
    nearest = pairwise[:50, 50:].max(axis=1)
    found = nearest_similarity(bits[:50], bits[50:])
    assert found.value == pytest.approx(nearest.mean(), abs=1e-6)
    assert found.n == 50


@pytest.mark.parametrize("power", [1, 2])
def test_the_interval_is_as_wide_as_fresh_samples_differ(power: int) -> None:
    smiles = datasets.load("qm9-sample").sources.to_pylist()
    every = describe(smiles, ["fingerprint"]).fingerprint
    rng = np.random.default_rng(0)
    found = [
        internal_diversity(every[rng.choice(len(every), 60, replace=False)], power=power)
        for _ in range(30)
    ]
    spread = np.std([one.value for one in found])
    stated = np.mean([(one.high - one.low) / (2 * 1.96) for one in found])
    assert stated == pytest.approx(spread, rel=0.5)


def test_degenerate_sets(bits: np.ndarray) -> None:
    none = bits[:0]
    assert isinstance(internal_diversity(none).value, Undefined)
    single = internal_diversity(bits[:1])
    assert single.value == pytest.approx(0, abs=1e-7)
    assert isinstance(single.low, Undefined)
    assert nearest_similarity(none, bits).value == Undefined("no generated molecules")
    assert nearest_similarity(bits, none).value == Undefined("no reference molecules")
    blank = np.zeros((2, 128), dtype=np.uint8)
    assert internal_diversity(blank).value == 0.0  # two empty fingerprints are the same
    with pytest.raises(InvalidInput, match="power"):
        internal_diversity(bits, power=0)


@given(st.integers(0, 1000))
def test_properties(seed: int) -> None:
    rng = np.random.default_rng(seed)
    some = rng.integers(0, 256, (6, 4), dtype=np.uint8)
    order = rng.permutation(6)
    assert internal_diversity(some[order]).value == pytest.approx(internal_diversity(some).value)
    assert nearest_similarity(some, some).value == pytest.approx(1)
    assert 0 <= internal_diversity(some, power=2).value <= internal_diversity(some).value + 1e-9
