"""Write reports as workflow commands, which GitHub shows beside the changed lines."""

from __future__ import annotations

from collections.abc import Sequence

from skillgen.audit.engine import Report

LEVELS = {"error": "error", "warning": "warning", "note": "notice"}


def format_github(reports: Sequence[Report]) -> str:
    """Return one `::error …` line a finding."""
    out = []
    for report in reports:
        for finding in report.findings:
            fields = [f"file={_property(finding.path)}"]
            if finding.line:
                fields.append(f"line={finding.line}")
            if finding.column:
                fields.append(f"col={finding.column}")
            fields.append(f"title={_property(finding.code)}")
            text = f"{finding.message}; {finding.repair}" if finding.repair else finding.message
            out.append(f"::{LEVELS[finding.severity]} {','.join(fields)}::{_data(text)}")
    return "\n".join(out)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
