"""Goal paused without reading it first.

What it checks: `update_goal` in a handler without `get_goal` before it, in a text whose other handler reads the goal
first.

Why it matters: the update needs the goal's id and revision; without them it fails or pauses another goal, and the loop
goes on.

How to fix it: call `get_goal` first in every goal-backed handler.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.language import forbidden
from skillgen.audit.reader.reading import reading
from skillgen.audit.text import Text

CODE = "SG516"
TITLE = "goal paused without reading it first"
SEVERITY = Severity.WARNING
SCOPE = Scope.TEXT
CANCEL_ONLY = True


def check(subject: Text) -> Iterator[Hit]:
    text = subject.source.text
    if "update_goal" not in text or "get_goal" not in text:
        return
    _, places = reading(subject)
    for start, end in places.sections():
        body = subject.lines[start - 1 : end]
        at = next(
            (n for n, row in enumerate(body) if "update_goal" in row and re.search(r"update_goal\s*\(", row)), None
        )
        if at is None or any("get_goal" in row for row in body[: at + 1]):
            continue
        column = body[at].index("update_goal")
        if not forbidden(body[at], column):
            yield Hit(
                start + at,
                "the goal is changed without get_goal, which another handler calls first",
                "call get_goal for its id and revision first",
                column + 1,
                column + 12,
            )
