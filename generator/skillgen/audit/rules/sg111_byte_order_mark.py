"""Byte order mark.

What it checks: the file does not start with a byte order mark.

Why it matters: the first line then is not `---`: hosts and the reference validator see no front matter.

How to fix it: save it as UTF-8 without BOM.
"""

from __future__ import annotations

from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.text import Text

CODE = "SG111"
TITLE = "byte order mark"
SEVERITY = Severity.ERROR
SCOPE = Scope.TEXT
CANCEL_ONLY = False


def check(subject: Text) -> Iterator[Hit]:
    if subject.source.bom:
        yield Hit(1, "the file starts with a byte order mark", "save it as UTF-8 without BOM", 1)
