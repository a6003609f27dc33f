"""What an audit asks of its sets and options, said in one line where it is not met."""

import math
from dataclasses import asdict, dataclass

import numpy as np

from graphassay import native
from graphassay.errors import InvalidInput, NothingToCompare
from graphassay.graph import GraphSet
from graphassay.intake import IntakeReport
from graphassay.metrics.alignment import Support

MAX_DRAWS = 100_000
"""Far more resamples than any percentile needs; each is a database in memory."""


MAX_VERTICES = 65_535
"""Of a graph that `graphassay.mining.mine` takes."""


@dataclass(frozen=True)
class Settings:
    """The options that a result depends on (threads do not)."""

    min_support: float | int
    max_vertices: int
    support: Support
    bootstraps: int
    subsample: int
    repeats: int
    n_holdout_draws: int | None
    n_interval_resamples: int | None
    seed: int
    sensitivity: bool

    def as_options(self) -> dict[str, int | float | str | bool | None]:
        """As a result records them."""
        return asdict(self)


def check_settings(settings: Settings) -> Settings:
    """The settings, when every one is in range.

    Raises:
        InvalidInput: otherwise.
    """
    support = settings.min_support
    if isinstance(support, bool) or not isinstance(support, int | float):
        raise InvalidInput(f"min_support: expected a number, got {support!r}")
    if isinstance(support, float) and not 0 < support <= 1:  # also NaN
        raise InvalidInput(
            f"min_support: expected a share in (0, 1], or a count as an integer, got {support}"
        )
    if isinstance(support, int) and support < 1:
        raise InvalidInput(f"min_support: expected a count of at least 1, got {support}")
    if settings.support not in ("frequent", "exact"):
        raise InvalidInput(f"support: expected 'frequent' or 'exact', got {settings.support!r}")
    least = {"max_vertices": 2, "bootstraps": 2, "subsample": 1, "repeats": 1, "seed": 0}
    least |= {"n_holdout_draws": 1, "n_interval_resamples": 10}
    for name, bound in least.items():
        value = getattr(settings, name)
        if value is not None and value < bound:
            raise InvalidInput(f"{name}: expected at least {bound}, got {value}")
    most = {"max_vertices": native.MAX_PATTERN_VERTICES, "bootstraps": MAX_DRAWS}
    most |= {"n_holdout_draws": MAX_DRAWS, "n_interval_resamples": MAX_DRAWS}
    for name, bound in most.items():
        value = getattr(settings, name)
        if value is not None and value > bound:
            raise InvalidInput(f"{name}: expected at most {bound:,}, got {value}")
    return settings


def check_inputs(
    train: GraphSet, generated: GraphSet, holdout: GraphSet | None, settings: Settings
) -> None:
    """Refuse sets that leave nothing to compare.

    Raises:
        NothingToCompare: no graph, no edge, or no label in common.
        InvalidInput: an absolute support that no pattern can reach.
    """
    roles = {"train": train, "generated": generated}
    if holdout is not None:
        roles["holdout"] = holdout
    for role, graphs in roles.items():
        intake = intake_of(role, graphs)
        where = f"{role} ({intake.source})"
        if not len(graphs):
            if intake.n_records:
                first = intake.refused[0].reason if intake.refused else "unknown reason"
                raise NothingToCompare(
                    f"{where}: all {intake.n_records:,} records were refused (mostly: {first}); "
                    "nothing to compare"
                )
            raise NothingToCompare(f"{where}: expected graphs, got an empty set")
        largest = int(graphs.vertex_counts.max())
        if largest > MAX_VERTICES:  # the miner's limit, said before its copies are rewired
            raise InvalidInput(
                f"{where}: graph {int(graphs.vertex_counts.argmax())}: expected at most "
                f"{MAX_VERTICES:,} vertices, got {largest:,}; leave it out"
            )
        if not len(graphs.edge_u):
            raise NothingToCompare(
                f"{where}: none of the {len(graphs):,} graphs has an edge, so there is no pattern"
            )
    size = min(len(train), settings.subsample)
    smallest = min(size, len(generated))
    if isinstance(settings.min_support, int) and settings.min_support > smallest:
        raise InvalidInput(
            f"min_support: {settings.min_support} graphs is more than the {smallest:,} graphs of "
            "the smaller set; give a count within it, or a share such as 0.1"
        )
    for kind in ("vertex", "edge"):
        labels_train, labels_generated = _labels(train, kind), _labels(generated, kind)
        if not labels_train & labels_generated:
            raise NothingToCompare(
                f"train and generated have no {kind} label in common ({_few(labels_train)} "
                f"against {_few(labels_generated)}); write both with the same labels"
            )


def notes_on(
    train: GraphSet, generated: GraphSet, holdout: GraphSet | None, settings: Settings
) -> tuple[str, ...]:
    """What a reader must know before comparing the numbers."""
    notes = []
    for kind in ("vertex", "edge"):
        unknown = _labels(generated, kind) - _labels(train, kind)
        if unknown:
            notes.append(f"generated has {kind} labels that train lacks: {_few(unknown)}")
    if train.molecules != generated.molecules:
        notes.append(
            "train and generated did not become graphs in the same way "
            f"({train.molecules} against {generated.molecules})"
        )
    if len(train) > settings.subsample:
        notes.append(
            f"patterns come from {settings.repeats} random subsets of {settings.subsample:,} of "
            f"the {len(train):,} training graphs; photocopies are drawn from those subsets, so "
            "that they sit closer to them than any other set can; copies are looked up in all "
            "of train"
        )
    if holdout is not None and len(holdout) < 2 * len(generated):
        notes.append(
            f"the holdout ({len(holdout):,} graphs) is smaller than twice the generated set "
            f"({len(generated):,}): its draws repeat graphs and look worse than fresh data would"
        )
    least = (
        settings.min_support
        if isinstance(settings.min_support, int)
        else math.ceil(settings.min_support * len(generated) - 1e-9)
    )
    if least < 5:
        notes.append(
            f"a pattern in {least} generated graph{'s' * (least > 1)} counts as frequent: with so "
            "few graphs many patterns are frequent by chance"
        )
    return tuple(notes)


def intake_of(role: str, graphs: GraphSet) -> IntakeReport:
    """The set's intake; graphs built in memory were all kept."""
    if graphs.intake is not None:
        return graphs.intake
    return IntakeReport(
        source=f"{role}: graphs in memory",
        format="memory",
        n_records=len(graphs),
        n_kept=len(graphs),
    )


def _labels(graphs: GraphSet, kind: str) -> set[str]:
    names = getattr(graphs, f"{kind}_label_names")
    return {names[i] for i in np.unique(getattr(graphs, f"{kind}_labels")).tolist()}


def _few(labels: set[str]) -> str:
    shown = ", ".join(repr(label) for label in sorted(labels)[:6])
    return shown + (", …" if len(labels) > 6 else "")
