"""Hold the house rules of a flavor against the audit, where they stand in the rendered text."""

from __future__ import annotations

from collections.abc import Mapping

from skillgen.errors import Problem
from skillgen.model.files import RenderedFile
from skillgen.model.finding import Severity
from skillgen.model.resolved import Resolved
from skillgen.model.subject import Kind, Source


def house_problems(resolved: Resolved, files: Mapping[str, RenderedFile]) -> list[Problem]:
    """Return a problem for each error that the audit finds in the section of the house rules."""
    from skillgen.audit.engine import audit
    from skillgen.audit.rules import all_rules

    path = f"skills/{resolved.contract.front.name}/SKILL.md"
    text = files[path].data.decode()
    rules = resolved.contract.house_rules.strip("\n")
    first = text[: text.index(rules)].count("\n") + 1
    last = first + rules.count("\n")
    place = resolved.place(("house_rules",))
    return [
        place.problem(
            f"line {finding.line - first + 1} of the house rules: {finding.message} ({finding.code})", finding.repair
        )
        for report in audit([Source(path, text, Kind.SKILL)], all_rules())
        for finding in report.findings
        if finding.severity is Severity.ERROR and first <= finding.line <= last
    ]
