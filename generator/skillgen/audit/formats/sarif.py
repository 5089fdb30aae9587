"""Write reports as SARIF 2.1.0, for code scanning."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from skillgen import __version__
from skillgen.audit.engine import Rule
from skillgen.audit.report import Report
from skillgen.model.finding import Finding
from skillgen.model.visible import escaped


def format_sarif(reports: Sequence[Report], rules: Sequence[Rule]) -> str:
    """Return one run; every rule that ran is described, with its documentation as help text."""
    known = {rule.CODE: rule for rule in rules}
    findings = [finding for report in reports for finding in report.findings]
    codes = sorted({*known, *(finding.code for finding in findings)})
    driver = {
        "name": "skillgen",
        "version": __version__,
        "rules": [_rule(code, known.get(code)) for code in codes],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_make_result(finding, codes) for finding in findings],
    }
    log = {"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=2, ensure_ascii=False)


def _rule(code: str, rule: Rule | None) -> dict[str, Any]:
    if rule is None:
        return {"id": code}
    return {
        "id": code,
        "name": "".join(word.capitalize() for word in rule.TITLE.replace("-", " ").split()),
        "shortDescription": {"text": rule.TITLE},
        "help": {"text": (rule.__doc__ or "").strip()},
        "defaultConfiguration": {"level": str(rule.SEVERITY)},
    }


def _make_result(finding: Finding, codes: list[str]) -> dict[str, Any]:
    region: dict[str, int] = {"startLine": max(finding.line, 1)}
    if finding.column:
        region["startColumn"] = finding.column
        if finding.end_column > finding.column:
            region["endColumn"] = finding.end_column
    message = f"{finding.message}; {finding.repair}" if finding.repair else finding.message
    key = f"{finding.path}\0{finding.code}\0{finding.message}\0{finding.column}"
    return {
        "ruleId": finding.code,
        "ruleIndex": codes.index(finding.code),
        "level": str(finding.severity),
        "message": {"text": escaped(message)},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": quote(finding.path.encode("utf-8", "surrogateescape"))},
                    "region": region,
                }
            }
        ],
        "partialFingerprints": {"skillgen/v1": hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()[:32]},
    }
