from importlib import resources

import pytest

from graphassay import datasets
from graphassay.errors import InvalidInput


def test_names_are_found_whatever_their_case_and_dashes() -> None:
    assert datasets.find("MUTAG").name == "mutag"
    assert datasets.find("PTC-MR").name == "ptc_mr"
    assert datasets.find("qm9_sample").name == "qm9-sample"


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(InvalidInput, match="no data set is called 'cora'; there are qm9-sample"):
        datasets.load("cora")


def test_an_unknown_split_lists_the_known_ones() -> None:
    with pytest.raises(InvalidInput, match="expected a split among train, valid, test, got 'dev'"):
        datasets.load("planar", split="dev")
    with pytest.raises(InvalidInput, match=r"among \(none\)"):
        datasets.load("mutag", split="test")


def test_every_set_says_where_from_and_under_which_licence() -> None:
    for dataset in datasets.available():
        assert dataset.origin
        assert dataset.licence
        assert dataset.citation
        assert dataset.n_graphs > 0
        if dataset.kind == "tu" or dataset.name.startswith("qm9"):
            assert len(dataset.sha256 or "") == 64


def test_the_embedded_data_are_package_files() -> None:
    names = {p.name for p in resources.files("graphassay.datasets").joinpath("data").iterdir()}
    assert {"qm9_sample.smi.gz", "qm9_missing.txt"} <= names
