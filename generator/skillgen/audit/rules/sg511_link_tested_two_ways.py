"""Link tested in two ways.

What it checks: a dependant that is cleared under the owner's flag alone in one place and under both flags (`linked_x`
and `linked_to_y`) in another.

Why it matters: the same state is then cleared or kept depending on which handler finds it: a standalone run is lost,
or a linked one stays behind.

How to fix it: test the link the same way everywhere: the owner's flag is required, an explicit false on the dependant
vetoes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.text import Text

CODE = "SG511"
TITLE = "link tested in two ways"
SEVERITY = Severity.WARNING
SCOPE = Scope.TEXT
CANCEL_ONLY = True


def check(subject: Text) -> Iterator[Hit]:
    if "linked_to_" not in subject.source.text:
        return
    facts = subject.facts
    _, places = subject.reading
    links = {(fact.key, fact.value) for fact in facts.of("link") if fact.detail}
    for owner, dependant in sorted(links):
        forward, back = f"linked_{dependant.replace('-', '_')}", f"linked_to_{owner.replace('-', '_')}"
        one: list[int] = []
        both: list[int] = []
        for start, end in places.sections():
            body = "\n".join(subject.lines[start - 1 : end])
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
