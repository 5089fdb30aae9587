"""Front matter key given twice.

What it checks: every top-level key stands once.

Why it matters: one host takes the first value, the next the last, the reference validator refuses the file.

How to fix it: keep one of them.
"""

from __future__ import annotations

from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.text import Text

CODE = "SG110"
TITLE = "front matter key given twice"
SEVERITY = Severity.ERROR
SCOPE = Scope.TEXT
CANCEL_ONLY = False


def check(subject: Text) -> Iterator[Hit]:
    seen: set[str] = set()
    for key in subject.front.keys:
        if key.name in seen and not subject.front.problem:
            yield Hit(key.line, f"`{key.name}` is given twice", "keep one", key.column, key.column + len(key.name))
        seen.add(key.name)
