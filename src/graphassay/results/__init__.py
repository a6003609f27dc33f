"""Result records, and their JSON form.

A report is built from these records alone, so every report can be rebuilt from its
``results.json``. Numbers that do not exist are `Undefined` with the reason, never NaN, 0 or null.
"""

from graphassay.results.audit import (
    SCHEMA_VERSION,
    Alignment,
    AuditResult,
    Check,
    CopyRates,
    Galleries,
    GraphRecord,
    MetricComparison,
    NovelOnly,
    PatternCounts,
    PatternRecord,
    Provenance,
    SensitivityRow,
    SetSummary,
    Stratum,
    StratumScores,
    Verdict,
    VerdictKind,
)
from graphassay.results.files import dumps, load, loads
from graphassay.results.values import Distribution, DrawnGraph, Estimate, Undefined, Value

__all__ = [
    "SCHEMA_VERSION",
    "Alignment",
    "AuditResult",
    "Check",
    "CopyRates",
    "Distribution",
    "DrawnGraph",
    "Estimate",
    "Galleries",
    "GraphRecord",
    "MetricComparison",
    "NovelOnly",
    "PatternCounts",
    "PatternRecord",
    "Provenance",
    "SensitivityRow",
    "SetSummary",
    "Stratum",
    "StratumScores",
    "Undefined",
    "Value",
    "Verdict",
    "VerdictKind",
    "dumps",
    "load",
    "loads",
]
