"""Check that changes what it looks at.

What it checks: a command introduced as a check (a comment or heading that says check, verify, detect) that removes,
kills or runs with `--force`.

Why it matters: the agent runs a check without asking. Work that a worker has not committed is lost to a look.

How to fix it: look with a command that only reads; ask before the forced one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.hits import LONG_LINE, on_command
from skillgen.audit.text import Text

CODE = "SG518"
TITLE = "check that changes what it looks at"
SEVERITY = Severity.WARNING
SCOPE = Scope.TEXT
CANCEL_ONLY = False

_CHECK = re.compile(
    r"^\s*#+\s*(?:check|verify|detect|inspect|look|see whether|检查|确认|检测|확인|검사|確認|検出)\b|^\s*#+\s*(?:检查|确认|확인|確認)",
    re.I | re.A,
)
_THEN = re.compile(r"\b(?:then|and|remove|clean|delete|kill|force)\b|并|然后|후|して", re.I | re.A)


def check(subject: Text) -> Iterator[Hit]:
    for command in subject.commands:
        if command.fragment.kind == "inline":
            continue
        block = command.fragment.text
        comment = block[max(0, command.start - LONG_LINE) : command.start].rstrip().rpartition("\n")[2]
        if not comment.lstrip().startswith("#") or not _CHECK.match(comment) or _THEN.search(comment):
            continue
        line = block[command.start : command.start + LONG_LINE].split("\n", 1)[0]
        forced = re.search(r"(?:^|\s)--force\b", line)
        if forced or command.name in ("rm", "kill", "pkill"):
            yield on_command(
                command, "this is called a check and changes what it looks at", "use a command that only reads"
            )
