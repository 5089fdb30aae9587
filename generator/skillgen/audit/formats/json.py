"""Write reports as one JSON object."""

from __future__ import annotations

import json
from collections.abc import Sequence

from skillgen.audit.grade import STEPS, points
from skillgen.audit.report import Report


def format_json(reports: Sequence[Report]) -> str:
    """Return `{"grade", "subjects": [{"path", "kind", "judged", "grade", "points", "waived", "findings": [...]}]}`.

    A grade is null where no cancel skill was judged.
    """
    letters = [letter for _, letter in STEPS] + ["F"]
    # Where no rule of cancel applied there is nothing to grade.
    worst = max((report.grade for report in reports if not report.general), key=letters.index, default=None)
    subjects = [
        {
            "path": report.path,
            "kind": report.kind,
            "judged": "any skill" if report.general else "cancel",
            "grade": None if report.general else report.grade,
            "points": points(report.findings),
            "waived": report.waived,
            "findings": [
                {
                    "path": finding.path,
                    "line": finding.line,
                    "column": finding.column,
                    "end_column": finding.end_column,
                    "code": finding.code,
                    "severity": str(finding.severity),
                    "message": finding.message,
                    "repair": finding.repair,
                    "fixable": bool(finding.edits),
                }
                for finding in report.findings
            ],
        }
        for report in reports
    ]
    # A subject a line: indented JSON is not written by the C encoder and would cost a tenth of the audit.
    lines = ",\n".join(f"    {json.dumps(subject, ensure_ascii=False)}" for subject in subjects)
    return f'{{\n  "grade": {json.dumps(worst)},\n  "subjects": [\n{lines}\n  ]\n}}'
