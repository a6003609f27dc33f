"""A tiny trained run, shared by all tests of the language models."""

import dataclasses
from pathlib import Path

import pytest

from graphassay.graph import GraphSet
from graphassay.lm.run import Run
from lm.tiny import TINY, small_graphs


@pytest.fixture(scope="session")
def graphs() -> GraphSet:
    return small_graphs()


@pytest.fixture(scope="session", autouse=True)
def _few_threads() -> None:
    import torch

    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory, graphs: GraphSet) -> Run:
    from graphassay.lm.train import train

    folder: Path = tmp_path_factory.mktemp("lm") / "run"
    return train(graphs, folder, TINY, device="cpu").run


@pytest.fixture(scope="session")
def peaked(tmp_path_factory: pytest.TempPathFactory, graphs: GraphSet) -> Run:
    """A run trained long enough for its distributions to be far from uniform."""
    from graphassay.lm.train import train

    folder: Path = tmp_path_factory.mktemp("lm") / "peaked"
    config = dataclasses.replace(TINY, steps=100, learning_rate=4e-3, checkpoints=1, valid_share=0)
    return train(graphs, folder, config, device="cpu").run
