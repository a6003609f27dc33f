"""Result records of an audit, and their JSON form.

A report is built from these records alone, so every report can be rebuilt from its
``results.json``. Numbers that do not exist are `Undefined` with the reason, never NaN, 0 or null.
"""

import dataclasses
import json
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from graphassay.errors import InvalidInput, UnreadableFile
from graphassay.intake import IntakeReport

SCHEMA_VERSION = 1

VerdictKind = Literal["memorization-dominated", "beyond-memorization", "misaligned", "undecided"]


@dataclass(frozen=True)
class Undefined:
    """A number that does not exist for this input, and why."""

    reason: str


Value = float | Undefined


@dataclass(frozen=True)
class Estimate:
    """A value with its interval.

    ``low`` and ``high`` bound the ``level`` interval made by ``method``; ``n`` is the denominator
    (graphs, records or patterns, as the field that holds the estimate says).
    """

    value: Value
    low: Value
    high: Value
    n: int
    method: str
    level: float = 0.95


@dataclass(frozen=True)
class Distribution:
    """Values of one metric over draws of a reference; summaries leave out undefined draws."""

    values: tuple[Value, ...]
    median: Value
    mean: Value
    sd: Value
    low: Value
    """2.5 % quantile."""
    high: Value
    """97.5 % quantile."""


@dataclass(frozen=True)
class CopyRates:
    """Whole-graph memorization of one set against train, by isomorphism class (DEFINITIONS 5).

    ``exact_match``, ``novelty``, ``unique`` and ``failed`` are shares of all ``n_records``
    (failed generations included); ``recall`` is a share of the ``n_train_classes``.
    """

    n_records: int
    n_failed: int
    n_memorized: int
    n_classes: int
    n_train: int
    n_train_classes: int
    n_train_reproduced: int
    exact_match: Estimate
    novelty: Estimate
    unique: Estimate
    failed: Estimate
    recall: Estimate


@dataclass(frozen=True)
class MetricComparison:
    """One alignment metric of the model beside the same metric of each reference.

    ``model`` is the mean over the runs (one run, or one per training subsample); ``per_run`` lists
    them. ``references`` is keyed ``bootstrap`` (photocopier), ``holdout`` (fresh real data) and
    ``rewired`` (chance); a reference that was not asked for is absent. ``percentile`` (0-100),
    ``z`` and ``delta`` place the model in the bootstrap (DEFINITIONS 6).
    """

    model: Estimate
    per_run: tuple[Value, ...]
    run_sd: Value
    references: Mapping[str, Distribution]
    percentile: Value
    z: Value
    delta: Value


@dataclass(frozen=True)
class PatternCounts:
    """How many patterns are frequent where, mean over the runs."""

    train: float
    generated: float
    shared: float


@dataclass(frozen=True)
class Alignment:
    """Alignment of frequent patterns (DEFINITIONS 4 and 6).

    ``metrics`` is keyed ``rho`` (Spearman over the intersection), ``rho_train`` (over P_tr,
    missing = 0), ``jsd`` (natural log, at most ln 2), ``missing_mass``, ``novel_mass``.
    """

    n_runs: int
    n_train_per_run: int
    n_generated: int
    min_count_train: int
    min_count_generated: int
    patterns: PatternCounts
    metrics: Mapping[str, MetricComparison]


@dataclass(frozen=True)
class StratumScores:
    """Scores inside one stratum of P_tr (DEFINITIONS 7); ``coverage`` = shared / patterns."""

    coverage: Value
    missing_mass: Value
    jsd: Value
    rho: Value
    rho_train: Value


@dataclass(frozen=True)
class Stratum:
    """Head, torso or tail of the training patterns: the model's scores and each reference's
    median draw (keys as in `MetricComparison.references`).
    """

    name: Literal["head", "torso", "tail"]
    n_patterns: int
    n_shared: int
    train_support_low: float
    train_support_high: float
    model: StratumScores
    references: Mapping[str, StratumScores]


