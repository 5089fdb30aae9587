"""Code fence never closed.

What it checks: every code fence has its end.

Why it matters: all that follows is shown and read as code: headings, rules and warnings vanish from the structure that
an agent works by.

How to fix it: close it with the same number of the same marks.
"""

from __future__ import annotations

from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.text import Text

CODE = "SG704"
TITLE = "code fence never closed"
SEVERITY = Severity.ERROR
SCOPE = Scope.TEXT
CANCEL_ONLY = False


def check(subject: Text) -> Iterator[Hit]:
    for fence in subject.document.fences:
        if not fence.closed:
            yield Hit(fence.line, "this fence is never closed", "close it where its code ends", 1)
