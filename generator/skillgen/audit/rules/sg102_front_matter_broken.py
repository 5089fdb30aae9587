"""Front matter cannot be read.

What it checks: the front matter (of a TOML prompt: the file) parses, is a mapping, and is closed. The place is where the
parser stopped.

Why it matters: hosts drop such a skill, some of them without a word. A `: ` inside an unquoted description is the most
common cause: some versions of a client accept it, the next refuses it.

How to fix it: quote the value, or write it as a block scalar (`description: >-` and the text indented below it). Close the
front matter with a line of three hyphens.
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


def check(subject: Text) -> Iterator[Hit]:
    front = subject.front
    if front.problem:
        repair = (
            "close it with ---" if "closed" in front.problem else "quote the value or write it as a block scalar (>-)"
        )
        yield Hit(front.problem_line, front.problem, repair, front.problem_column or 1)
