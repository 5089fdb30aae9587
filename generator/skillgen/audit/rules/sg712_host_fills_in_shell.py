"""Shell variable that the host fills in.

What it checks: `$0`, `$1` … `$9` and `$ARGUMENTS` in a shell block or inline shell of a skill or command for Claude Code; of a text
whose host nothing tells, the first such place is a note.

Why it matters: Claude Code fills them in before the agent reads the text, counted from 0 and inside code too: `awk '{print $2}'`
and `"$1"` of a function become the user's words, or nothing.

How to fix it: put the code into a script beside the skill; in the text use `cut -f` or named variables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.hits import on_span
from skillgen.audit.product import host_of
from skillgen.audit.text import Text
from skillgen.hosts import known_hosts
from skillgen.model.subject import Kind

CODE = "SG712"
TITLE = "shell variable that the host fills in"
SEVERITY = Severity.WARNING
SCOPE = Scope.TEXT
CANCEL_ONLY = False

_FILLED = re.compile(r"(?<![\\$\w])\$(?:([0-9])(?![0-9])|ARGUMENTS\b)", re.A)


def check(subject: Text) -> Iterator[Hit]:
    if subject.kind not in (Kind.SKILL, Kind.COMMAND) or "$" not in subject.source.text:
        return
    host = host_of(subject)
    if not host:
        # Of $ARGUMENTS in such a text SG708 speaks.
        yield from islice((hit for hit in _places(subject, Severity.NOTE) if "argument " in hit.message), 1)
    elif known_hosts()[host].substitutes.commands:
        yield from _places(subject, SEVERITY)


def _places(subject: Text, severity: Severity) -> Iterator[Hit]:
    for fragment in subject.fragments:
        for match in _FILLED.finditer(fragment.text):
            what = f"argument {match[1]} of the call" if match[1] else "all that the user typed"
            hit = on_span(
                fragment,
                match.start(),
                match.end(),
                f"Claude Code puts {what} in place of {match[0]} before any shell sees it",
                "move the code into a script, or use a named variable",
            )
            yield replace(hit, severity=severity)
