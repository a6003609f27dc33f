"""From results to something to look at: an HTML page, LaTeX tables, figures.

Everything is built from `graphassay.results.AuditResult` alone, so that any report can be rebuilt
from its ``results.json``.
"""

from graphassay.report.compare import compare_reports
from graphassay.report.write import write_report

__all__ = ["compare_reports", "write_report"]
