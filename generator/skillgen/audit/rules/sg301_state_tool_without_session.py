"""State tool called without the session.

What it checks: every call of a state tool (`state_clear`, `state_read`, `state_write`) that names a mode also passes
the session, outside sections about force or all sessions. Where the text passes it to the same tool elsewhere, the finding
names that line: one of the two shapes is wrong.

Why it matters: what a call without a session does differs from product to product: one acts on the current session,
another deletes that mode's state of every session.

How to fix it: pass the session to every read, write and clear: `state_clear(mode="team", session_id="<session_id>")`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.language import forbidden
from skillgen.audit.reader.tools import Call, is_state_tool, read_calls
from skillgen.audit.scope import is_wide
from skillgen.audit.text import Text

CODE = "SG301"
TITLE = "state tool called without the session"
SEVERITY = Severity.ERROR
SCOPE = Scope.TEXT
CANCEL_ONLY = True

_SESSION = re.compile(r"session|sid\b", re.I | re.A)
_BROAD = {"all", "list", "all_sessions"}


def check(subject: Text) -> Iterator[Hit]:
    passes: dict[str, int] = {}
    without: list[tuple[Call, tuple[str, ...]]] = []
    for call in read_calls(subject):
        names = call.names()
        if "mode" in names and any(map(_SESSION.search, names)):
            passes.setdefault(call.bare, call.line)
        elif "mode" in names and is_state_tool(call.tool) and not _looks(call):
            without.append((call, names))
    for call, names in without:
        if _BROAD & set(names) or call.bare.endswith(("list_active", "list")):
            continue
        line = subject.lines[call.line - 1]
        if is_wide(subject, call.line) or forbidden(line, call.column - 1, call.end_column - 1):
            continue
        yield Hit(
            call.line,
            f"{call.bare} without a session can reach every session"
            + (f"; line {passes[call.bare]} passes it" if call.bare in passes else ""),
            'pass it: session_id="<session_id>"',
            call.column,
            call.end_column,
        )


def _looks(call: Call) -> bool:
    """Whether a command only looks: the product's own program knows whose session it is run in."""
    return bool(call.command) and call.role in ("read", "list", "status")
