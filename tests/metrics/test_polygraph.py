"""PolyGraph Discrepancy: what the package says is passed on, and its failures are never a 0."""

import importlib.machinery
import sys
import types
import warnings
from collections.abc import Callable

import pytest

from graphassay.errors import MissingDependency
from graphassay.graph import Graph, GraphSet
from graphassay.metrics import polygraph
from graphassay.metrics.polygraph import graph_discrepancy, molecule_discrepancy
from graphassay.results import Undefined

TRIANGLES = GraphSet.from_graphs([Graph("***", [(0, 1, "*"), (1, 2, "*")])] * 40)


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[list], float]], None]:
    """A stand-in for polygraph-benchmark whose discrepancy is computed as told."""

    def install(compute: Callable[[list], float]) -> None:
        class Discrepancy:
            def __init__(self, reference: list) -> None:
                self.reference = reference

            def compute(self, generated: list) -> dict[str, float]:
                assert len(generated) == len(self.reference)
                return {"pgd": compute(generated)}

        names = ("polygraph", "polygraph.metrics")
        leaves = {"standard_pgd": "StandardPGD", "molecule_pgd": "MoleculePGD"}
        for name in (*names, *(f"polygraph.metrics.{leaf}" for leaf in leaves)):
            module = types.ModuleType(name)
            module.__spec__ = importlib.machinery.ModuleSpec(name, None)
            if name.rpartition(".")[2] in leaves:
                setattr(module, leaves[name.rpartition(".")[2]], Discrepancy)
            monkeypatch.setitem(sys.modules, name, module)

    return install


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(polygraph.importlib.util, "find_spec", lambda _: None)
    with pytest.raises(MissingDependency, match="polygraph-benchmark"):
        graph_discrepancy(TRIANGLES, TRIANGLES)
    with pytest.raises(MissingDependency, match="polygraph-benchmark"):
        molecule_discrepancy(["C"], ["C"])


def test_its_number_is_passed_on(package) -> None:
    package(lambda generated: len(generated) / 100)
    found = graph_discrepancy(TRIANGLES, TRIANGLES[:35])
    assert (found.value, found.n) == (0.35, 35)
    assert isinstance(found.low, Undefined)
    assert molecule_discrepancy(["C"] * 40, ["CC"] * 50).value == 0.4


def test_an_error_inside_is_a_reason(package) -> None:
    def fail(_: list) -> float:
        raise RuntimeError("no weights\nsecond line")

    package(fail)
    reason = "polygraph-benchmark failed: RuntimeError: no weights"
    assert graph_discrepancy(TRIANGLES, TRIANGLES).value == Undefined(reason)


def test_a_classifier_that_failed_is_not_a_distance_of_0(package) -> None:
    def fail(_: list) -> float:
        warnings.warn("Classifier failed in CV fold (no weights), treating as 0", stacklevel=1)
        return 0.0

    package(fail)
    found = graph_discrepancy(TRIANGLES, TRIANGLES).value
    assert isinstance(found, Undefined)
    assert "Classifier failed in CV fold (no weights)" in found.reason


def test_few_graphs(package) -> None:
    package(lambda _: 0.5)
    found = graph_discrepancy(TRIANGLES[:10], TRIANGLES).value
    assert found == Undefined("needs at least 32 graphs on each side, got 10")
