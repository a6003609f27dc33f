"""Quality and fidelity of a generated set: every metric that users of the field expect."""

from collections.abc import Callable, Collection, Iterator

import numpy as np
import numpy.typing as npt

from graphassay.assay.molecule_quality import MOLECULE_METRICS, MoleculeJobs
from graphassay.assay.molecule_sets import molecule_options
from graphassay.assay.roles import Roles, sample
from graphassay.cores import n_cores
from graphassay.errors import InvalidInput, MissingDependency, NothingToCompare
from graphassay.graph import GraphSet
from graphassay.metrics.generation import (
    GenerationCounts,
    distinct_novelty,
    uniqueness,
    valid_unique_novel,
)
from graphassay.metrics.graph_quality import GraphMetricOptions, graph_quality
from graphassay.metrics.planarity import connected_planar, planar_validity
from graphassay.metrics.polygraph import find_polygraph, graph_discrepancy
from graphassay.results import Estimate, Undefined
from graphassay.results.quality import (
    PropertyDistribution,
    Quality,
    QualityMetric,
    Split,
)

COPY_METRICS = ("graph_uniqueness", "graph_novelty")
PLANAR_METRICS = ("planar_validity", "planar_vun")
GRAPH_METRICS = (
    "degree_mmd",
    "clustering_mmd",
    "orbit_mmd",
    "spectral_mmd",
    "wl_mmd",
    "wl_coverage",
    "wl_diversity",
)
QUALITY_METRICS = (*MOLECULE_METRICS, *COPY_METRICS, *PLANAR_METRICS, *GRAPH_METRICS)
"""Every metric, by the key of its card, in the order in which to show them."""

MAX_MOLECULES = 10_000
MAX_GRAPHS_FOR_PGD = 2_048
MAX_PLANAR_CHECKED = 2_048

NO_MOLECULES = "the graphs are no molecules (neither set was read as molecules)"


def quality(
    train: GraphSet,
    generated: GraphSet,
    *,
    holdout: GraphSet | None = None,
    metrics: Collection[str] | None = None,
    reference: Split = "train",
    max_molecules: int = MAX_MOLECULES,
    graph_options: GraphMetricOptions | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Callable[[str], None] | None = None,
) -> Quality:
    """Quality and fidelity metrics of a generated set (DEFINITIONS 8 and 10).

    Args:
        train: what the model was trained on.
        generated: what it generated; records that gave no graph count as generated.
        holdout: real graphs that the model never saw: the same metrics are computed with as many of
            them in the place of the generated graphs, which is what a perfect generator would get.
        metrics: keys of `QUALITY_METRICS`; default all. Those that do not apply are ``skipped``.
        reference: what generated graphs are held against: ``train``, or ``holdout`` as MOSES does
            with its test set. The real graphs are then the training graphs.
        max_molecules: molecules per set in the distributions (FCD, SNN, parts, properties), chosen
            at random; rates are of all.
        graph_options: kernels and sizes of the whole-graph metrics.
        seed: same seed, same result, whatever the threads.
        threads: default all cores.
        progress: called with the name of each phase as it begins.

    Raises:
        InvalidInput: an unknown metric, an option out of range.
        NothingToCompare: no training graph, or no generated record.

    Example:
        >>> from graphassay import datasets
        >>> molecules = datasets.load("qm9-sample")
        >>> found = quality(molecules[:200], molecules[200:300], metrics=["validity", "snn"])
        >>> [metric.key for metric in found.metrics]
        ['validity', 'snn']
    """
    wanted = check_metrics(metrics)
    if max_molecules < 1:
        raise InvalidInput(f"max_molecules: expected at least 1, got {max_molecules}")
    if reference not in ("train", "holdout"):
        raise InvalidInput(f"reference: expected 'train' or 'holdout', got {reference!r}")
    if reference == "holdout" and holdout is None:
        raise InvalidInput("reference: expected a holdout to compare with, got none")
    roles = Roles(train, generated, holdout, reference, seed, threads, progress or (lambda _: None))
    _check_sets(roles)
    found: list[QualityMetric] = []
    properties: list[PropertyDistribution] = []
    skipped: dict[str, Undefined] = {}
    notes: list[str] = []
    options = molecule_options(train, generated, holdout)
    if options is not None:
        jobs = MoleculeJobs(roles, options, wanted, max_molecules, skipped, notes)
        found += jobs.metrics()
        properties += jobs.properties()
    else:
        of_molecules = [key for key in wanted if key in MOLECULE_METRICS and key != "pgd"]
        skipped.update(dict.fromkeys(of_molecules, Undefined(NO_MOLECULES)))
        found += _polygraph(roles, wanted, skipped)
    found += _copies(roles, wanted)
    found += _planar(roles, wanted, skipped)
    found += _whole_graphs(roles, wanted, graph_options)
    notes += _remarks(roles)
    return Quality(
        metrics=tuple(found),
        properties=tuple(properties),
        skipped=tuple((key, skipped[key]) for key in QUALITY_METRICS if key in skipped),
        notes=tuple(dict.fromkeys(notes)),
    )


def check_metrics(metrics: Collection[str] | None) -> tuple[str, ...]:
    """The metrics in the order in which to show them; None stands for all.

    Raises:
        InvalidInput: an unknown one, or none at all.
    """
    if metrics is None:
        return QUALITY_METRICS
    unknown = sorted(set(metrics) - set(QUALITY_METRICS))
    if unknown:
        raise InvalidInput(
            f"metrics: expected any of {', '.join(QUALITY_METRICS)}; got {unknown[0]!r}"
        )
    if not metrics:
        raise InvalidInput("metrics: expected at least one, got none")
    return tuple(key for key in QUALITY_METRICS if key in set(metrics))


