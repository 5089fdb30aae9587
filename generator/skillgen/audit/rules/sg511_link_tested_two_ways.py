"""Link tested in two ways.

What it checks: a dependant that is cleared under the owner's flag alone in one place and under both flags (`linked_x`
and `linked_to_y`) in another, or under no field at all (`clear linked x if present`) where the text tests one elsewhere.

Why it matters: the same state is then cleared or kept depending on which handler finds it: a standalone run is lost,
or a linked one stays behind.

How to fix it: test the link the same way everywhere: the owner's flag is required, an explicit false on the dependant
vetoes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.hits import LONG_LINE
from skillgen.audit.language import forbidden
from skillgen.audit.reader.reading import reading
from skillgen.audit.text import Text

CODE = "SG511"
TITLE = "link tested in two ways"
SEVERITY = Severity.WARNING
SCOPE = Scope.TEXT
CANCEL_ONLY = True
_LINKED = re.compile(r"\blinked\s", re.I | re.A)


def check(subject: Text) -> Iterator[Hit]:
    if "linked_" not in subject.source.text:
        return
    facts = subject.facts
    yield from _find_untested(subject)
    if "linked_to_" not in subject.source.text:
        return
    _, places = reading(subject)
    bodies: list[tuple[int, str]] | None = None
    links = {(fact.key, fact.value) for fact in facts.of("link") if fact.detail}
    for owner, dependant in sorted(links):
        forward, back = f"linked_{dependant.replace('-', '_')}", f"linked_to_{owner.replace('-', '_')}"
        if forward not in subject.source.text or back not in subject.source.text:
            continue
        one: list[int] = []
        both: list[int] = []
        if bodies is None:
            bodies = [(start, "\n".join(subject.lines[start - 1 : end])) for start, end in places.sections()]
        for start, body in bodies:
            if forward not in body or dependant not in body:
                continue
            clears = re.search(
                rf"\brm\b[^\n]*{dependant}-state\.json|state_clear\([^)]*mode[\"']?\s*[=:]\s*[\"']{dependant}[\"']",
                body,
            )
            if not clears or not re.search(rf"\b{forward}\b", body):
                continue
            (both if re.search(rf"\b{back}\b", body) else one).append(start + body[: clears.start()].count("\n"))
        if one and both:
            yield Hit(
                one[0],
                f"{dependant} is cleared on {forward} alone here, line {both[0]} also asks for {back}",
                "test the link the same way in both places",
                1,
            )


def _find_untested(subject: Text) -> Iterator[Hit]:
    """The first place for each dependant that clears it as linked without a look at the field that says so."""
    # What every match holds, whatever the dependant: most texts are done here.
    lines = [
        number
        for number in subject.lines_for(_LINKED)
        if number >= subject.body_line
        and len(line := subject.lines[number - 1].lower()) <= LONG_LINE
        and ("state_clear(" in line or "rm" in line)
    ]
    if not lines:
        return
    seen: set[str] = set()
    for fact in subject.facts.of("link"):
        dependant, field = fact.value, fact.detail or ""
        if not field.startswith("linked_") or dependant in seen:
            continue
        clears = re.compile(
            rf"\blinked\s+{re.escape(dependant)}\b[^\n]*(?:state_clear\(|\brm\s+-)[^\n]*{re.escape(dependant)}",
            re.I | re.A,
        )
        for number in lines:
            line = subject.lines[number - 1]
            match = clears.search(line)
            if not match:
                continue
            near = " ".join(subject.lines[max(0, number - 2) : number])
            if field in near or f"linked_to_{fact.key}" in near:
                continue
            if forbidden(line, match.start(), match.end()):
                continue
            seen.add(dependant)
            yield Hit(
                number,
                f"linked {dependant} is cleared on no field here, line {fact.line} asks for {field}",
                f"clear it only where {field} is true",
                match.start() + 1,
                match.end() + 1,
            )
            break
