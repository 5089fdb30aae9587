"""Skill name outside the specification.

What it checks: `name` is there, 1 to 64 characters, small letters, digits and single hyphens, no hyphen at either end;
names with `claude` or `anthropic` are warned about.

Why it matters: hosts refuse to load the skill or list it under another name; Claude.ai refuses uploads whose name
holds claude or anthropic.

How to fix it: give the skill the name of its directory, in small letters with hyphens.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.text import Text
from skillgen.model.subject import Kind

CODE = "SG103"
TITLE = "skill name outside the specification"
SEVERITY = Severity.ERROR
SCOPE = Scope.TEXT
CANCEL_ONLY = False

_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*$", re.A)


def check(subject: Text) -> Iterator[Hit]:
    front = subject.front
    if subject.kind is not Kind.SKILL or not front.line or (front.problem and not front.keys):
        return  # where nothing could be read, SG102 says so
    key = front.get("name")
    if key is None or not isinstance(key.value, str) or not key.value.strip():
        yield Hit(key.line if key else front.line, "the front matter gives no name", "add name: <directory name>", 1)
    elif len(key.value) > 64:
        yield Hit(key.line, f"the name is {len(key.value)} characters long, more than 64", "shorten it", key.column)
    elif not _NAME.match(key.value):
        yield Hit(
            key.line, f"{key.value!r} is no skill name", "use small letters, digits and single hyphens", key.column
        )
    elif re.search(r"claude|anthropic", key.value):
        yield Hit(
            key.line,
            "Claude.ai refuses names with claude or anthropic",
            "choose another name",
            key.column,
            severity=Severity.WARNING,
        )