def _check_sets(roles: Roles) -> None:
    sets = {"train": roles.train, "holdout": roles.holdout}
    for role, graphs in sets.items():
        if graphs is not None and not len(graphs):
            raise NothingToCompare(f"{role}: expected graphs, got none; nothing to compare")
    if not len(roles.generated) + roles.n_failed:
        raise NothingToCompare("generated: expected records, got none; nothing to compare")


def _copies(roles: Roles, wanted: Collection[str]) -> Iterator[QualityMetric]:
    """Uniqueness and novelty by isomorphism, of all graphs whether valid or not."""
    if not set(COPY_METRICS) & set(wanted):
        return
    known = set(np.unique(roles.classes["train"]).tolist())
    counts = {
        role: GenerationCounts.of(found.tolist(), known, n_records=len(found))
        for role, found in roles.classes.items()
    }
    detail = "isomorphism with labels"
    beside = counts.get("fresh")
    if "graph_uniqueness" in wanted:
        real = None if beside is None else uniqueness(beside)
        value = uniqueness(counts["generated"])
        yield QualityMetric("graph_uniqueness", value, real=real, detail=detail)
    if "graph_novelty" in wanted:
        from_train = roles.reference == "holdout"  # novelty would be 0 by construction
        real = None if beside is None or from_train else distinct_novelty(beside)
        value = distinct_novelty(counts["generated"])
        yield QualityMetric("graph_novelty", value, "train", len(roles.train), real, detail)


def _planar(
    roles: Roles, wanted: Collection[str], skipped: dict[str, Undefined]
) -> Iterator[QualityMetric]:
    """Planar validity, and V x U x N with it, where train is planar and has no labels."""
    keys = [key for key in PLANAR_METRICS if key in wanted]
    if not keys:
        return
    reason = _why_not_planar(roles)
    if reason is not None:
        skipped.update(dict.fromkeys(keys, Undefined(reason)))
        return
    roles.progress("testing planarity")
    n_failed = roles.n_failed
    valid = connected_planar(roles.generated)
    fresh = None if roles.fresh is None else connected_planar(roles.fresh)
    if "planar_validity" in wanted:
        value = planar_validity(roles.generated, n_failed=n_failed, valid=valid)
        real: Estimate | None = None
        if roles.fresh is not None:
            real = planar_validity(roles.fresh, valid=fresh)
        yield QualityMetric("planar_validity", value, real=real, detail="connected and planar")
    if "planar_vun" in wanted:
        known = set(np.unique(roles.classes["train"]).tolist())
        counts = GenerationCounts.of(
            roles.classes["generated"][valid].tolist(),
            known,
            n_records=len(roles.generated) + n_failed,
        )
        yield QualityMetric(
            "planar_vun",
            valid_unique_novel(counts),
            "train",
            len(roles.train),
            _planar_vun_of_real(roles, fresh, known),
            "connected and planar; isomorphism",
        )


def _planar_vun_of_real(
    roles: Roles, valid: npt.NDArray[np.bool_] | None, known: Collection[int]
) -> Estimate | None:
    if valid is None or roles.reference == "holdout":
        return None
    classes = roles.classes["fresh"][valid]
    counts = GenerationCounts.of(classes.tolist(), known, n_records=len(valid))
    return valid_unique_novel(counts)


def _why_not_planar(roles: Roles) -> str | None:
    for name, graphs in (("train", roles.train), ("generated", roles.generated)):
        if any(len(np.unique(x)) > 1 for x in (graphs.vertex_labels, graphs.edge_labels)):
            return f"planar validity is for graphs without labels; {name} has some"
    some = sample(roles.train, MAX_PLANAR_CHECKED, np.random.default_rng([roles.seed, 98]))
    if not connected_planar(some).all():
        return "planar validity is for sets whose training graphs are connected and planar"
    return None


def _whole_graphs(
    roles: Roles, wanted: Collection[str], options: GraphMetricOptions | None
) -> Iterator[QualityMetric]:
    keys = set(GRAPH_METRICS) & set(wanted)
    if not keys:
        return
    roles.progress("comparing whole graphs")
    yield from graph_quality(
        roles.train,
        roles.generated,
        roles.holdout,
        reference=roles.reference,
        metrics=keys,
        options=options,
        seed=roles.seed,
        threads=roles.threads or n_cores(),
    )


def _polygraph(
    roles: Roles, wanted: Collection[str], skipped: dict[str, Undefined]
) -> Iterator[QualityMetric]:
    """PolyGraph Discrepancy of graphs that are no molecules."""
    if "pgd" not in wanted:
        return
    try:
        find_polygraph()
    except MissingDependency as error:
        skipped["pgd"] = Undefined(str(error))
        return
    roles.progress("PolyGraph Discrepancy")
    rng = np.random.default_rng([roles.seed, 97])
    sides = [
        graphs.take(rng.permutation(len(graphs))[:MAX_GRAPHS_FOR_PGD])
        for graphs in (roles.generated, roles.against)
    ]
    found = graph_discrepancy(*sides)
    if isinstance(found.value, Undefined):
        skipped["pgd"] = found.value
        return
    yield QualityMetric("pgd", found, roles.reference, found.n, detail="StandardPGD, TabPFN")


def _remarks(roles: Roles) -> Iterator[str]:
    """What a reader must know before comparing the numbers."""
    real, split = roles.real, "holdout" if roles.reference == "train" else "train"
    if real is not None and len(real) < len(roles.generated):
        yield (
            f"{split} has fewer graphs ({len(real):,}) than were generated "
            f"({len(roles.generated):,}): its numbers are of a smaller set"
        )
    if roles.train.molecules != roles.generated.molecules:
        yield (
            "train and generated did not become graphs in the same way "
            f"({roles.train.molecules} against {roles.generated.molecules})"
        )
