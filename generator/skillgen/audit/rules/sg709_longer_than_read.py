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
from skillgen.hosts import known_hosts
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
        return
    host = known_hosts().get(host_of(subject))
    if host and 0 < host.limits.skill_bytes < (size := len(subject.source.text.encode())):
        what = f"the skill has {size} bytes; {host.name} can stop at {host.limits.skill_bytes:,}"
        yield Hit(1, what, "move detail into references/", 1)
