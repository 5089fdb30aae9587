"""Make one finding of many with one cause, so that a report stays as short as what has to be done."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from skillgen.model.finding import Finding

ON_A_LINE = 3
"""From so many of one message on one line on they are one finding."""
IN_A_TEXT = 40
"""So many findings of one rule are told one by one; the rest of them is told by its number."""
LONGEST = 300
"""Characters of a message or a repair; what is quoted in one is cut in the middle."""


def cut(text: str) -> str:
    """Return a text of a finding, without its middle where that is too long."""
    if len(text) <= LONGEST:
        return text
    return f"{text[: LONGEST // 2]} … {text[-LONGEST // 3 :]}"


def one_a_cause(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return the findings in their order, each with the edits of those that it stands for."""
    by_line: dict[tuple[str, str, str, int, str], list[Finding]] = {}
    for finding in findings:
        key = (finding.path, finding.code, str(finding.severity), finding.line, finding.message)
        by_line.setdefault(key, []).append(finding)
    told: list[Finding] = []
    for group in by_line.values():
        if len(group) < ON_A_LINE:
            told += group
        else:
            told.append(_joined(group, f"{group[0].message} ({len(group)} times on this line)"))
    by_rule: dict[tuple[str, str, str], list[Finding]] = {}
    for finding in told:
        by_rule.setdefault((finding.path, finding.code, str(finding.severity)), []).append(finding)
    kept: list[Finding] = []
    for group in by_rule.values():
        kept += group[:IN_A_TEXT]
        if rest := group[IN_A_TEXT:]:
            more = (
                f"{len(rest)} more findings of this rule, the next: {rest[0].message}" if rest[1:] else rest[0].message
            )
            kept.append(_joined(rest, cut(more)))
    return tuple(
        sorted(kept, key=lambda finding: (finding.path, finding.line, finding.column, finding.code, finding.message))
    )


def _joined(group: list[Finding], message: str) -> Finding:
    edits = tuple(dict.fromkeys(edit for finding in group for edit in finding.edits))
    return replace(group[0], message=message, edits=edits)
