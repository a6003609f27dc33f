import numpy as np
import pytest

from graphassay.datasets.random_graphs import erdos_renyi, planar
from graphassay.errors import InvalidInput
from graphassay.graph import Graph, GraphSet
from graphassay.io import read
from graphassay.metric_cards import CARDS
from graphassay.metrics import graph_quality as module
from graphassay.metrics.graph_quality import GraphMetricOptions, graph_quality
from graphassay.metrics.graph_statistics import VertexCounts, degree_histograms
from graphassay.metrics.mmd import KERNELS, mmd_squared
from graphassay.results import Undefined
from graphassay.results.quality import QualityMetric

FOUR = ["degree_mmd", "clustering_mmd", "orbit_mmd", "spectral_mmd"]
KEYS = [*FOUR, "wl_mmd", "wl_coverage", "wl_diversity"]


def _by_key(metrics: list[QualityMetric]) -> dict[str, QualityMetric]:
    return {metric.key: metric for metric in metrics}


@pytest.fixture(scope="module")
def mutag(shared) -> GraphSet:
    return read(shared / "tu" / "MUTAG.zip")


def test_every_metric_has_its_value_interval_reference_and_real_counterpart(mutag) -> None:
    found = graph_quality(mutag[:90], mutag[90:140], mutag[140:])
    assert [metric.key for metric in found] == KEYS
    for metric in found:
        card, value = CARDS[metric.key], metric.value
        assert card.low <= value.low <= value.value <= value.high <= card.high
        assert value.n == 50
        assert metric.real is not None
        assert card.low <= metric.real.low <= metric.real.value <= metric.real.high <= card.high
        assert metric.detail
        if metric.key == "wl_diversity":
            assert (metric.reference, metric.n_reference) == ("", 0)
        else:
            assert (metric.reference, metric.n_reference) == ("train", 90)
        assert metric.detail.endswith("; real: 48 graphs")
    assert "V-statistic" in found[0].detail
    assert "Gaussian of total variation, sigma 1;" in found[0].detail
    assert "U-statistic" in found[4].detail


def test_values_are_those_of_the_parts(mutag) -> None:
    train, generated = mutag[:90], mutag[90:]
    options = GraphMetricOptions(kernel="gaussian_emd", unbiased=True)
    found = _by_key(graph_quality(train, generated, options=options))
    kernel = KERNELS["gaussian_emd"]["degree"]
    y, x = (degree_histograms(VertexCounts.of(graphs)) for graphs in (train, generated))
    expected = mmd_squared(
        kernel.matrix(x, x), kernel.matrix(y, y), kernel.matrix(x, y), unbiased=True
    )
    assert found["degree_mmd"].value.value == expected
    assert found["degree_mmd"].real is None
    assert "earth mover's distance" in found["degree_mmd"].detail


def test_the_other_reference_swaps_the_real_graphs(mutag) -> None:
    train, generated, holdout = mutag[:60], mutag[60:120], mutag[120:]
    a = _by_key(graph_quality(train, generated, holdout, reference="holdout"))
    b = _by_key(graph_quality(holdout, generated, train))
    for key in KEYS:
        assert a[key].value == b[key].value
        assert a[key].real == b[key].real
    assert a["wl_mmd"].reference == "holdout"


def test_same_seed_same_result_whatever_the_threads(mutag) -> None:
    options = GraphMetricOptions(max_pairwise=40, max_reference=50)
    parts = mutag[:90], mutag[90:150], mutag[150:]
    once = graph_quality(*parts, options=options, seed=3)
    assert once == graph_quality(*parts, options=options, seed=3, threads=4)
    assert once != graph_quality(*parts, options=options, seed=4)
    assert once[0].n_reference == 40
    assert once[0].value.n == 40
    assert once[5].n_reference == 50


