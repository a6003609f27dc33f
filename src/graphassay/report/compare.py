"""Several audits on one page: one plane, one table, and a warning where they do not compare."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphassay.errors import InvalidInput
from graphassay.report import numbers as fmt
from graphassay.results import AuditResult, Distribution, Estimate, Undefined, Value

if TYPE_CHECKING:
    from graphassay.report.plane import PlanePoint

COMPARED_OPTIONS = (
    "min_support",
    "max_vertices",
    "support",
    "subsample",
    "hydrogens",
    "kekulize",
    "charges",
    "isotopes",
)
"""Options that change what the numbers mean (where an audit records them)."""


def compare_reports(results: Sequence[AuditResult], path: str | Path) -> Path:
    """Write one page that places several generators on one memorization-alignment plane.

    Args:
        results: two or more audits, at best of the same training set under the same options; the
            page says where they differ.
        path: the HTML file to write (self-contained, no network).

    Returns:
        The path written.

    Raises:
        InvalidInput: fewer than two audits.
        UnwritableOutput: the file cannot be written.
    """
    from graphassay.report.write import write_text

    target = Path(path)
    write_text(target, render(results))
    return target


def render(results: Sequence[AuditResult]) -> str:
    """The page as text; equal results give equal pages."""
    from graphassay.report import page, plane

    if len(results) < 2:
        raise InvalidInput(f"compare: expected at least two audits, got {len(results)}")
    shared = _same_train(results)
    template = page.environment().get_template("compare.html.j2")
    return template.render(
        audits=list(enumerate(results, start=1)),
        warnings=warnings(results),
        planes=[(key, plane.plane(_points(results, key), key)) for key in plane.PLANES],
        plane_missing=[
            (result.name, key, reason)
            for result in results
            for key in plane.PLANES
            for name, reason in plane.not_on_plane(result, key)
            if name == result.name
        ],
        shared_references=shared,
        strips=_strips(results),
        sort_value=sort_value,
        metrics=_metric_keys(results),
        strata=("head", "torso", "tail"),
    )


def warnings(results: Sequence[AuditResult]) -> list[str]:
    """Where the audits differ in a way that makes their numbers hard to compare."""
    found = []
    trains = {r.inputs["train"].intake.sha256 for r in results}
    if None in trains:
        found.append("Not every audit recorded the hash of its training set.")
    if len(trains - {None}) > 1:
        names = sorted({r.inputs["train"].intake.source for r in results})
        found.append(
            f"The training sets differ (by hash; files: {', '.join(names)}): positions on the "
            "plane are relative to different training data and photocopiers."
        )
    holdouts = {
        r.inputs["holdout"].intake.sha256 if "holdout" in r.inputs else "absent" for r in results
    }
    if len(holdouts) > 1:
        found.append("The holdout sets differ, or only some audits have one.")
    for option in COMPARED_OPTIONS:
        values = {fmt.option(r.options.get(option)) for r in results}
        if len(values) > 1:
            found.append(f"The option {option} differs: {', '.join(sorted(values))}.")
    sizes = {r.alignment.n_generated for r in results}
    if len(sizes) > 1:
        listed = ", ".join(fmt.count(n) for n in sorted(sizes))
        found.append(
            f"The numbers of generated graphs differ ({listed}): smaller samples have noisier "
            "supports, so compare each generator with its own photocopier."
        )
    versions = {r.provenance.versions.get("graphassay", "unknown") for r in results}
    if len(versions) > 1:
        found.append(f"The audits were made by different versions: {', '.join(sorted(versions))}.")
    names = [r.name for r in results]
    if len(set(names)) < len(names):
        found.append("Some audits have the same name; the number tells them apart.")
    return found


def summary(results: Sequence[AuditResult]) -> list[dict[str, Any]]:
    """The compared numbers as plain data (for ``graphassay compare --json``)."""
    return [_summary(result) for result in results]


def _summary(result: AuditResult) -> dict[str, Any]:
    return {
        "name": result.name,
        "verdict": result.verdict.kind,
        "headline": result.verdict.headline,
        "exact_match": _plain_estimate(result.copying["generated"].exact_match),
        "metrics": {
            key: {
                **_plain_estimate(metric.model),
                "percentile": _plain(metric.percentile),
                "z": _plain(metric.z),
                "references": {
                    role: _plain(draws.median) for role, draws in metric.references.items()
                },
            }
            for key, metric in result.alignment.metrics.items()
        },
        "coverage": {s.name: _plain(s.model.coverage) for s in result.strata},
    }


def sort_value(value: Value) -> str:
    """What a table cell sorts by: the number in full, or nothing."""
    plain = fmt.defined(value)
    return "" if plain is None else repr(plain)


def _same_train(results: Sequence[AuditResult]) -> bool:
    trains = {r.inputs["train"].intake.sha256 for r in results}
    return len(trains) == 1 and None not in trains


def _points(results: Sequence[AuditResult], key: str) -> list["PlanePoint"]:
    """All models, numbered, and the references of the first audit where all share its train."""
    from graphassay.report.plane import plane_points
    from graphassay.report.svg import MODEL

    points = []
    for number, result in enumerate(results, start=1):
        own = [p for p in plane_points(result, key) if p.role == MODEL]
        points += [replace(p, number=number) for p in own]
    if _same_train(results):
        points += [p for p in plane_points(results[0], key) if p.role != MODEL]
    return points


def _strips(results: Sequence[AuditResult]) -> list[tuple[str, Any]]:
    """Each headline metric with one lane per model, over its own photocopier."""
    from graphassay import metric_cards as cards
    from graphassay.report import page, strips

    drawn = []
    for key in page.HEADLINE:
        lanes: list[tuple[str, Estimate, Distribution | None]] = []
        for number, result in enumerate(results, start=1):
            metric = result.alignment.metrics.get(key)
            if metric is not None:
                name = f"{number} {result.name}"
                lanes.append((name, metric.model, metric.references.get("bootstrap")))
        if lanes:
            card = cards.METRICS[key]
            drawn.append((key, strips.models_strip(lanes, low=card.low, high=card.high)))
    return drawn


def _metric_keys(results: Sequence[AuditResult]) -> list[str]:
    keys: dict[str, None] = {}
    for result in results:
        keys.update(dict.fromkeys(result.alignment.metrics))
    return list(keys)


def _plain(value: Value) -> float | dict[str, str]:
    return {"undefined": value.reason} if isinstance(value, Undefined) else value


def _plain_estimate(estimate: Estimate) -> Mapping[str, Any]:
    return {
        "value": _plain(estimate.value),
        "low": _plain(estimate.low),
        "high": _plain(estimate.high),
        "n": estimate.n,
    }
