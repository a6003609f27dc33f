"""A tiny model and small graphs, for all tests of the language models."""

import numpy as np

import graphassay.lm  # noqa: F401 (first: asks OpenMP to sleep before torch loads it)
from graphassay.graph import Graph, GraphSet
from graphassay.lm.config import TrainConfig

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
