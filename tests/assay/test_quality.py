"""The quality record: what applies is computed, what does not says why."""

import dataclasses
import json
import math
from collections.abc import Sequence

import numpy as np
import pytest

from graphassay import datasets
from graphassay.assay import molecule_quality
from graphassay.assay import quality as quality_module
from graphassay.assay.quality import (
    GRAPH_METRICS,
    NO_MOLECULES,
    PLANAR_METRICS,
    QUALITY_METRICS,
    quality,
)
from graphassay.errors import InvalidInput, MissingDependency, NothingToCompare
from graphassay.graph import Graph, GraphSet, MoleculeOptions
from graphassay.intake import IntakeReport, Refusal
from graphassay.metric_cards import CARDS, QUALITY
from graphassay.metric_cards.molecules import MOLECULES
from graphassay.metrics import graph_quality as graph_quality_module
from graphassay.molecules import molecules_to_graphs
from graphassay.results import Undefined, dumps
from graphassay.results.files import _decode
from graphassay.results.quality import Quality

CHEAP = [key for key in QUALITY_METRICS if key not in ("fcd", "pgd")]


def from_smiles(*smiles: str, **options: object) -> GraphSet:
    from rdkit import Chem

    mols = [Chem.MolFromSmiles(text) for text in smiles]
    return molecules_to_graphs(mols, MoleculeOptions(**options))


def values(found: Quality) -> dict[str, object]:
    return {m.key: m.value.value for m in found.metrics}


@pytest.fixture(scope="module")
def sets() -> tuple[GraphSet, GraphSet, GraphSet]:
    molecules = datasets.load("qm9-sample")
    return molecules[:300], molecules[250:400], molecules[400:600]


def test_every_metric_has_a_card() -> None:
    assert set(QUALITY_METRICS) == set(QUALITY)
    assert set(QUALITY_METRICS) - set(GRAPH_METRICS) - {"planar_validity"} == set(MOLECULES)


def test_molecules_with_a_holdout(sets) -> None:
    train, generated, holdout = sets
    phases: list[str] = []
    found = quality(
        train, generated, holdout=holdout, metrics=CHEAP, threads=1, progress=phases.append
    )
    assert phases
    reported = [m.key for m in found.metrics]
    assert reported == [key for key in QUALITY_METRICS if key in reported]
    skipped = dict(found.skipped)
    assert set(reported) | set(skipped) | {p.key for p in found.properties} == set(CHEAP)
    assert set(skipped) == {"atom_stability", "molecule_stability", *PLANAR_METRICS}
    assert "--hydrogens explicit-h" in skipped["atom_stability"].reason
    for metric in found.metrics:
        card, value = CARDS[metric.key], metric.value.value
        assert card.low <= value <= card.high
        assert metric.value.low <= value <= metric.value.high
        assert metric.value.n > 0
        assert card.low <= metric.real.low <= metric.real.value <= metric.real.high <= card.high
        assert metric.detail
    assert values(found)["validity"] == 1.0
    # 50 of the 150 generated molecules are training molecules; the sample has no duplicates
    assert values(found)["distinct_novelty"] == pytest.approx(2 / 3)
    assert values(found)["graph_novelty"] == pytest.approx(2 / 3, abs=0.02)
    by_key = {m.key: m for m in found.metrics}
    assert by_key["distinct_novelty"].real.value == 1.0
    assert (by_key["snn"].reference, by_key["snn"].n_reference) == ("train", 300)
    assert by_key["snn"].value.low > by_key["snn"].real.high  # it holds copies
    for spread in found.properties:
        assert sum(spread.generated) == pytest.approx(1)
        assert sum(spread.reference) == pytest.approx(1)
        assert len(spread.edges) == len(spread.generated) + 1
        assert spread.distance.value >= 0
        assert spread.real.low <= spread.real.value <= spread.real.high
    assert _decode(Quality, json.loads(dumps(found)), "q") == found
    again = quality(train, generated, holdout=holdout, metrics=CHEAP, threads=2)
    assert again == found


def test_failed_records_stay_in_the_denominators() -> None:
    graphs = from_smiles("CCO", "OCC", "CCN")
    intake = IntakeReport("x", "memory", 5, 3, (Refusal("none", 2, ()),))
    generated = dataclasses.replace(graphs, intake=intake)
    found = quality(from_smiles("CCN"), generated, metrics=["validity", "uniqueness", "vun"])
    assert values(found) == {"validity": 0.6, "uniqueness": pytest.approx(2 / 3), "vun": 0.2}
    assert found.metrics[0].value.n == 5


