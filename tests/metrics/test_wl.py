from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given

from graphassay.errors import InvalidInput
from graphassay.graph import Graph, GraphSet
from graphassay.io import read
from graphassay.metrics import wl
from graphassay.metrics.wl import wl_coverage, wl_diversity, wl_features, wl_kernel, wl_mmd
from graphassay.results import Undefined
from strategies import graph_sets

RNG = np.random.default_rng


def _random_graphs(rng: np.random.Generator, n: int) -> GraphSet:
    return GraphSet.from_graphs(_draw(rng, n))


def _draw(rng: np.random.Generator, n: int) -> Iterator[Graph]:
    for _ in range(n):
        size = int(rng.integers(1, 12))
        pairs = np.argwhere(np.triu(rng.random((size, size)) < 0.3, k=1)).tolist()
        labels = rng.choice(list("ABC"), size).tolist()
        yield Graph(labels, [(u, v, str(rng.choice(["x", "y"]))) for u, v in pairs])


def _grakel_kernel(a: GraphSet, b: GraphSet, iterations: int, *, normalize: bool) -> np.ndarray:
    grakel = pytest.importorskip("grakel")
    sets = [
        [
            grakel.Graph(
                {v: [w for u, x, _ in g.edges for w in ({u, x} - {v}) if v in (u, x)]
                 for v in range(g.n_vertices)},
                node_labels=dict(enumerate(g.vertex_labels)),
            )
            for g in graphs
        ]
        for graphs in (a, b)
    ]  # fmt: skip
    kernel = grakel.WeisfeilerLehman(
        n_iter=iterations, base_graph_kernel=grakel.VertexHistogram, normalize=normalize
    )
    kernel.fit(sets[1])
    return kernel.transform(sets[0])


@pytest.mark.parametrize("iterations", [1, 2, 5])
@pytest.mark.parametrize("normalize", [False, True])
def test_kernel_agrees_with_grakel_on_random_graphs(iterations: int, normalize: bool) -> None:
    a, b = _random_graphs(RNG(0), 30), _random_graphs(RNG(1), 40)
    x, y = wl_features([a, b], iterations=iterations)
    np.testing.assert_allclose(
        wl_kernel(x, y, normalize=normalize),
        _grakel_kernel(a, b, iterations, normalize=normalize),
        rtol=1e-12,
    )


def test_kernel_and_metrics_agree_with_grakel_on_mutag(shared) -> None:
    graphs = read(shared / "tu" / "MUTAG.zip")
    a, b = graphs[:80], graphs[80:]
    x, y = wl_features([a, b], threads=2)
    between = _grakel_kernel(a, b, wl.ITERATIONS, normalize=True)
    np.testing.assert_allclose(wl_kernel(x, y, threads=3), between, rtol=1e-12)
    within = [_grakel_kernel(s, s, wl.ITERATIONS, normalize=True) for s in (a, b)]
    means = [k[~np.eye(len(k), dtype=bool)].mean() for k in within]
    assert wl_mmd(x, y, rng=RNG(0)).value == pytest.approx(sum(means) - 2 * between.mean())
    assert wl_diversity(x, rng=RNG(0)).value == pytest.approx(1 - means[0])
    assert wl_coverage(x, y, threshold=0.8).value == np.mean(between.max(axis=0) >= 0.8)


@pytest.mark.parametrize(
    ("name", "coverage", "similarity"),
    [
        ("MUTAG", 0.995, 0.720),
        ("PTC_MR", 0.980, 0.452),
        ("ENZYMES", 0.960, 0.630),
        ("PROTEINS", 0.973, 0.544),
        ("NCI1", 0.926, 0.698),
    ],
)
def test_resamples_of_train_come_close_to_the_published_table(
    shared, name: str, coverage: float, similarity: float
) -> None:
    """M's table 11: nearly memorized sets. What it prints as diversity is the mean similarity."""
    train = read(shared / "tu" / f"{name}.zip")
    drawn = train.take(RNG(0).integers(0, len(train), 1024))
    x, y = wl_features([drawn, train], threads=2)
    assert wl_mmd(x, y, rng=RNG(0)).value == pytest.approx(0, abs=0.002)
    assert wl_coverage(x, y, threads=2).value == pytest.approx(coverage, abs=0.06)
    assert 1 - wl_diversity(x, rng=RNG(0)).value == pytest.approx(similarity, abs=0.04)


@given(graph_sets(min_size=2, max_vertices=7))
def test_neither_vertex_order_nor_threads_nor_company_matter(graphs: GraphSet) -> None:
    turned = GraphSet.from_graphs([g.relabelled(range(g.n_vertices)[::-1]) for g in graphs])
    for edge_labels in (False, True):
        x, y = wl_features([graphs, turned], edge_labels=edge_labels)
        k = wl_kernel(x, x)
        np.testing.assert_array_equal(wl_kernel(x, y, threads=4), k)
        (alone,) = wl_features([graphs], edge_labels=edge_labels, threads=3)
        np.testing.assert_array_equal(wl_kernel(alone, alone), k)
        np.testing.assert_allclose(np.diagonal(k), 1)
        assert k.min() >= 0
        assert k.max() <= 1 + 1e-12
        value = wl_diversity(x, rng=RNG(0), n_resamples=10).value
        assert value == pytest.approx(1 - k[~np.eye(len(k), dtype=bool)].mean())