@dataclass(frozen=True)
class NovelOnly:
    """The generated graphs that are not in train, alone, beside random subsets of all
    generations of the same size (DEFINITIONS 8). Keys of the mappings as in `Alignment`.
    """

    n_novel: int
    metrics: Mapping[str, Value]
    control: Mapping[str, Distribution]
    percentile: Mapping[str, Value]
    """Where the novel-only value lies among the controls, 0-100."""


@dataclass(frozen=True)
class DrawnGraph:
    """A graph small enough to draw; ``smiles`` where it is a whole molecule."""

    vertex_labels: tuple[str, ...]
    edges: tuple[tuple[int, int, str], ...]
    smiles: str | None = None


@dataclass(frozen=True)
class PatternRecord:
    """One pattern with its supports (shares of graphs, 0-1). ``bootstrap_low/high`` is the 95 %
    range of its support over bootstrap resamples.
    """

    code: str
    graph: DrawnGraph
    train: float
    generated: float
    bootstrap_low: float
    bootstrap_high: float


@dataclass(frozen=True)
class GraphRecord:
    """One generated graph shown in a gallery; ``n`` times generated."""

    graph: DrawnGraph
    n: int
    source: str
    place: int | None


@dataclass(frozen=True)
class Galleries:
    """What the report shows: a bounded, seeded selection; all patterns are in patterns.parquet."""

    scatter: tuple[PatternRecord, ...]
    n_scatter_of: int
    most_missing: tuple[PatternRecord, ...]
    most_invented: tuple[PatternRecord, ...]
    memorized: tuple[GraphRecord, ...]
    novel: tuple[GraphRecord, ...]


@dataclass(frozen=True)
class SensitivityRow:
    """The headline numbers under other mining options."""

    min_support: float | int
    max_vertices: int
    n_train_patterns: int
    n_generated_patterns: int
    metrics: Mapping[str, Value]
    bootstrap_median: Mapping[str, Value]
    z: Mapping[str, Value]


@dataclass(frozen=True)
class Check:
    """One rule of the verdict: what it asks, what was measured, whether it holds
    (None: the interval does not decide).
    """

    rule: str
    measured: str
    holds: bool | None


@dataclass(frozen=True)
class Verdict:
    """Two sentences and the rules behind them."""

    kind: VerdictKind
    headline: str
    reason: str
    checks: tuple[Check, ...]


@dataclass(frozen=True)
class SetSummary:
    """One input: its intake and its size."""

    intake: IntakeReport
    n_graphs: int
    n_classes: int
    mean_vertices: float
    mean_edges: float
    vertex_labels: tuple[str, ...]
    edge_labels: tuple[str, ...]


@dataclass(frozen=True)
class Provenance:
    """What is needed to run it again."""

    command: str
    created: str
    elapsed_s: float
    seed: int
    threads: int
    versions: Mapping[str, str]
    phases_s: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class AuditResult:
    """Everything that one audit found. ``inputs`` and ``copying`` are keyed by role:
    ``train`` (inputs only), ``generated``, ``holdout``, ``rewired`` (copying only).
    """

    name: str
    provenance: Provenance
    options: Mapping[str, int | float | str | bool | None]
    inputs: Mapping[str, SetSummary]
    copying: Mapping[str, CopyRates]
    alignment: Alignment
    strata: tuple[Stratum, ...]
    novel_only: NovelOnly | Undefined
    galleries: Galleries
    verdict: Verdict
    sensitivity: tuple[SensitivityRow, ...] = ()
    expected_repeats: Estimate | None = None
    """How often one more real graph would repeat a training graph (Good-Turing, from train)."""
    notes: tuple[str, ...] = ()
    """What a reader must know before comparing numbers (labels, sizes, draws)."""
    schema_version: int = SCHEMA_VERSION


def dumps(record: Any) -> str:
    """JSON text of a record, keys in field order, 2-space indent; refuses NaN and infinity."""
    return json.dumps(_encode(record), indent=2, allow_nan=False, ensure_ascii=False) + "\n"


