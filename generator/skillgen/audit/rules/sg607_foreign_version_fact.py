"""Another host's version fact under a new name.

What it checks: a version number of Claude Code (2.0.x and 2.1.x with two or three digits) beside the name of another
program, and versions that a replacement moved to another product.

Why it matters: the sentence was true of the program that it was written for; of this one nobody has checked it.

How to fix it: check the fact for this host and give its own version, or drop it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.hits import scan
from skillgen.audit.text import Text

CODE = "SG607"
TITLE = "another host's version fact under a new name"
SEVERITY = Severity.WARNING
SCOPE = Scope.TEXT
CANCEL_ONLY = False

_FACT = re.compile(
    r"\b((?:[A-Z][\w-]*\s){0,2}?[A-Z][\w-]*)\s+(?:CLI\s+)?(?:≥\s?|>=\s?|v|version\s+)?(2\.[01]\.\d{2,3})\b\+?", re.A
)


def check(subject: Text) -> Iterator[Hit]:
    for number, match in scan(subject, _FACT):
        name = match[1].strip()
        if "Claude" in name or (
            name.split()[-1] in ("Since", "From", "In", "Version", "Code") and "Claude" in subject.lines[number - 1]
        ):
            continue
        if re.search(
            r"Gemini|Codex|Copilot|Qwen|Kimi|Kiro|Cursor|OpenCode|Grok|Qoder|CodeBuddy|Droid|Amp|Windsurf|Code\b|Harness|CLI",
            name,
        ):
            yield Hit(
                number,
                f"{match[2]} is numbered as Claude Code's versions are, and stands behind {name}",
                "check the fact for this program",
                match.start() + 1,
                match.end() + 1,
            )
