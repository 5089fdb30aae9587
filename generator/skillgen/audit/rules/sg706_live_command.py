"""Live command in prose.

What it checks: `` !`command` `` anywhere in a SKILL.md or command file whose front matter does not allow Bash, unless
the host is known to be another than Claude Code.

Why it matters: Claude Code runs it when the skill is loaded, wherever it stands, also where the text only explains the
form.

How to fix it: break the form up (a blank between `!` and the back quote), or mean it and list the command in `allowed-
tools`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.hits import scan
from skillgen.audit.product import host_of
from skillgen.audit.text import Text
from skillgen.hosts import known_hosts
from skillgen.model.subject import Kind

CODE = "SG706"
TITLE = "live command in prose"
SEVERITY = Severity.ERROR
SCOPE = Scope.TEXT
CANCEL_ONLY = False

_LIVE = re.compile(r"(?:^|(?<=[\s(（:：>|*-]))!`([^`\n]+)`", re.A)


def check(subject: Text) -> Iterator[Hit]:
    if subject.kind not in (Kind.SKILL, Kind.COMMAND) or "!`" not in subject.source.text:
        return
    allowed = subject.front.get("allowed-tools")
    if allowed and "Bash" in str(allowed.value):
        return
    known = known_hosts()
    host = host_of(subject)
    if host and not known[host].substitutes.commands:
        return
    runs = known[host].name if host else " and ".join(h.name for h in known.values() if h.substitutes.commands)
    for number, match in scan(subject, _LIVE):
        yield Hit(
            number,
            f"{runs} runs {match[1]!r} when it loads this text",
            "put a blank behind the !, or list it in allowed-tools",
            match.start() + 1,
            match.end() + 1,
        )
