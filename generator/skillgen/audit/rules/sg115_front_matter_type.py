"""Front matter value of the wrong type.

What it checks: `description`, `license`, `compatibility` and `allowed-tools` are text, `metadata` maps names to text,
`compatibility` has at most 500 characters.

Why it matters: the reference validator refuses the skill, and a host that expects text can drop it without a word.

How to fix it: write text; several tools are separated by blanks in one string.
"""

from __future__ import annotations

from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.text import Text
from skillgen.model.subject import Kind

CODE = "SG115"
TITLE = "front matter value of the wrong type"
SEVERITY = Severity.WARNING
SCOPE = Scope.TEXT
CANCEL_ONLY = False


def check(subject: Text) -> Iterator[Hit]:
    if subject.kind is not Kind.SKILL:
        return
    for key in subject.front.keys:
        value = key.value
        if key.broken:
            continue  # SG102 speaks of it, what it holds is unknown
        if key.name in ("name", "description", "license", "compatibility") and isinstance(value, (list, dict)):
            yield Hit(key.line, f"`{key.name}` is no text", "write it as text", key.column)
        elif key.name == "allowed-tools" and isinstance(value, dict):
            yield Hit(
                key.line, "`allowed-tools` is no text", "write the tools in one line, separated by blanks", key.column
            )
        elif key.name == "metadata" and not _texts(value):
            yield Hit(
                key.line, "`metadata` does not map names to text", "write `name: text` lines below it", key.column
            )
        elif key.name == "compatibility" and isinstance(value, str) and len(value) > 500:
            yield Hit(key.line, f"`compatibility` has {len(value)} characters, more than 500", "shorten it", key.column)


def _texts(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(item, str) for item in value.values())
