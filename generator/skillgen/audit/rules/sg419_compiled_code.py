"""A skill holds compiled code.

What it checks: no file of a skill is Python bytecode (`.pyc`, or anything in a `__pycache__`).

Why it matters: Python runs it instead of the source that a reviewer reads; with an unchecked hash it does so whatever
the source says. Nobody packs it on purpose.

How to fix it: remove it; run scripts with `python3 -B` where they lie in a bundle.
"""

from __future__ import annotations

from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.tree import Skill

CODE = "SG419"
TITLE = "compiled code in a skill"
SEVERITY = Severity.ERROR
SCOPE = Scope.SKILL
CANCEL_ONLY = False


def check(subject: Skill) -> Iterator[Hit]:
    for path in subject.files:
        if path.endswith(".pyc") or "__pycache__" in path.split("/"):
            yield Hit(0, "compiled code would run instead of its source", "remove it", path=path)
