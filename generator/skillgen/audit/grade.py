"""Turn findings into a grade from A to F.

A: no error and no warning. Otherwise every rule that is broken costs points, 10 at error level and 4 at warning
level, and each further finding of the same rule costs 1 more, up to 5; notes cost nothing. Up to 10 points B, up to 25
C, up to 50 D, up to 80 E, more F.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from skillgen.model.finding import Finding, Severity

FIRST = {Severity.ERROR: 10, Severity.WARNING: 4, Severity.NOTE: 0}
FURTHER_LIMIT = 5
STEPS = ((0, "A"), (10, "B"), (25, "C"), (50, "D"), (80, "E"))


def points(findings: Iterable[Finding]) -> int:
    """Return the points lost; 0 means nothing but notes."""
    worst: dict[str, int] = {}
    counts: Counter[str] = Counter()
    for finding in findings:
        cost = FIRST[finding.severity]
        if cost:
            worst[finding.code] = max(worst.get(finding.code, 0), cost)
            counts[finding.code] += 1
    return sum(cost + min(counts[code] - 1, FURTHER_LIMIT) for code, cost in worst.items())


def grade(findings: Iterable[Finding]) -> str:
    """Return A, B, C, D, E or F."""
    lost = points(findings)
    return next((letter for limit, letter in STEPS if lost <= limit), "F")
