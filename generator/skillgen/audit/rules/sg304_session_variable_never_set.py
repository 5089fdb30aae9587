"""Session variable that the host never sets.

What it checks: shell that reads `CLAUDE_SESSION_ID` or `CLAUDECODE_SESSION_ID` before `CLAUDE_CODE_SESSION_ID`. The
exact `${CLAUDE_SESSION_ID}` in a SKILL.md is a substitution of the prompt and no breach.

Why it matters: Claude Code sets `CLAUDE_CODE_SESSION_ID` in a shell (2.1.132 and later) and neither of the others: the
snippet sees an empty id and takes its path for unknown sessions.

How to fix it: put the variable of the host before it, in Claude Code: `${CLAUDE_CODE_SESSION_ID:-${CLAUDE_SESSION_ID:-}}`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.hits import on_span
from skillgen.audit.text import Text

CODE = "SG304"
TITLE = "session variable that the host never sets"
SEVERITY = Severity.WARNING
SCOPE = Scope.TEXT
CANCEL_ONLY = False

_NEVER = re.compile(r"\$\{?(CLAUDE_SESSION_ID|CLAUDECODE_SESSION_ID)\b(:?[-?=+])?", re.A)


def check(subject: Text) -> Iterator[Hit]:
    for fragment in subject.fragments:
        if "CLAUDE" not in fragment.text:
            continue
        for match in _NEVER.finditer(fragment.text):
            start = fragment.text.rfind("\n", 0, match.start()) + 1
            before = fragment.text[start : match.start()]
            exact = match[0].startswith("${CLAUDE_SESSION_ID") and not match[2]
            rest = fragment.text[match.end() :].split("\n", 1)[0]
            names = " or ".join(dict.fromkeys([match[1], *(other[1] for other in _NEVER.finditer(rest))]))
            if exact or "CLAUDE_CODE_SESSION_ID" in fragment.text[: match.start()] or _NEVER.search(before):
                continue
            yield on_span(
                fragment,
                match.start(),
                match.end(),
                f"no host is known to set {names} in a shell; Claude Code sets CLAUDE_CODE_SESSION_ID",
                "read the variable that the host sets first, in Claude Code CLAUDE_CODE_SESSION_ID",
            )