def test_only_what_is_asked_for_is_computed(mutag, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = mutag[:60], mutag[60:90], mutag[90:]
    every = graph_quality(*parts)
    for key in KEYS:
        assert graph_quality(*parts, metrics=[key]) == [m for m in every if m.key == key]

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("not asked for")

    for costly in ("spectrum_histograms", "connected_planar"):
        monkeypatch.setattr(module, costly, refuse)
    monkeypatch.setattr(module.wl, "wl_coverage", refuse)
    asked = ["clustering_mmd", "wl_diversity"]
    assert [m.key for m in graph_quality(*parts, metrics=asked)] == asked
    monkeypatch.setattr(module.VertexCounts, "of", refuse)
    assert len(graph_quality(*parts, metrics=["wl_mmd"])) == 1
    monkeypatch.undo()
    monkeypatch.setattr(module.wl, "wl_features", refuse)
    monkeypatch.setattr(module.VertexCounts, "of", refuse)
    assert len(graph_quality(*parts, metrics=["spectral_mmd"])) == 1


def test_planar_graphs_are_judged_where_train_is_planar(mutag) -> None:
    rng = np.random.default_rng(0)
    real = planar(40, n_vertices=30, rng=rng)
    wrong = erdos_renyi(10, n_vertices=(25, 35), probability=0.3, rng=rng)
    found = _by_key(graph_quality(real[:20], wrong, real[20:], n_failed=10))
    assert found["planar_validity"].value.value == 0
    assert found["planar_validity"].value.n == 20
    assert found["planar_validity"].real.value == 1
    for key in (*FOUR, "wl_mmd"):
        assert found[key].value.low > found[key].real.value
    assert "planar_validity" not in _by_key(graph_quality(wrong, real))
    assert "planar_validity" not in _by_key(graph_quality(mutag[:50], mutag[50:]))


def test_the_closer_set_has_the_better_numbers() -> None:
    rng = np.random.default_rng(1)
    train, near = planar(60, n_vertices=30, rng=rng), planar(30, n_vertices=30, rng=rng)
    far = erdos_renyi(30, n_vertices=(25, 35), probability=0.2, rng=rng)
    for kernel in KERNELS:
        options = GraphMetricOptions(kernel=kernel, n_resamples=20)
        good, bad = (_by_key(graph_quality(train, s, options=options)) for s in (near, far))
        for key in (*FOUR, "wl_mmd", "planar_validity"):
            sign = 1 if CARDS[key].better == "higher" else -1
            assert sign * (good[key].value.value - bad[key].value.value) > 0, (kernel, key)


@pytest.mark.parametrize(
    "generated",
    [[], [Graph("AB", [(0, 1, "x")])], [Graph("A"), Graph("AB")], [Graph(""), Graph("")]],
    ids=["empty", "one graph", "no edges", "no vertices"],
)
def test_degenerate_sets_give_numbers_or_reasons(generated: list[Graph]) -> None:
    made = GraphSet.from_graphs(generated)
    train = GraphSet.from_graphs([Graph("AB", [(0, 1, "x")]), Graph("A"), Graph("BB")])
    found = _by_key(graph_quality(train, made, made))
    for metric in found.values():
        if len(made) < 2 and metric.key in ("wl_mmd", "wl_diversity"):
            assert isinstance(metric.value.value, Undefined)
            assert isinstance(metric.real.value, Undefined)
        elif not len(made):
            assert isinstance(metric.value.value, Undefined), metric.key
        else:
            assert np.isfinite(metric.value.value)
    turned = _by_key(graph_quality(made, train))
    assert isinstance(turned["degree_mmd"].value.value, Undefined) == (not len(made))


def test_bad_options_say_what_was_expected(mutag) -> None:
    with pytest.raises(InvalidInput, match="kernel: expected one of gaussian_tv, gaussian_emd"):
        GraphMetricOptions(kernel="tv")
    with pytest.raises(InvalidInput, match="max_pairwise: expected at least 2, got 1"):
        GraphMetricOptions(max_pairwise=1)
    with pytest.raises(InvalidInput, match="wl_threshold: expected above 0, at most 1, got 0"):
        GraphMetricOptions(wl_threshold=0)
    with pytest.raises(InvalidInput, match=r"metrics: expected any of degree_mmd, .*; got 'fcd'"):
        graph_quality(mutag, mutag, metrics=["fcd"])
    with pytest.raises(InvalidInput, match="reference 'holdout': expected held-out graphs"):
        graph_quality(mutag, mutag, reference="holdout")
    with pytest.raises(InvalidInput, match="reference: expected 'train' or 'holdout', got ''"):
        graph_quality(mutag, mutag, reference="")
