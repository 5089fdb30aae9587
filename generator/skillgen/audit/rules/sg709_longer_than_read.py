"""Longer than the host reads.

What it checks: a SKILL.md has at most 500 lines; one for Codex (by manifest, path or product) at most 8,000 bytes.

Why it matters: Codex can stop reading there, and every host pays for the whole text each time the skill is used.

How to fix it: move detail into `references/` and link it.
"""

from __future__ import annotations

from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.product import host_of
from skillgen.audit.text import Text
from skillgen.model.subject import Kind

CODE = "SG709"
TITLE = "longer than the host reads"
SEVERITY = Severity.NOTE
SCOPE = Scope.TEXT
CANCEL_ONLY = False


def check(subject: Text) -> Iterator[Hit]:
    if subject.kind is not Kind.SKILL:
        return
    if len(subject.lines) > 500:
        yield Hit(501, f"the skill has {len(subject.lines)} lines, more than 500", "move detail into references/", 1)
    elif host_of(subject) == "codex" and (size := len(subject.source.text.encode())) > 8000:
        yield Hit(1, f"the skill has {size} bytes; Codex can stop at 8,000", "move detail into references/", 1)
