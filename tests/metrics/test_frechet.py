"""The Fréchet distance against closed forms, the package fcd, and its published example."""

import warnings

import numpy as np
import pytest

from graphassay import datasets
from graphassay.errors import InvalidInput, MissingDependency
from graphassay.metrics import chemnet
from graphassay.metrics.chemnet import chemnet_activations
from graphassay.metrics.frechet import MIN_MOLECULES, frechet_distance
from graphassay.results import Undefined


def test_a_shift_and_a_scale_by_hand() -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(400, 5))
    shifted = frechet_distance(rows + np.array([3, 0, 0, 4, 0]), rows, seed=0, least=2)
    assert shifted.value == pytest.approx(25, rel=1e-9)
    scaled = frechet_distance(2 * rows, rows, seed=0, least=2)
    # commuting covariances S and 4S: tr(S + 4S - 2 * 2S) = tr S, and the means are doubled
    mean, trace = rows.mean(axis=0), np.trace(np.cov(rows.T))
    assert scaled.value == pytest.approx(mean @ mean + trace)
    assert frechet_distance(rows, rows, seed=0, least=2).value == pytest.approx(0, abs=1e-8)


def test_as_the_package_has_it() -> None:
    utils = pytest.importorskip("fcd.utils")
    rng = np.random.default_rng(1)
    a, b = (
        rng.normal(size=(300, 20)),
        rng.normal(0.2, 1.3, size=(200, 20)) @ rng.normal(size=(20, 20)),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the package calls sqrtm in a way scipy gives up
        expected = utils.calculate_frechet_distance(
            a.mean(axis=0), np.cov(a.T), b.mean(axis=0), np.cov(b.T)
        )
    assert frechet_distance(a, b, seed=0, least=2).value == pytest.approx(expected, rel=1e-6)


def test_symmetry_order_and_interval() -> None:
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=(300, 8)), rng.normal(0.3, 1, size=(250, 8))
    found = frechet_distance(a, b, seed=0, n_resamples=50, least=2)
    assert found.value == pytest.approx(frechet_distance(b, a, seed=0, least=2).value)
    assert found.value == pytest.approx(
        frechet_distance(a[rng.permutation(300)], b, seed=0, least=2).value
    )
    assert found.low < found.value < found.high
    assert found == frechet_distance(a, b, seed=0, n_resamples=50, least=2)
    assert isinstance(frechet_distance(a, b, seed=0, n_resamples=0, least=2).low, Undefined)


def test_too_few_molecules_give_no_number() -> None:
    few = np.zeros((MIN_MOLECULES - 1, 512), dtype=np.float32)
    enough = np.zeros((MIN_MOLECULES, 512), dtype=np.float32)
    found = frechet_distance(few, enough, seed=0)
    assert found.value == Undefined("needs at least 513 generated molecules, got 512")
    found = frechet_distance(enough, few, seed=0)
    assert found.value == Undefined("needs at least 513 reference molecules, got 512")
    assert isinstance(frechet_distance(few[:1], few[:1], seed=0, least=1).value, Undefined)
    with pytest.raises(InvalidInput, match="as many activations"):
        frechet_distance(np.zeros((5, 3)), np.zeros((5, 4)), seed=0)


def test_activations_are_the_packages_own() -> None:
    fcd = pytest.importorskip("fcd")
    smiles = datasets.load("qm9-sample").sources.to_pylist()[:20]
    ours = chemnet_activations(smiles, threads=1)
    assert ours.shape == (20, 512)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # numpy's row_stack, a folder left to the collector
        theirs = fcd.get_predictions(fcd.load_ref_model(), smiles, n_jobs=0, device="cpu")
    assert np.allclose(ours, theirs, atol=1e-6)
    assert chemnet_activations([]).shape == (0, 512)


@pytest.mark.parametrize("package", ["fcd", "torch"])
def test_a_missing_package_names_the_extra(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    find = chemnet.importlib.util.find_spec
    monkeypatch.setattr(
        chemnet.importlib.util, "find_spec", lambda name: None if name == package else find(name)
    )
    with pytest.raises(MissingDependency, match=rf"'{package}'.*graphassay\[quality\]"):
        chemnet_activations(["C"])


@pytest.mark.parametrize(
    ("generated", "reference", "published"),
    [
        (["CNOHF", "NOHFCl", "OHFClP", "HFClPB"], ["ISi#()", "Si#()+", "#()+-", "()+-1"], 8.8086),
        (
            ["COc1cccc(NC(=O)Cc2coc3ccc(OC)cc23)c1", "Cc1noc(C)c1CN(C)C(=O)Nc1cc(F)cc(F)c1"],
            ["Oc1ccccc1-c1cccc2cnccc12", "Cc1noc(C)c1CN(C)C(=O)Nc1cc(F)cc(F)c1"],
            47.773486382119444,
        ),
    ],
)
def test_the_values_that_its_authors_publish(generated, reference, published) -> None:
    """The targets of bioinf-jku/FCD's own test (the first has texts that are no molecules)."""
    pytest.importorskip("fcd")
    sides = [chemnet_activations(texts) for texts in (generated, reference)]
    assert frechet_distance(*sides, seed=0, least=2).value == pytest.approx(published, abs=1e-3)
