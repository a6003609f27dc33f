"""A tiny trained run, shared by all tests of the language models."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

import graphassay.lm  # noqa: F401 (first: asks OpenMP to sleep before torch loads it)
from graphassay.graph import Graph, GraphSet
from graphassay.lm.config import TrainConfig
from graphassay.lm.run import Run

TINY = TrainConfig(
    serialization="sent:random",
    size="custom",
    layers=2,
    hidden=32,
    heads=2,
    ffn=64,
    steps=6,
    batch_size=8,
    checkpoints=3,
    log_steps=2,
    attention_dropout=0.1,
)


def small_graphs(n: int = 60, seed: int = 0) -> GraphSet:
    """Random labelled graphs of 2 to 9 vertices, some of them with several components."""
    rng = np.random.default_rng(seed)
    graphs = []
    for _ in range(n):
        size = int(rng.integers(2, 10))
        labels = [str(label) for label in rng.choice(["C", "N", "O"], size)]
        edges = [
            (u, v, str(rng.choice(["-", "="])))
            for u in range(size)
            for v in range(u + 1, size)
            if rng.random() < 1.6 / size
        ]
        graphs.append(Graph(labels, edges))
    return GraphSet.from_graphs(graphs)


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
    config = dataclasses.replace(TINY, steps=150, learning_rate=3e-3, checkpoints=1, valid_share=0)
    return train(graphs, folder, config, device="cpu").run