def test_graphs_that_are_no_molecules_are_invalid_and_never_reach_a_descriptor() -> None:
    five_bonds = Graph("CCCCCC", [(0, i, "-") for i in range(1, 6)])
    generated = GraphSet.from_graphs(
        [five_bonds, Graph(["C", "O"], [(0, 1, "-")])], molecules=MoleculeOptions()
    )
    found = quality(from_smiles("CO", "CN"), generated, metrics=["validity", "snn", "weight"])
    assert values(found)["validity"] == 0.5
    assert found.metrics[1].value.n == 1
    assert found.properties[0].distance.n == 1


def test_nothing_valid_is_undefined_and_not_0() -> None:
    five_bonds = Graph("CCCCCC", [(0, i, "-") for i in range(1, 6)])
    generated = GraphSet.from_graphs([five_bonds], molecules=MoleculeOptions())
    wanted = [key for key in CHEAP if key in MOLECULES]
    found = quality(from_smiles("CO", "c1ccc2ccccc2c1"), generated, metrics=wanted)
    assert values(found)["validity"] == 0.0
    assert values(found)["vun"] == 0.0
    for key in ("uniqueness", "distinct_novelty", "snn", "int_div", "fragment_similarity"):
        assert isinstance(values(found)[key], Undefined), key
    assert all(isinstance(p.distance.value, Undefined) for p in found.properties)


@pytest.mark.parametrize(
    ("graph", "atoms"),
    [
        (Graph(["H", "O", "H"], [(0, 1, ":"), (1, 2, ":")]), 0.0),
        (Graph(["C", "H", "H", "H"], [(0, 1, "-"), (0, 2, "-"), (0, 3, "-")]), 0.75),
        (Graph(["N+", "H", "H", "H"], [(0, 1, "-"), (0, 2, "-"), (0, 3, "-")]), 0.75),
    ],
)
def test_unstable_molecules(graph: Graph, atoms: float) -> None:
    options = MoleculeOptions(hydrogens="explicit-h", charges=True)
    train = from_smiles("C", hydrogens="explicit-h", charges=True)
    generated = GraphSet.from_graphs([graph], molecules=options)
    found = quality(
        train, generated, holdout=train, metrics=["molecule_stability", "atom_stability"]
    )
    assert values(found) == {"atom_stability": atoms, "molecule_stability": 0.0}
    assert [m.real.value for m in found.metrics] == [1.0, 1.0]


def test_single_molecules_and_molecules_without_bonds() -> None:
    argon = from_smiles("[Ar]", "[H][H]")
    found = quality(argon[:1], argon[:1], holdout=argon[1:], metrics=CHEAP)
    for metric in found.metrics:
        numbers = (metric.value.value, metric.value.low, metric.value.high)
        assert all(isinstance(x, Undefined) or math.isfinite(x) for x in numbers), metric.key
    assert values(found)["snn"] == 1.0
    assert isinstance(values(found)["scaffold_similarity"], Undefined)


def test_planar_graphs_without_labels() -> None:
    planar = datasets.load("planar", split="train")
    rng = np.random.default_rng(0)
    order = rng.permutation(64)
    copy = planar[0].relabelled(order.tolist())
    full = Graph("*" * 6, [(i, j, "*") for i in range(6) for j in range(i)])
    fresh = datasets.load("planar", split="test")
    generated = GraphSet.from_graphs([copy, fresh[0], fresh[0], full])
    found = quality(
        planar, generated, holdout=fresh, metrics=[*PLANAR_METRICS, "graph_uniqueness", "validity"]
    )
    assert values(found) == {
        "graph_uniqueness": 0.75,
        "planar_validity": 0.75,
        "planar_vun": 0.25,
    }
    assert {m.key: m.real for m in found.metrics}["planar_vun"].value == 1.0
    assert found.skipped == (("validity", Undefined(NO_MOLECULES)),)


def test_planarity_of_a_set_is_tested_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from graphassay.metrics import planarity

    planar = datasets.load("planar")
    tested: list[int] = []

    def counted(graphs: GraphSet) -> object:
        tested.append(len(graphs))
        return connected(graphs)

    connected = planarity.connected_planar
    for module in (planarity, graph_quality_module, quality_module):
        monkeypatch.setattr(module, "connected_planar", counted)
    wanted = [*PLANAR_METRICS, *GRAPH_METRICS]
    found = quality(planar[:20], planar[20:30], holdout=planar[30:37], metrics=wanted)
    assert len(found.metrics) == len(wanted)
    assert sorted(tested) == [7, 10, 20]


