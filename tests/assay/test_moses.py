"""MOSES' published metrics of its own splits (Polykovskiy et al. 2020, “Train” against Test)."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from graphassay.metrics.fingerprints import internal_diversity, nearest_similarity
from graphassay.metrics.fragments import part_similarity
from graphassay.molecules.features import Features, describe

N_TRAIN = 3_000


def _lines(path: Path) -> list[str]:
    with gzip.open(path, "rt") as file:
        return [line.strip() for line in file][1:]


@pytest.fixture(scope="module")
def train(shared: Path) -> Features:
    lines = _lines(shared / "moses_train.csv.gz")
    rows = np.random.default_rng(0).choice(len(lines), N_TRAIN, replace=False)
    return describe([lines[i] for i in rows.tolist()], ["fingerprint", "fragments"])


def _within(found, published: float) -> bool:
    """As near as 4 standard errors of the subsample, and as the published digits."""
    error = (found.high - found.low) / (2 * 1.96)
    return abs(found.value - published) <= 4 * error + 0.0005


@pytest.mark.slow
def test_internal_diversity(train: Features) -> None:
    assert _within(internal_diversity(train.fingerprint), 0.857)
    assert _within(internal_diversity(train.fingerprint, power=2), 0.851)


@pytest.mark.slow
def test_similarity_to_the_whole_test_set(train: Features, shared: Path) -> None:
    test = describe(_lines(shared / "moses_test.csv.gz"), ["fingerprint"])
    found = nearest_similarity(train.fingerprint, test.fingerprint)
    assert found.n == N_TRAIN
    assert _within(found, 0.642)


@pytest.mark.slow
def test_fragments(train: Features, shared: Path) -> None:
    lines = _lines(shared / "moses_test.csv.gz")
    rows = np.random.default_rng(1).choice(len(lines), N_TRAIN, replace=False)
    test = describe([lines[i] for i in rows.tolist()], ["fragments"])
    sides = [[text.split(".") for text in side.fragments] for side in (train, test)]
    found = part_similarity(*sides, seed=0)
    # 1.0 as published, less what two samples of this size differ by: the halves of one of them
    # differ by more.
    half = part_similarity(sides[0][: N_TRAIN // 2], sides[0][N_TRAIN // 2 :], seed=0)
    assert half.value - 0.002 <= found.value <= 1
    assert found.value > 0.99
