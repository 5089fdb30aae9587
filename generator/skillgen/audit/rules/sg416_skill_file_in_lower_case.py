"""A skill's file is not called SKILL.md.

What it checks: below `skills/` every directory's skill file is spelled SKILL.md, and no skill lies flat as
`skills/name.md`.

Why it matters: Claude Code, Copilot CLI, dsh and the skills installer look for exactly SKILL.md; the reference
validator accepts `skill.md`, so the mistake is found by users only.

How to fix it: `git mv skills/x/skill.md skills/x/SKILL.md`.
"""

from __future__ import annotations

from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.tree import Bundle

CODE = "SG416"
TITLE = "skill file that no client finds"
SEVERITY = Severity.ERROR
SCOPE = Scope.BUNDLE
CANCEL_ONLY = False


def check(subject: Bundle) -> Iterator[Hit]:
    for path in subject.files:
        parts = path.split("/")
        if parts[0] != "skills":
            continue
        if len(parts) == 3 and parts[2].lower() == "skill.md" and parts[2] != "SKILL.md":
            yield Hit(0, "clients look for SKILL.md, spelled so", "rename it", path=path)
        elif len(parts) == 2 and parts[1].endswith(".md") and parts[1].lower() != "readme.md":
            name = parts[1].removesuffix(".md")
            yield Hit(0, "a skill is a directory", f"move it to skills/{name}/SKILL.md", path=path)
