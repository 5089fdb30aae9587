"""Skill name unlike its directory.

What it checks: `name` equals the name of the directory that holds the SKILL.md.

Why it matters: Claude Code addresses a skill by its directory, Codex, Copilot CLI and others by its name: with two
names the same skill answers to different commands, and the reference validator refuses it.

How to fix it: rename the directory or the name; keep both equal.
"""

from __future__ import annotations

from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.tree import Skill

CODE = "SG104"
TITLE = "skill name unlike its directory"
SEVERITY = Severity.ERROR
SCOPE = Scope.SKILL
CANCEL_ONLY = False


def check(subject: Skill) -> Iterator[Hit]:
    key = subject.text.front.get("name")
    if key and isinstance(key.value, str) and key.value and subject.name not in ("", ".") and key.value != subject.name:
        yield Hit(
            key.line, f"the skill is called {key.value}, its directory {subject.name}", "make them equal", key.column
        )
