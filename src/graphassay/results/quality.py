"""Quality and fidelity of a generated set, metric by metric (DEFINITIONS 8 and 10)."""

from dataclasses import dataclass
from typing import Literal

from graphassay.results.values import Estimate, Undefined

Split = Literal["", "train", "holdout"]


@dataclass(frozen=True)
class QualityMetric:
    """One number, what it was measured against, and the same number of real graphs.

    ``key`` is that of its metric card. ``value.n`` is the number of generated graphs (or records)
    behind it. ``reference`` names the split it was held against ("" where it needs none), of which
    ``n_reference`` graphs were used. ``real`` is the same number, with its own interval, for
    held-out real graphs in the place of the generated ones: what a perfect generator would get;
    None where it was not asked.
    ``detail`` names the kernel, bandwidth or tool.
    """

    key: str
    value: Estimate
    reference: Split = ""
    n_reference: int = 0
    real: Estimate | None = None
    detail: str = ""


@dataclass(frozen=True)
class PropertyDistribution:
    """How a property of molecules is spread in each set: shares over common bins.

    ``edges`` has one entry more than each tuple of shares. ``distance`` is the Wasserstein-1
    distance of the generated values to the reference's, in the property's unit; ``real`` is that
    of held-out real molecules in the place of the generated ones. ``n_reference`` molecules of the
    reference have a value.
    """

    key: str
    name: str
    unit: str
    edges: tuple[float, ...]
    generated: tuple[float, ...]
    reference: tuple[float, ...]
    reference_split: Split
    distance: Estimate
    real: Estimate | None = None
    n_reference: int = 0


@dataclass(frozen=True)
class Quality:
    """All quality metrics of one generated set, in the order in which to show them."""

    metrics: tuple[QualityMetric, ...]
    properties: tuple[PropertyDistribution, ...] = ()
    skipped: tuple[tuple[str, Undefined], ...] = ()
    """Metrics that were asked for and could not be computed at all (key, why): a missing package,
    graphs that are no molecules."""
    notes: tuple[str, ...] = ()