@pytest.mark.parametrize(
    "graphs",
    [[Graph("**")], [Graph("**"), Graph("***")], [Graph("***", [(0, 1, "*")]), Graph("**")]],
)
def test_graphs_without_edges_and_single_graphs(graphs: list[Graph]) -> None:
    some = GraphSet.from_graphs(graphs)
    found = quality(some, some, metrics=CHEAP)
    assert {m.key for m in found.metrics} == {"graph_uniqueness", "graph_novelty", *GRAPH_METRICS}
    for metric in found.metrics:
        assert isinstance(metric.value.value, Undefined) or math.isfinite(metric.value.value)
    assert "connected and planar" in dict(found.skipped)["planar_vun"].reason


def test_a_holdout_as_the_reference(sets) -> None:
    train, generated, holdout = sets
    metrics = ["snn", "distinct_novelty", "weight"]
    found = quality(train, generated, holdout=holdout, metrics=metrics, reference="holdout")
    by_key = {m.key: m for m in found.metrics}
    assert (by_key["snn"].reference, by_key["snn"].n_reference) == ("holdout", 200)
    assert by_key["snn"].real is not None
    assert by_key["distinct_novelty"].reference == "train"
    assert by_key["distinct_novelty"].real is None
    swapped = quality(holdout, generated, holdout=train, metrics=["weight"])
    assert found.properties[0].distance.value == swapped.properties[0].distance.value


def test_diversity_reads_no_reference(sets, monkeypatch: pytest.MonkeyPatch) -> None:
    train, generated, holdout = sets
    every = quality(train, generated, holdout=holdout, metrics=["snn", "int_div"])
    read: list[int] = []
    describe = molecule_quality.describe
    monkeypatch.setattr(
        molecule_quality,
        "describe",
        lambda smiles, *rest, **more: read.append(len(smiles)) or describe(smiles, *rest, **more),
    )
    alone = quality(train, generated, holdout=holdout, metrics=["int_div"])
    assert alone.metrics == every.metrics[1:]
    assert read == [150, 150]  # generated and as many real ones; of 300 training molecules, none


