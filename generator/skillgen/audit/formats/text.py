"""Write reports for a person: place, source line with a caret, repair, grade."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence

from skillgen.audit.report import Report
from skillgen.model.finding import Finding
from skillgen.model.visible import escaped, unseen

WIDTH = 160


def format_text(reports: Sequence[Report]) -> str:
    """Return the findings with their lines, errors first, a count by rule, and a line a subject with its grade."""
    out: list[str] = []
    for report in reports:
        lines = report.lines()
        for finding in sorted(report.findings, key=lambda one: _ORDER[str(one.severity)]):
            out.extend(_finding(finding, lines.get(finding.path, [])))
    counts = Counter((finding.code, str(finding.severity)) for report in reports for finding in report.findings)
    if len(counts) > 1:
        most = sorted(counts.items(), key=lambda pair: (_ORDER[pair[0][1]], -pair[1], pair[0]))
        out += ["By rule: " + ", ".join(f"{code} {count}" for (code, _), count in most), ""]
    for report in reports:
        out.append(_summary(report))
    return "\n".join(out)


_ORDER = {"error": 0, "warning": 1, "note": 2}


def place(finding: Finding) -> str:
    """Return `path:line:column`, as much of it as is known."""
    where = escaped(finding.path)
    if finding.line:
        where += f":{finding.line}"
        if finding.column:
            where += f":{finding.column}"
    return where


def _finding(finding: Finding, lines: Sequence[str]) -> list[str]:
    out = [f"{place(finding)}: {finding.severity} {finding.code}: {escaped(finding.message)}"]
    if 0 < finding.line <= len(lines):
        out.extend(_excerpt(finding, lines[finding.line - 1]))
    if finding.repair:
        out.append(f"   = repair: {escaped(finding.repair)}" + (" (--fix does it)" if finding.edits else ""))
    out.append("")
    return out


def _excerpt(finding: Finding, line: str) -> list[str]:
    start = max(finding.column - 1, 0)
    skip = max(0, start - WIDTH // 2) if len(line) > WIDTH else 0
    shown = "".join(map(_visible, line[skip : skip + WIDTH]))
    gutter = len(str(finding.line))
    out = [f"  {finding.line} | {shown}"]
    if finding.column:
        length = max(1, min(finding.end_column - finding.column, len(shown) - (start - skip)))
        lead = "".join(" " * _width(c) for c in shown[: start - skip])
        mark = "^" * max(1, sum(_width(c) for c in shown[start - skip : start - skip + length]))
        out.append(f"  {' ' * gutter} | {lead}{mark}")
    return out


def _visible(char: str) -> str:
    """Show what a terminal would hide or obey, one character wide."""
    return "\N{REPLACEMENT CHARACTER}" if unseen(char) else char


def _width(char: str) -> int:
    return 2 if unicodedata.east_asian_width(char) in "WF" else 0 if unicodedata.combining(char) else 1


def _summary(report: Report) -> str:
    counts = Counter(str(finding.severity) for finding in report.findings)
    parts = [
        f"{counts[name]} {name}{'s' if counts[name] != 1 else ''}"
        for name in ("error", "warning", "note")
        if counts[name]
    ]
    if report.waived:
        parts.append(f"{report.waived} waived")
    shown = escaped(report.path)
    if report.kind == "text" and report.path.rpartition("/")[2] == "SKILL.md":
        shown += ", judged alone since its directory is no skill's"
    if report.general:
        return f"{shown}: no cancel skill; held against the rules for any skill ({', '.join(parts) or 'no findings'})"
    return f"{shown}: grade {report.grade} ({', '.join(parts) or 'no findings'})"
