"""A loop reads lines without -r.

What it checks: `while read x` and `until read x` without `-r`.

Why it matters: `read` then eats backslashes, and without `IFS=` leading blanks: a path that holds either is changed on its way.

How to fix it: `while IFS= read -r x; do`. `--fix` does it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.hits import asked_for, edit, on_command
from skillgen.audit.text import Text

CODE = "SG211"
TITLE = "while read without -r"
SEVERITY = Severity.WARNING
SCOPE = Scope.TEXT
CANCEL_ONLY = False

_LOOP = re.compile(r"\b(?:while|until)\s+(?:IFS=(?:\S*|'[^']*'|\"[^\"]*\"|\$'[^']*')\s+)?$", re.A)


def check(subject: Text) -> Iterator[Hit]:
    for command in asked_for(subject, "read"):
        before = command.fragment.text[: command.start + command.source.index("read")]
        if not _LOOP.search(before) or re.search(r"(?:^| )-\w*r", command.options()):
            continue
        names = command.operands()
        field = "IFS= " if len(names) == 1 and "IFS=" not in before[-40:] and "IFS=" not in command.source else ""
        at = command.start + command.source.index("read")
        yield on_command(
            command,
            "read without -r eats backslashes",
            "write: while IFS= read -r name; do",
            (edit(subject, command.fragment, at, at + 4, f"{field}read -r"),),
        )
