"""A SKILL.md has no front matter.

What it checks: a SKILL.md opens with YAML front matter between two lines of three hyphens.

Why it matters: Codex, Copilot CLI and the reference validator do not load a skill without it; other hosts guess a
name and show the first paragraph as its description.

How to fix it: put `---`, `name: <directory name>`, `description: <what it does and when to use it>`, `---` before the
first line. Nothing may stand above it, no blank line either.
"""

from __future__ import annotations

from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.text import Text
from skillgen.model.subject import Kind

CODE = "SG101"
TITLE = "SKILL.md without front matter"
SEVERITY = Severity.ERROR
SCOPE = Scope.TEXT
CANCEL_ONLY = False


def check(subject: Text) -> Iterator[Hit]:
    if subject.kind is Kind.SKILL and not subject.front.line:
        what = "the file is empty" if not subject.source.text.strip() else "no front matter on the first line"
        if subject.lines[:1] == ["+++"]:
            what = "the front matter stands between +++ lines, as TOML does; hosts read YAML between --- lines"
        yield Hit(1, what, "start the file with ---, name:, description:, ---", 1)
