"""The section "Quality" of the report: the usual metrics, each beside real graphs."""

from dataclasses import dataclass

from markupsafe import Markup

from graphassay.report import histograms, model_wording
from graphassay.report.numbers import NBSP
from graphassay.results.quality import PropertyDistribution, Quality

GENERATED, REFERENCE = "s0", "s2"
BESIDE = {
    "better": "better than real",
    "worse": "worse than real",
    "unclear": "not clearly different from real",
    "unknown": "",
}


@dataclass(frozen=True)
class QualitySection:
    """What the template shows of the quality of a set."""

    takeaway: str
    beside: tuple[str, ...]
    """For each metric: how it stands beside real graphs, in words; empty where nothing is said."""
    properties: tuple[tuple[PropertyDistribution, Markup], ...]


def quality_section(quality: Quality) -> QualitySection:
    """Charts and sentences of the section."""
    return QualitySection(
        model_wording.quality_takeaway(quality),
        tuple(BESIDE[model_wording.beside_real(m)] for m in quality.metrics),
        tuple((p, _histogram(p)) for p in quality.properties),
    )


def axis_title(shown: PropertyDistribution) -> str:
    """The property with its unit."""
    return f"{shown.name}{NBSP}({shown.unit})" if shown.unit else shown.name


def _histogram(shown: PropertyDistribution) -> Markup:
    groups = [(REFERENCE, shown.reference), (GENERATED, shown.generated)]
    return histograms.step_histogram(shown.edges, groups, x_title=axis_title(shown))
