"""Front matter pasted below the text.

What it checks: two or more `key: value` lines in a row at the left edge that end the body, outside fences, of which one is
a key of the front matter above or of the specification.

Why it matters: no host reads keys there; they reach the agent as an odd last paragraph, and what they were to say is lost.
It is what a script leaves that appended to the wrong end of the file, or ran twice.

How to fix it: move the lines between the two lines of three hyphens, or delete them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.rules.sg108_unknown_front_matter_key import SPECIFIED
from skillgen.audit.text import Text
from skillgen.model.subject import Kind

CODE = "SG116"
TITLE = "front matter pasted below the text"
SEVERITY = Severity.WARNING
SCOPE = Scope.TEXT
CANCEL_ONLY = False

_KEY = re.compile(r"([a-z][a-z0-9]*(?:[-_][a-z0-9]+)*): +\S", re.A)


def check(subject: Text) -> Iterator[Hit]:
    if subject.kind not in (Kind.SKILL, Kind.COMMAND) or not subject.front.line:
        return
    last = len(subject.lines)
    while last >= subject.body_line and subject.lines[last - 1].strip() in ("", "---"):
        last -= 1
    first = last
    names: list[str] = []
    while first >= subject.body_line and (match := _KEY.match(subject.lines[first - 1])):
        if first in subject.document.code_lines:
            return
        names.append(match[1])
        first -= 1
    known = SPECIFIED | {key.name for key in subject.front.keys}
    if len(names) >= 2 and known & set(names):
        yield Hit(
            first + 1, f"{', '.join(reversed(names))}: keys of front matter below the text", "move or delete them", 1
        )