def loads(text: str, *, source: str = "results") -> AuditResult:
    """The audit that `dumps` wrote.

    Raises:
        UnreadableFile: not JSON, another schema version, or fields missing or of a wrong type.
    """
    try:
        data = json.loads(text)
    except ValueError as error:
        raise UnreadableFile(f"{source}: not JSON ({error})") from None
    if not isinstance(data, dict) or "schema_version" not in data:
        raise UnreadableFile(f"{source}: expected the results.json of an audit")
    if data["schema_version"] != SCHEMA_VERSION:
        raise UnreadableFile(
            f"{source}: expected schema version {SCHEMA_VERSION}, got {data['schema_version']!r}; "
            "run the audit again with this version of graphassay"
        )
    try:
        result = _decode(AuditResult, data, source)
    except InvalidInput as error:
        raise UnreadableFile(str(error)) from None
    assert isinstance(result, AuditResult)
    return result


def load(path: str | Path) -> AuditResult:
    """Read a ``results.json`` (or the report folder that holds one)."""
    file = Path(path)
    if file.is_dir():
        file = file / "results.json"
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise UnreadableFile(f"{file}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise UnreadableFile(f"{file}: not a text file") from None
    return loads(text, source=str(file))


def _encode(value: Any) -> Any:
    if isinstance(value, Undefined):
        return {"undefined": value.reason}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: _encode(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _encode(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [_encode(item) for item in value]
    return value


def _decode(kind: Any, data: Any, where: str) -> Any:
    origin = typing.get_origin(kind)
    if origin in (typing.Union, types.UnionType):
        return _decode_union(typing.get_args(kind), data, where)
    if origin is Literal:
        if data in typing.get_args(kind):
            return data
        raise InvalidInput(f"{where}: expected one of {typing.get_args(kind)}, got {data!r}")
    if kind is Undefined:
        if isinstance(data, dict) and set(data) == {"undefined"}:
            return Undefined(data["undefined"])
        raise InvalidInput(f"{where}: expected an undefined value, got {data!r}")
    if dataclasses.is_dataclass(kind):
        return _decode_record(kind, data, where)
    if origin is tuple:
        return _decode_tuple(typing.get_args(kind), data, where)
    if origin is not None and issubclass(origin, Mapping):
        if not isinstance(data, dict):
            raise InvalidInput(f"{where}: expected an object, got {data!r}")
        item = typing.get_args(kind)[1]
        return {key: _decode(item, value, f"{where}.{key}") for key, value in data.items()}
    return _decode_scalar(kind, data, where)


def _decode_scalar(kind: Any, data: Any, where: str) -> Any:
    if kind is float and isinstance(data, int) and not isinstance(data, bool):
        return float(data)
    if kind is type(None) and data is None:
        return None
    if isinstance(kind, type) and type(data) is kind:
        return data
    raise InvalidInput(f"{where}: expected {getattr(kind, '__name__', kind)}, got {data!r}")


def _decode_union(options: tuple[Any, ...], data: Any, where: str) -> Any:
    # An exact type first, so that int | float keeps an int an int.
    for option in options:
        if isinstance(option, type) and type(data) is option:
            return data
    for option in options:
        try:
            return _decode(option, data, where)
        except InvalidInput:
            continue
    raise InvalidInput(f"{where}: got {data!r}, which fits none of {options}")


def _decode_record(kind: Any, data: Any, where: str) -> Any:
    if not isinstance(data, dict):
        raise InvalidInput(f"{where}: expected an object, got {data!r}")
    hints = typing.get_type_hints(kind)
    values = {}
    for f in dataclasses.fields(kind):
        if f.name in data:
            values[f.name] = _decode(hints[f.name], data[f.name], f"{where}.{f.name}")
        elif f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING:
            raise InvalidInput(f"{where}: the field {f.name!r} is missing")
    return kind(**values)


def _decode_tuple(items: tuple[Any, ...], data: Any, where: str) -> Any:
    if not isinstance(data, list):
        raise InvalidInput(f"{where}: expected a list, got {data!r}")
    if len(items) == 2 and items[1] is Ellipsis:
        return tuple(_decode(items[0], item, f"{where}[{i}]") for i, item in enumerate(data))
    if len(items) != len(data):
        raise InvalidInput(f"{where}: expected {len(items)} items, got {len(data)}")
    return tuple(
        _decode(kind, item, f"{where}[{i}]")
        for i, (kind, item) in enumerate(zip(items, data, strict=True))
    )
