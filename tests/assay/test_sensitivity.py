import numpy as np
import pytest

from graphassay import datasets
from graphassay.assay.memorization import audit
from graphassay.assay.sensitivity import min_count, sensitivity_rows, support_grid
from graphassay.mining import mine


def test_the_grid_is_half_once_and_twice_within_bounds() -> None:
    assert support_grid(0.1) == [0.05, 0.1, 0.2]
    assert support_grid(0.8) == [0.4, 0.8, 1.0]
    assert support_grid(18) == [9, 18, 36]
    assert support_grid(1) == [1, 2]


def test_the_miners_rule_for_counts() -> None:
    assert min_count(0.1, 188) == 19
    assert min_count(0.1, 190) == 19
    assert min_count(0.1, 110) == 11  # 0.1 * 110 is 11.000000000000002 in floating point
    assert min_count(7, 110) == 7
    assert min_count(0.001, 10) == 1


@pytest.fixture(scope="module")
def sets(shared):
    mutag = datasets.load("mutag", source=shared / "tu")
    return mutag, mutag.take(np.random.default_rng(0).integers(188, size=150))


def test_rows_equal_what_mining_at_their_options_gives(sets) -> None:
    train, generated = sets
    rows = sensitivity_rows(
        train, generated, min_support=0.2, max_vertices=6, support="frequent", bootstraps=3, seed=0
    )
    assert [(r.min_support, r.max_vertices) for r in rows] == [
        (s, v) for s in (0.1, 0.2, 0.4) for v in (4, 6)
    ]
    for row in rows:
        assert row.n_train_patterns == len(
            mine(train, row.min_support, max_vertices=row.max_vertices).patterns
        )
    main = audit(train, generated, min_support=0.2, max_vertices=6, bootstraps=3)
    row = next(r for r in rows if (r.min_support, r.max_vertices) == (0.2, 6))
    for name, value in row.metrics.items():
        assert main.alignment.metrics[name].model.value == value
