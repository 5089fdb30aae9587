"""Find inline waivers and take away the findings that they cover.

`<!-- skillgen: allow SG201 - the reason -->` (or `# skillgen: allow SG201 - the reason` inside a code block) covers its own
line and the next line that is not blank; `allow-file` covers the whole text. Several codes are separated by commas.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from skillgen.audit.text import Text
from skillgen.model.finding import Finding, Severity

_WAIVER = re.compile(
    r"(?:<!--|#|//)\s*skillgen:\s*(?P<form>allow(?:-file)?)\s+"
    r"(?P<codes>SG\d{1,3}(?:\s*,\s*SG\d{1,3})*)(?P<reason>.*?)(?:-->|$)",
    re.A,
)


@dataclass(slots=True)
class Waiver:
    path: str
    line: int
    codes: tuple[str, ...]
    reason: str
    lines: frozenset[int] | None
    """Lines that it covers; None for the whole text."""
    used: bool = False


def find_waivers(text: Text) -> list[Waiver]:
    """Return the waivers of one text in the order of their lines."""
    if "skillgen:" not in text.source.text:
        return []
    found = []
    for number, line in enumerate(text.lines, 1):
        match = _WAIVER.search(line) if "skillgen:" in line else None
        if match:
            codes = tuple(code.strip() for code in match["codes"].split(","))
            covered = (
                None if match["form"] == "allow-file" else frozenset((number, _next_written_line(text.lines, number)))
            )
            found.append(Waiver(text.path, number, codes, match["reason"].strip(" \t-–—:"), covered))
    return found


def apply_waivers(findings: Iterable[Finding], texts: Sequence[Text], codes: set[str]) -> tuple[list[Finding], int]:
    """Return what is left, with findings about the waivers themselves, and how many findings were waived.

    A waiver without a reason waives nothing. `codes` are those of the rules that ran: a waiver of a rule that did not
    run is not called unused.
    """
    waivers = {text.path: find_waivers(text) for text in texts}
    kept, waived = [], 0
    for finding in findings:
        hit = next((waiver for waiver in waivers.get(finding.path, ()) if _covers(waiver, finding)), None)
        if hit:
            hit.used = True
            waived += 1
        else:
            kept.append(finding)
    for waiver in (waiver for group in waivers.values() for waiver in group):
        if not waiver.reason:
            kept.append(
                Finding(
                    waiver.path,
                    waiver.line,
                    1,
                    "SG901",
                    Severity.WARNING,
                    "a waiver without a reason waives nothing",
                    f"say why: skillgen: allow {', '.join(waiver.codes)} - the reason",
                )
            )
        elif not waiver.used and any(code.startswith(waiver.codes) for code in codes):
            kept.append(
                Finding(
                    waiver.path,
                    waiver.line,
                    1,
                    "SG902",
                    Severity.NOTE,
                    f"this waiver of {', '.join(waiver.codes)} covers no finding",
                    "remove it",
                )
            )
    return kept, waived


def _covers(waiver: Waiver, finding: Finding) -> bool:
    return (
        bool(waiver.reason)
        and finding.code.startswith(waiver.codes)
        and (waiver.lines is None or finding.line in waiver.lines)
    )


def _next_written_line(lines: Sequence[str], number: int) -> int:
    return next((n for n in range(number + 1, len(lines) + 1) if lines[n - 1].strip()), number)
