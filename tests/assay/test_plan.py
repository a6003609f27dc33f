import numpy as np

from graphassay.assay.plan import Draws, SharedPool, holdout_pool, plan_run, rewired_pool, rng_for
from graphassay.graph import Graph, GraphSet

DRAWS = Draws(bootstrap=5, interval=4, control=3, holdout=2, rewired=6)


def _set(n: int) -> GraphSet:
    return GraphSet.from_graphs([Graph("A" * 3, [(0, 1, "x"), (1, 2, "x")])] * n)


def _plan(n_novel: int, run: int = 0, n_generated: int = 120):
    novel = np.arange(n_generated) < n_novel
    train, generated = _set(30), _set(n_generated)
    pool = SharedPool.of(train, generated, np.arange(30), 20 + np.arange(n_generated))
    return plan_run(
        pool, draws=DRAWS, seed=1, run=run, holdout=_set(300),
        rewired=rewired_pool(train, n_generated, seed=1, run=run), novel=novel,
    )  # fmt: skip


def test_every_draw_is_as_large_as_the_generated_set() -> None:
    plan = _plan(60)
    sizes = {role: len(columns) for role, columns in plan.columns.items()}
    assert sizes == {
        "train": 1, "generated": 1, "bootstrap": 5, "rewired": 6, "holdout": 2, "interval": 4,
        "novel": 1, "control": 3,
    }  # fmt: skip
    assert len(plan.databases) == sum(sizes.values())
    for role, columns in plan.columns.items():
        for column in columns:
            weights = plan.databases[column].weights
            if role in ("novel", "control"):
                assert weights.sum() == 60
            else:
                assert weights.sum() == (30 if role == "train" else 120)


def test_later_runs_ask_nothing_of_the_generated_set_again() -> None:
    assert set(_plan(60, run=1).columns) == {
        "train",
        "generated",
        "bootstrap",
        "rewired",
        "holdout",
    }


def test_few_novel_graphs_and_only_novel_graphs_need_no_mining_alone() -> None:
    assert "novel" not in _plan(49).columns
    assert "novel" in _plan(50).columns
    assert "novel" not in _plan(120).columns


def test_copies_share_the_graphs_of_train() -> None:
    def path(label: str) -> Graph:
        return Graph(label * 2, [(0, 1, "x")])

    train = GraphSet.from_graphs([path("A"), path("B"), path("A")])
    generated = GraphSet.from_graphs([path(c) for c in "CBBCDA"])
    pool = SharedPool.of(train, generated, np.array([0, 1, 0]), np.array([2, 1, 1, 2, 3, 0]))
    assert [g.vertex_labels[0] for g in pool.graphs] == ["A", "B", "A", "C", "D"]
    assert pool.rows.tolist() == [3, 1, 1, 3, 4, 0]
    assert pool.train_weights().tolist() == [[1, 1, 1, 0, 0]]
    assert pool.generated_weights().tolist() == [[1, 2, 0, 2, 1]]
    draw = np.array([[0, 3, 0, 1, 0, 2]])
    assert pool.generated_weights(draw).tolist() == [[2, 3, 0, 1, 0]]


def test_streams_differ_by_purpose_and_run() -> None:
    first = [rng_for(3, p, r).integers(2**60) for p in ("bootstrap", "interval") for r in (0, 1)]
    assert len(set(first)) == 4
    assert rng_for(3, "bootstrap", 1).integers(2**60) == first[1]


def test_pools_are_bounded() -> None:
    assert len(holdout_pool(_set(1000), 100, seed=0, run=0)) == 400
    assert len(holdout_pool(_set(300), 100, seed=0, run=0)) == 300
    assert len(rewired_pool(_set(30), 700, seed=0, run=0)) == 700
    assert len(rewired_pool(_set(30), 90_000, seed=0, run=0)) == 20_000
    assert len(rewired_pool(_set(30), 10, seed=0, run=0)) == 500