def test_a_missing_package_is_skipped_with_the_extra_named(
    sets, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing() -> None:
        raise MissingDependency("needs the package 'fcd'; pip install 'graphassay[quality]'")

    monkeypatch.setattr(molecule_quality, "find_fcd", missing)
    found = quality(sets[0], sets[1], metrics=["fcd", "validity"])
    assert list(values(found)) == ["validity"]
    ((key, reason),) = found.skipped
    assert key == "fcd"
    assert "graphassay[quality]" in reason.reason


def test_fcd_of_few_molecules_is_undefined(sets, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(molecule_quality, "find_fcd", lambda: None)
    train, generated, _ = sets
    found = quality(train[:20], generated[:20], metrics=["fcd"])
    assert values(found)["fcd"] == Undefined("needs at least 513 generated molecules, got 20")


@pytest.fixture
def chemnet(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Eight numbers of each SMILES in the place of ChemNet's 512; how many each call read."""
    calls: list[int] = []

    def activations(smiles: Sequence[str], *, threads: int | None) -> np.ndarray:
        assert smiles
        calls.append(len(smiles))
        rows = [np.random.default_rng(list(text.encode())).normal(size=8) for text in smiles]
        return np.stack(rows).astype(np.float32)

    monkeypatch.setattr(molecule_quality, "find_fcd", lambda: None)
    monkeypatch.setattr(molecule_quality, "chemnet_activations", activations)
    return calls


def test_a_small_holdout_leaves_the_fcd_of_the_generated_molecules(chemnet: list[int]) -> None:
    m = datasets.load("qm9-sample")
    alone = quality(m[:600], m[1000:1600], metrics=["fcd"]).metrics[0]
    assert alone.value.value > 0
    assert sorted(chemnet) == [600, 600]
    chemnet.clear()
    found = quality(m[:600], m[1000:1600], holdout=m[2000:2100], metrics=["fcd"])
    (fcd,) = found.metrics
    assert fcd.value == alone.value
    assert fcd.real.value == Undefined("needs at least 513 real molecules, got 100")
    assert sorted(chemnet) == [600, 600]
    assert "600 against 600 molecules; below 10,000 it is inflated" in fcd.detail
    assert any("FCD of 600 molecules is inflated" in note for note in found.notes)


def test_a_holdout_that_is_large_enough_says_its_size(chemnet: list[int]) -> None:
    m = datasets.load("qm9-sample")
    found = quality(m[:700], m[1000:1600], holdout=m[2000:2550], metrics=["fcd"])
    (fcd,) = found.metrics
    assert fcd.value.value > 0
    assert 0 < fcd.real.low < fcd.real.value < fcd.real.high
    assert fcd.detail.endswith("; real: 550 molecules")
    assert sum("inflated" in note for note in found.notes) == 1
    assert any("FCD of 550 to 600 molecules is inflated" in note for note in found.notes)


@pytest.mark.parametrize("sizes", [(100, 600, 600), (600, 100, 600)])
def test_fcd_of_a_small_side_reads_no_molecule_in_vain(
    chemnet: list[int], sizes: tuple[int, int, int]
) -> None:
    m = datasets.load("qm9-sample")
    n_train, n_generated, n_holdout = sizes
    found = quality(
        m[:n_train],
        m[1000 : 1000 + n_generated],
        holdout=m[2000 : 2000 + n_holdout],
        metrics=["fcd"],
    )
    (fcd,) = found.metrics
    side = "reference" if n_train < n_generated else "generated"
    assert fcd.value.value == Undefined(f"needs at least 513 {side} molecules, got 100")
    assert isinstance(fcd.real.value, Undefined)
    assert not chemnet
    assert not any("inflated" in text for text in (fcd.detail, *found.notes))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metrics": ["fcd", "beauty"]}, "got 'beauty'"),
        ({"metrics": []}, "at least one"),
        ({"max_molecules": 0}, "max_molecules"),
        ({"reference": "test"}, "expected 'train' or 'holdout'"),
        ({"reference": "holdout"}, "expected a holdout"),
    ],
)
def test_bad_options(sets, options, message) -> None:
    with pytest.raises(InvalidInput, match=message):
        quality(sets[0], sets[1], **options)


def test_empty_sets(sets) -> None:
    with pytest.raises(NothingToCompare, match="generated: expected records"):
        quality(sets[0], sets[1][:0])
    with pytest.raises(NothingToCompare, match="train: expected graphs"):
        quality(sets[0][:0], sets[1])
    with pytest.raises(NothingToCompare, match="holdout"):
        quality(sets[0], sets[1], holdout=sets[2][:0])


@pytest.mark.parametrize("options", [{}, {"hydrogens": "explicit-h"}, {"kekulize": True}])
def test_novelty_is_that_of_every_training_smiles(options: dict[str, object]) -> None:
    """Train is only asked for the graphs that could matter; the answer is that of asking all."""
    from rdkit import Chem

    smiles = datasets.load("qm9-sample").sources.to_pylist()[:90]
    aromatic = ["Cc1ccccc1O", "c1ccc2[nH]ccc2c1", "Cc1ncccc1C"]
    train = [*smiles[:50], *aromatic]
    shuffled = [
        Chem.MolToSmiles(Chem.MolFromSmiles(text), doRandom=True, canonical=False)
        for text in [*smiles[30:], *aromatic]
    ]
    known = {Chem.CanonSmiles(text) for text in train}
    expected = {Chem.CanonSmiles(text) for text in shuffled}
    found = quality(
        from_smiles(*train, **options),
        from_smiles(*shuffled, **options),
        metrics=["distinct_novelty", "uniqueness"],
    )
    assert found.metrics[0].value.n == len(shuffled)
    assert values(found)["distinct_novelty"] == len(expected - known) / len(expected)


def test_a_generator_that_only_fails(sets) -> None:
    intake = IntakeReport("x", "smiles", 2, 0, (Refusal("none", 2, ()),))
    nothing = dataclasses.replace(sets[0][:0], intake=intake)
    found = quality(sets[0], nothing, holdout=sets[2], metrics=CHEAP)
    numbers = values(found)
    assert {key for key, value in numbers.items() if value == 0.0} == {"validity", "vun"}
    assert all(isinstance(value, Undefined) for key, value in numbers.items() if key[:1] not in "v")
    assert all(isinstance(p.distance.value, Undefined) for p in found.properties)
