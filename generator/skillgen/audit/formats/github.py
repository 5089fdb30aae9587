"""Write reports as workflow commands, which GitHub shows beside the changed lines."""

from __future__ import annotations

from collections.abc import Sequence

from skillgen.audit.report import Report
from skillgen.model.visible import annotation

LEVELS = {"error": "error", "warning": "warning", "note": "notice"}


def format_github(reports: Sequence[Report]) -> str:
    """Return one `::error …` line a finding."""
    out = []
    for report in reports:
        for finding in report.findings:
            text = f"{finding.message}; {finding.repair}" if finding.repair else finding.message
            out.append(
                annotation(
                    LEVELS[finding.severity],
                    text,
                    file=finding.path,
                    line=finding.line,
                    col=finding.column,
                    title=finding.code,
                )
            )
    return "\n".join(out)
