import numpy as np

from graphassay.assay.plan import Draws, holdout_pool, plan_run, rewired_pool, rng_for
from graphassay.graph import Graph, GraphSet

DRAWS = Draws(bootstrap=5, interval=4, control=3, holdout=2, rewired=6)


def _set(n: int) -> GraphSet:
    return GraphSet.from_graphs([Graph("A" * 3, [(0, 1, "x"), (1, 2, "x")])] * n)


def _plan(n_novel: int, run: int = 0, n_generated: int = 120):
    novel = np.arange(n_generated) < n_novel
    train = _set(30)
    return plan_run(
        train, _set(n_generated), draws=DRAWS, seed=1, run=run, holdout=_set(300),
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
            elif weights is not None:
                assert weights.sum() == 120


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


def test_streams_differ_by_purpose_and_run() -> None:
    first = [rng_for(3, p, r).integers(2**60) for p in ("bootstrap", "interval") for r in (0, 1)]
    assert len(set(first)) == 4
    assert rng_for(3, "bootstrap", 1).integers(2**60) == first[1]


def test_pools_are_bounded() -> None:
    assert len(holdout_pool(_set(1000), 100, seed=0, run=0)) == 400
    assert len(holdout_pool(_set(300), 100, seed=0, run=0)) == 300
    assert len(rewired_pool(_set(30), 700, seed=0, run=0)) == 700
    assert len(rewired_pool(_set(30), 10, seed=0, run=0)) == 500
