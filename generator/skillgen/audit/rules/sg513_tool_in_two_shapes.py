"""One tool called in two shapes.

What it checks: calls of one tool that spell an argument in two ways (`session_id` and `sessionId`), and calls of another tool
than a state tool for a mode that differ in whether they pass the session (of state tools SG301 says so).

Why it matters: at least one of the two is wrong for the real tool: it is refused, or acts on another scope.

How to fix it: settle on one shape and write it everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.language import forbidden
from skillgen.audit.reader.tools import is_state_tool, read_calls
from skillgen.audit.scope import is_wide
from skillgen.audit.text import Text

CODE = "SG513"
TITLE = "one tool called in two shapes"
SEVERITY = Severity.WARNING
SCOPE = Scope.TEXT
CANCEL_ONLY = True


def check(subject: Text) -> Iterator[Hit]:
    by_tool: dict[str, list[tuple[int, int, int, frozenset[str]]]] = {}
    for call in read_calls(subject):
        line = subject.lines[call.line - 1]
        if (
            ("mode" in call.names() and not {"all", "list", "all_sessions"} & set(call.names()))
            and not is_wide(subject, call.line)
            and not forbidden(line, call.column - 1, call.end_column - 1)
        ):
            by_tool.setdefault(call.bare, []).append((call.line, call.column, call.end_column, frozenset(call.names())))
    for tool, calls in by_tool.items():
        spelled: dict[str, set[str]] = {}
        for *_, names in calls:
            for name in names:
                spelled.setdefault(re.sub(r"[_-]", "", name).lower(), set()).add(name)
        doubled = {name for group in spelled.values() if len(group) > 1 for name in group}
        with_session = [call for call in calls if any("session" in name.lower() for name in call[3])]
        for number, column, end, names in calls:
            if (
                not is_state_tool(tool)
                and with_session
                and len(with_session) < len(calls)
                and not any("session" in name.lower() for name in names)
            ):
                yield Hit(
                    number,
                    f"{tool} is called without the session here and with it on line {with_session[0][0]}",
                    "settle on one shape",
                    column,
                    end,
                )
            elif doubled & names and min(doubled) not in names:
                yield Hit(
                    number,
                    f"{tool} spells an argument in two ways: {', '.join(sorted(doubled))}",
                    "settle on one spelling",
                    column,
                    end,
                )
