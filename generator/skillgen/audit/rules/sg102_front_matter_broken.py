"""Front matter cannot be read.

What it checks: the front matter (of a TOML prompt: the file) parses, is a mapping, and is closed. The place is where the
parser stopped.

Why it matters: hosts drop such a skill, some of them without a word. A `: ` inside an unquoted description is the most
common cause: some versions of a client accept it, the next refuses it.

How to fix it: quote the value, or write it as a block scalar (`description: >-` and the text indented below it). Close the
front matter with a line of three hyphens. TOML (`name = "cancel"`) becomes `name: cancel`.
"""

from __future__ import annotations

from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.text import Text

CODE = "SG102"
TITLE = "front matter cannot be read"
SEVERITY = Severity.ERROR
SCOPE = Scope.TEXT
CANCEL_ONLY = False

_QUOTE = "quote the value or write it as a block scalar (>-)"
_REPAIRS = (
    ("closed", "close it with ---"),
    ("TOML, ", 'write `name: value` lines: `name: cancel` instead of `name = "cancel"`'),
    ("empty", "add name: and description:"),
    ("not a mapping", "write `name: value` lines"),
    ("longer than", "shorten it"),
)


def check(subject: Text) -> Iterator[Hit]:
    front = subject.front
    if front.problem:
        repair = next((what for word, what in _REPAIRS if word in front.problem), _QUOTE)
        yield Hit(front.problem_line, front.problem, repair, front.problem_column or 1)
