"""Source line range in prose.

What it checks: `file.ts:27-78` or `file.py:12` in words, outside a stack trace or tool output.

Why it matters: ten of twenty-five such pointers were wrong when they were looked at: a number in prose ages with the
first edit of the file.

How to fix it: name the function or section instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.hits import scan
from skillgen.audit.text import Text
from skillgen.model.subject import Kind

CODE = "SG702"
TITLE = "source line range in prose"
SEVERITY = Severity.WARNING
SCOPE = Scope.TEXT
CANCEL_ONLY = False

_LINES = re.compile(
    r"(?<![\w/])((?:[\w.-]{1,64}/){0,20}[\w-]{1,64}\.(?:ts|tsx|js|mjs|cjs|py|go|rs|sh|java|rb|c|cpp|h))(:\d+(?:-\d+)?\b|#L\d+(?:-L?\d+)?)",
    re.A,
)

#: File names of examples, as in the format of a report.
_EXAMPLE = re.compile(r"(?:^|/)(?:path/to/|file|foo|bar|baz|example|module|utils?|your|some|my|component)s?\b", re.A)


def check(subject: Text) -> Iterator[Hit]:
    for number, match in scan(subject, _LINES, code=False):
        single = "-" not in match[2] and not match[2].startswith("#")
        if _EXAMPLE.search(match[1]) or (single and subject.kind is not Kind.SKILL and not subject.is_cancel):
            continue
        yield Hit(
            number,
            f"the lines in {match[0]} move with the next edit",
            "name the function or section",
            match.start() + 1,
            match.end() + 1,
        )
