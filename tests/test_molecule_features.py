"""Features of molecules: known values, empty rows, and the same from several processes."""

import math

import numpy as np
import pytest

from graphassay import datasets
from graphassay.molecules import features
from graphassay.molecules.features import FINGERPRINT, PROPERTIES, TEXTS, Features, describe

ALL = (*TEXTS, *PROPERTIES, FINGERPRINT)
ASPIRIN = "CC(=O)Oc1ccccc1C(=O)O"


def _same(a: Features, b: Features) -> bool:
    return (
        (a.smiles, a.scaffold, a.fragments) == (b.smiles, b.scaffold, b.fragments)
        and all(np.array_equal(a.values[k], b.values[k], equal_nan=True) for k in a.values)
        and np.array_equal(a.fingerprint, b.fingerprint)
    )


def test_aspirin() -> None:
    found = describe(["O=C(C)Oc1ccccc1C(=O)O"], ALL)
    assert found.smiles == (ASPIRIN,)
    assert found.scaffold == ("",)  # a single ring
    assert sorted(found.fragments[0].split(".")) == ["[1*]C(C)=O", "[16*]c1ccccc1[16*]", "[3*]O[3*]", "[6*]C(=O)O"]  # fmt: skip  # noqa: E501
    assert found.values["weight"][0] == pytest.approx(180.16, abs=0.01)
    assert found.values["qed"][0] == pytest.approx(0.55, abs=0.005)  # Bickerton et al. 2012
    assert found.values["logp"][0] == pytest.approx(1.31, abs=0.005)
    assert 1 < found.values["sa"][0] < 2


def test_stereochemistry_and_isotopes_are_left_out() -> None:
    found = describe(["C[C@H](N)O", "C[C@@H](N)O", "[13CH3]C(N)O"], ["smiles"])
    assert set(found.smiles) == {"CC(N)O"}


def test_scaffolds_of_two_rings() -> None:
    found = describe(["CCc1ccc2ccccc2c1", "CC1CC1"], ["scaffold"])
    assert found.scaffold == ("c1ccc2ccccc2c1", "")


def test_what_is_no_molecule_has_empty_features() -> None:
    found = describe(["C(C)(C)(C)(C)C", "", "no", "C\0C"], ALL)
    assert found.smiles == ("",) * 4
    assert found.fragments == found.scaffold == ("",) * 4
    assert all(np.isnan(found.values[name]).all() for name in PROPERTIES)
    assert not found.fingerprint.any()
    assert describe([], ALL).fingerprint.shape == (0, 128)


def test_a_molecule_that_rdkit_has_no_value_for_has_none() -> None:
    found = describe(["[H][H]"], PROPERTIES)
    assert math.isfinite(found.values["weight"][0])
    assert not np.isinf(found.values["sa"][0])


def test_processes_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    smiles = [*datasets.load("qm9-sample").sources.to_pylist()[:60], "none", "C((", ASPIRIN]
    alone = describe(smiles, ALL, processes=1)
    monkeypatch.setattr(features, "WORTHWHILE", 1)
    monkeypatch.setattr(features, "CHUNK", 20)
    steps: list[tuple[int, int]] = []
    assert _same(describe(smiles, ALL, processes=2, progress=lambda *x: steps.append(x)), alone)
    assert steps[-1] == (63, 63)
    assert list(describe(smiles, ["qed"]).values) == ["qed"]
