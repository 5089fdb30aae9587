"""Unscoped file changed in the default path.

What it checks: a shell command outside sections about force or legacy that removes or rewrites
`<root>/state/<mode>-state.json` or a record beside it (`…-plan.json`, `…-verification.json`), in a text that promises the session's own path.

Why it matters: the promise says that other sessions stay untouched, the snippet takes whichever session wrote the
shared file last.

How to fix it: use the session's path: `.x/state/sessions/$SESSION_ID/<mode>-state.json`, with the id checked first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.hits import denied, on_command
from skillgen.audit.scope import is_wide
from skillgen.audit.text import Text

CODE = "SG302"
TITLE = "unscoped file changed in the default path"
SEVERITY = Severity.WARNING
SCOPE = Scope.TEXT
CANCEL_ONLY = True

_PROMISE = re.compile(
    r"/sessions?/[{$<]|\bsession[- ](?:scoped|aware|isolated|specific)|\b(?:current|own|matching|this) session\b|session_id|sessionId|会话|세션|セッション",
    re.I | re.A,
)
#: Found at once, where the pattern would try every letter.
_PROMISES = ("session_id", "sessionId", "会话", "세션", "セッション")
_RECORDS = ("state", "plan", "verification", "progress", "ownership", "prd", "tracking")
_FILES = tuple(f"-{record}.json" for record in _RECORDS)
_UNSCOPED = re.compile(
    rf"(?:^|/|\b)state/[a-z][\w-]*-(?:{'|'.join(_RECORDS)})\.json$|"
    rf"\$\{{?\w*(?:STATE|ROOT)\w*\}}?/(?:\$\{{?\w*MODE\w*\}}?|[a-z][\w-]*)-(?:{'|'.join(_RECORDS)})\.json$",
    re.A,
)


def check(subject: Text) -> Iterator[Hit]:
    promised: bool | None = None
    for command in subject.commands:
        targets = []
        if command.name in ("rm", "unlink", "mv"):
            targets = [word.value for word in command.operands()[:1] if command.name == "mv"] or [
                word.value for word in command.operands()
            ]
        targets += [target for operator, target in command.redirects if operator in (">", ">|")]
        bad = [
            target
            for target in targets
            if target.rstrip("\n").endswith(_FILES) and _UNSCOPED.search(target) and not _is_scoped(subject, target)
        ]
        if bad and promised is None:
            whole = subject.source.text
            promised = any(word in whole for word in _PROMISES) or bool(_PROMISE.search(whole))
        if (
            bad
            and promised
            and not denied(subject, command)
            and not is_wide(subject, command.line)
            and not _is_guarded(command)
        ):
            yield on_command(
                command,
                f"{bad[0]} belongs to no session, though the text promises session scope",
                "use the session's own path under state/sessions/",
            )


def _is_scoped(subject: Text, target: str) -> bool:
    """Whether the path names a session, or starts with a variable that was set to a path of one."""
    if "session" in target.lower():
        return True
    match = re.match(r"\$\{?(\w+)", target)
    if not match:
        return False
    name = match[1].lower()
    return f"{name}=" in subject.low and bool(re.search(rf"{name}(?<!\w{name})=[^\n]*session", subject.low))


def _is_guarded(command) -> bool:  # type: ignore[no-untyped-def]
    """Whether it stands under a test for a missing session (SG303 speaks of that) or a force flag."""
    for node in command.inside("if_statement"):
        condition = command.fragment.source(node).split("then", 1)[0]
        if re.search(r"-z\s+\"?\$\{?\w*SESSION|FORCE|ALL", condition):
            return True
    return False
