"""Description missing.

What it checks: `description` is there and not empty.

Why it matters: it is all that an agent sees before it decides to load the skill; Codex and the reference validator
refuse a skill without one.

How to fix it: say what the skill does and when to use it, in one or two sentences.
"""

from __future__ import annotations

from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.text import Text
from skillgen.model.subject import Kind

CODE = "SG105"
TITLE = "description missing"
SEVERITY = Severity.ERROR
SCOPE = Scope.TEXT
CANCEL_ONLY = False


def check(subject: Text) -> Iterator[Hit]:
    front = subject.front
    if subject.kind is not Kind.SKILL or not front.line or (front.problem and not front.keys):
        return  # where nothing could be read, SG102 says so
    key = front.get("description")
    if key is None or not isinstance(key.value, str) or not key.value.strip():
        yield Hit(key.line if key else front.line, "no description", "say what the skill does and when to use it", 1)
