"""Front matter key outside the specification.

What it checks: the keys of a SKILL.md are name, description, license, compatibility, metadata, allowed-tools. A key
that some host or loader reads (`argument-hint`, `aliases` …) is a note, any other a warning.

Why it matters: the reference validator refuses the skill; hosts ignore the key, so what it was to say is lost.

How to fix it: put it under `metadata:` as text, or remove it.
"""

from __future__ import annotations

from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.text import Text
from skillgen.model.subject import Kind

CODE = "SG108"
TITLE = "front matter key outside the specification"
SEVERITY = Severity.WARNING
SCOPE = Scope.TEXT
CANCEL_ONLY = False

SPECIFIED = frozenset({"name", "description", "license", "compatibility", "metadata", "allowed-tools"})
#: Keys that Claude Code, Copilot CLI, dsh or OpenCode document for skills; `aliases` is read by the loaders of oh-my-claudecode and its forks.
HOSTS = frozenset(
    {
        "argument-hint", "arguments", "model", "effort", "context", "agent", "hooks", "paths", "shell", "when_to_use",
        "when-to-use", "whenToUse", "disable-model-invocation", "user-invocable", "version", "mode", "globs",
        "allowed_tools", "disallowed-tools", "aliases",
    }
)  # fmt: skip


def check(subject: Text) -> Iterator[Hit]:
    if subject.kind is not Kind.SKILL:
        return
    for key in subject.front.keys:
        if key.name in SPECIFIED:
            continue
        known = key.name in HOSTS
        yield Hit(
            key.line,
            f"`{key.name}` is {'a key of one host only' if known else 'a key that no specification and no host knows'}",
            "put it under metadata: or remove it",
            key.column,
            key.column + len(key.name),
            severity=Severity.NOTE if known else None,
        )
