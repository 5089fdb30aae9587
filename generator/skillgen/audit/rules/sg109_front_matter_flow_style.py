"""Front matter that the reference validator refuses.

What it checks: no flow lists or mappings (`[a, b]`, `{a: b}`), no anchors or aliases.

Why it matters: the reference validator reads front matter with a strict parser that refuses them; a chain of aliases
can also unfold to gigabytes.

How to fix it: write lists one item a line, and values out in full.
"""

from __future__ import annotations

from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.text import Text
from skillgen.model.subject import Kind

CODE = "SG109"
TITLE = "front matter that the reference validator refuses"
SEVERITY = Severity.WARNING
SCOPE = Scope.TEXT
CANCEL_ONLY = False


def check(subject: Text) -> Iterator[Hit]:
    if subject.kind is not Kind.SKILL:
        return
    for key in subject.front.keys:
        if key.flow:
            yield Hit(key.line, f"`{key.name}` is written in flow style", "write one item a line", key.column)
    for line, column in subject.front.aliases[:1]:
        yield Hit(line, "an alias in front matter", "write the value out", column)
