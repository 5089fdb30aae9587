"""Two statements about where state lives.

What it checks: a text whose state is rows of a table (`state_read(list=true)`, `no direct file removal`) and that
still speaks of state files below a directory.

Why it matters: the agent looks for files that nobody writes, finds none, and reports that nothing is active.

How to fix it: name the table and its database; drop the directory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.language import forbidden
from skillgen.audit.text import Text

CODE = "SG517"
TITLE = "two statements about where state lives"
SEVERITY = Severity.WARNING
SCOPE = Scope.TEXT
CANCEL_ONLY = True

_LISTED = re.compile(r"state_read\(\s*list\s*=\s*true", re.A)
_FILES = re.compile(
    r"\b(?:state files?)\b[^.\n]*?(`?\.[\w-]+/state/?`?)|状态文件[^。\n]*?(\.[\w-]+/state)", re.I | re.A
)


def check(subject: Text) -> Iterator[Hit]:
    said = "state table" in subject.low or "no direct file removal" in subject.low
    if not said and not _LISTED.search(subject.low):
        return
    for number in subject.lines_for(_FILES):
        line = subject.lines[number - 1]
        match = _FILES.search(line) if number >= subject.body_line else None
        if match and not forbidden(line, match.start(), match.end()):
            yield Hit(
                number,
                "state files are named here, while the rest keeps state in a table",
                "name the table",
                match.start() + 1,
                match.end() + 1,
            )
