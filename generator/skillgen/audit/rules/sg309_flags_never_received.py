"""Flags that the text never receives.

What it checks: a text documents flags of its slash command, but has no `argument-hint`, no `$ARGUMENTS`, and no step
that looks at the arguments in shell.

Why it matters: on hosts whose command handler sends a fixed prompt the flag never arrives: the user types `--force`
and gets the default.

How to fix it: add `argument-hint`, or tell the agent to take the flag from the user's own words and repeat it to the
script.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.text import Text

CODE = "SG309"
TITLE = "flags that the text never receives"
SEVERITY = Severity.NOTE
SCOPE = Scope.TEXT
CANCEL_ONLY = True

_RECEIVES = re.compile(
    r"\$ARGUMENTS|\{\{args\}\}|\$[@*]|\$\{[@*]|\$1\b|user'?s (?:own )?(?:words|message|request)|cancel\.(?:py|sh)|args\[|argv",
    re.A,
)


def check(subject: Text) -> Iterator[Hit]:
    flag = next(iter(subject.facts.of("flag")), None)
    if (
        flag is None
        or subject.front.get("argument-hint")
        or _RECEIVES.search(subject.source.text)
        or not subject.front.line
    ):
        return
    yield Hit(
        flag.line,
        f"{flag.value} is documented, but nothing in the text receives arguments",
        "add argument-hint, or take the flag from the user's own words",
        1,
    )
