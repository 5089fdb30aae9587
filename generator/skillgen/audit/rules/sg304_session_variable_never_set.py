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
from skillgen.hosts import follows_hosts, known_hosts
from skillgen.model.host import Host

CODE = "SG304"
TITLE = "session variable that the host never sets"
SEVERITY = Severity.WARNING
SCOPE = Scope.TEXT
CANCEL_ONLY = False


@follows_hosts
def _never() -> tuple[re.Pattern[str], dict[str, Host]]:
    """Return what finds a variable that no shell has, and variable -> the host whose texts name it."""
    hosts = {name: host for host in known_hosts().values() for name in host.session.never}
    return re.compile(rf"\$\{{?({'|'.join(map(re.escape, hosts))})\b(:?[-?=+])?", re.A), hosts


def check(subject: Text) -> Iterator[Hit]:
    pattern, hosts = _never()
    for fragment in subject.fragments:
        if "SESSION" not in fragment.text:
            continue
        for match in pattern.finditer(fragment.text):
            host = hosts[match[1]]
            set_ = host.session.variables[0]
            start = fragment.text.rfind("\n", 0, match.start()) + 1
            before = fragment.text[start : match.start()]
            replaced = match[0].startswith("${") and match[1] in host.substitutes.variables and not match[2]
            rest = fragment.text[match.end() :].split("\n", 1)[0]
            names = " or ".join(dict.fromkeys([match[1], *(other[1] for other in pattern.finditer(rest))]))
            if replaced or set_ in fragment.text[: match.start()] or pattern.search(before):
                continue
            yield on_span(
                fragment,
                match.start(),
                match.end(),
                f"no host is known to set {names} in a shell; {host.name} sets {set_}",
                f"read the variable that the host sets first, in {host.name} {set_}",
            )
