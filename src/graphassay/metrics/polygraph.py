"""PolyGraph Discrepancy through ``polygraph-benchmark``, where it is installed and has its weights.

The package's classifier (TabPFN) and one of its descriptors (MolCLR) download their weights when
first used. A failure in there is reported as one, never as a distance of 0: the package itself
turns a classifier that fails into "indistinguishable", with a warning, which is caught here.
"""

import importlib.util
import warnings
from collections.abc import Sequence
from typing import Any

from graphassay.errors import MissingDependency
from graphassay.graph import GraphSet
from graphassay.metrics.intervals import LEVEL
from graphassay.results import Estimate, Undefined

_FAILED = "Classifier failed"
MIN_GRAPHS = 32
"""On each side: half of them train the classifier, in four folds."""


def find_polygraph() -> None:
    """Say early, and in one line, what is not installed.

    Raises:
        MissingDependency: polygraph-benchmark is not there.
    """
    if importlib.util.find_spec("polygraph") is None:
        raise MissingDependency(
            "PolyGraph Discrepancy needs the package 'polygraph-benchmark', which is not "
            "installed; pip install polygraph-benchmark (it asks for an older numpy and numba, so "
            "give it an environment of its own)"
        )


def molecule_discrepancy(generated: Sequence[str], reference: Sequence[str]) -> Estimate:
    """PGD of molecules given as SMILES, as `graph_discrepancy`."""
    find_polygraph()

    def compute(n: int) -> float:
        from polygraph.metrics.molecule_pgd import MoleculePGD
        from rdkit import Chem

        def read(texts: Sequence[str]) -> list[Any]:
            return [Chem.MolFromSmiles(text) for text in texts[:n]]

        return float(MoleculePGD(read(reference)).compute(read(generated))["pgd"])

    return _attempt(len(generated), len(reference), compute)


def graph_discrepancy(generated: GraphSet, reference: GraphSet) -> Estimate:
    """PGD: how well a classifier tells generated graphs from real ones (labels play no part).

    Args:
        generated: in random order; as many are used as there are on the smaller side.
        reference: likewise.

    Returns:
        In [0, 1], an estimated lower bound on the Jensen-Shannon distance; its interval is
        `Undefined` (the package's own needs twice the graphs and ten times the time). `Undefined`
        with the reason when anything in the package fails.

    Raises:
        MissingDependency: polygraph-benchmark is not there.

    Source: Krimmel et al. 2025 (PolyGraph).
    """
    find_polygraph()

    def compute(n: int) -> float:
        from polygraph.metrics.standard_pgd import StandardPGD

        from graphassay.interop import to_networkx

        def read(graphs: GraphSet) -> list[Any]:
            return [to_networkx(graph) for graph in graphs[:n]]

        return float(StandardPGD(read(reference)).compute(read(generated))["pgd"])

    return _attempt(len(generated), len(reference), compute)


def _attempt(n_generated: int, n_reference: int, compute: Any) -> Estimate:
    n = min(n_generated, n_reference)
    if n < MIN_GRAPHS:
        reason = Undefined(f"needs at least {MIN_GRAPHS} graphs on each side, got {n}")
        return Estimate(reason, reason, reason, n, "none", LEVEL)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            value = compute(n)
    except Exception as error:  # noqa: BLE001 - somebody else's package: any failure is a reason
        first = (str(error).strip().splitlines() or [""])[0]
        reason = Undefined(f"polygraph-benchmark failed: {type(error).__name__}: {first}")
        return Estimate(reason, reason, reason, n, "none", LEVEL)
    failed = [str(w.message) for w in caught if str(w.message).startswith(_FAILED)]
    if failed:
        reason = Undefined(f"polygraph-benchmark failed: {failed[0].splitlines()[0]}")
        return Estimate(reason, reason, reason, n, "none", LEVEL)
    nothing = Undefined("not computed: it takes ten more classifiers on half the graphs")
    return Estimate(value, nothing, nothing, n, "none", LEVEL)