def test_edge_labels_are_seen_only_when_asked() -> None:
    one = GraphSet.from_graphs([Graph("AB", [(0, 1, "x")]), Graph("AB", [(0, 1, "y")])])
    (blind,) = wl_features([one])
    (seeing,) = wl_features([one], iterations=1, edge_labels=True)
    assert wl_kernel(blind, blind).tolist() == [[1, 1], [1, 1]]
    assert wl_kernel(seeing, seeing)[0, 1] == pytest.approx(0.5)


def test_hand_computed_case() -> None:
    graphs = GraphSet.from_graphs([Graph("ABA", [(0, 1, "-"), (1, 2, "-")]), Graph("AAC", [])])
    (x,) = wl_features([graphs], iterations=1)
    # Round 0: 2 A and 1 B against 2 A and 1 C. Round 1: nothing in common.
    expected = [[2 * 2 + 1 + 2 * 2 + 1, 4], [4, 2 * 2 + 1 + 2 * 2 + 1]]
    assert wl_kernel(x, x, normalize=False).tolist() == expected
    assert wl_diversity(x, rng=RNG(0)).value == pytest.approx(0.6)


def test_mmd_is_unbiased() -> None:
    rng = RNG(3)
    values = []
    for _ in range(150):
        x, y = wl_features([_random_graphs(rng, 6), _random_graphs(rng, 6)], iterations=2)
        values.append(wl_mmd(x, y, rng=rng, n_resamples=10).value)
    assert abs(np.mean(values)) < 3 * np.std(values) / np.sqrt(len(values))
    assert min(values) < 0 < max(values)


def test_another_distribution_is_told_apart() -> None:
    rng = RNG(4)
    rings = GraphSet.from_graphs(
        [Graph("A" * n, [(i, (i + 1) % n, "x") for i in range(n)]) for n in range(3, 20)]
    )
    x, y = wl_features([rings, _random_graphs(rng, 60)])
    estimate = wl_mmd(x, y, rng=rng)
    assert estimate.low > 0.3
    assert wl_coverage(x, y).value < 0.1


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = wl_features([_random_graphs(RNG(5), 23), _random_graphs(RNG(6), 9)])
    whole = wl.most_similar(x, y)
    monkeypatch.setattr(wl, "_BLOCK", 30)
    np.testing.assert_array_equal(wl.most_similar(x, y, threads=2), whole)
    np.testing.assert_array_equal(whole, wl_kernel(x, y).max(axis=1))


def test_degenerate_sets() -> None:
    none, one = GraphSet.from_graphs([]), GraphSet.from_graphs([Graph("A")])
    plain = GraphSet.from_graphs([Graph("AB"), Graph("A"), Graph("")])  # no edge, no vertex
    a, b, c = wl_features([none, one, plain])
    assert wl_mmd(b, c, rng=RNG(0)).value == Undefined(
        "the unbiased MMD needs at least 2 generated graphs, got 1"
    )
    assert isinstance(wl_mmd(c, a, rng=RNG(0)).value, Undefined)
    assert wl_diversity(b, rng=RNG(0)).value == Undefined(
        "diversity needs at least 2 generated graphs, got 1"
    )
    assert wl_coverage(a, c).value == Undefined("no generated graphs")
    assert wl_coverage(b, a).value == Undefined("no records")
    root = 1 / np.sqrt(2)
    expected = [[1, root, 0], [root, 1, 0], [0, 0, 0]]
    np.testing.assert_allclose(wl_kernel(c, c), expected)
    assert wl_mmd(c, c, rng=RNG(0)).value == pytest.approx(2 * (root / 3) - 2 * (2 + 2 * root) / 9)


def test_bad_input_says_what_was_expected() -> None:
    graphs = _random_graphs(RNG(0), 2)
    with pytest.raises(InvalidInput, match="expected iterations >= 0, got -1"):
        wl_features([graphs], iterations=-1)
    (x,), (y,) = wl_features([graphs]), wl_features([_random_graphs(RNG(9), 5)])
    with pytest.raises(InvalidInput, match="expected features that were taken together"):
        wl_kernel(x, y)


def test_rounding_never_leaves_the_range() -> None:
    """Graphs that all look alike: their mean similarity is 1, give or take the last bit."""
    for n in range(2, 40):
        alike = [Graph("ABCDE"[: 1 + n % 5])] * n
        (x,) = wl_features([GraphSet.from_graphs(alike)])
        found = wl_diversity(x, rng=RNG(n), n_resamples=10)
        assert 0 <= found.low <= found.value <= found.high < 1e-9
