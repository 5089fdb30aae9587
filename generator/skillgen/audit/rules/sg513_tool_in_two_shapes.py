"""One tool called in two shapes.

What it checks: calls of one tool that spell an argument in two ways (`session_id` and `sessionId`), and calls of another tool
than a state tool for a mode that differ in whether they pass the session (of state tools SG301 says so).

Why it matters: at least one of the two is wrong for the real tool: it is refused, or acts on another scope.

How to fix it: settle on one shape and write it everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.language import forbidden
from skillgen.audit.reader.tools import Call, is_state_tool, read_calls
from skillgen.audit.scope import is_wide
from skillgen.audit.text import Text

CODE = "SG513"
TITLE = "one tool called in two shapes"
SEVERITY = Severity.WARNING
SCOPE = Scope.TEXT
CANCEL_ONLY = True

_BROAD = {"all", "list", "all_sessions"}


def check(subject: Text) -> Iterator[Hit]:
    by_tool: dict[str, list[Call]] = {}
    for call in read_calls(subject):
        names = call.names()
        if "mode" in names and _BROAD.isdisjoint(names):
            by_tool.setdefault(call.bare, []).append(call)
    for tool, calls in by_tool.items():
        if len(_shapes(tool, calls)) > 1:  # most texts are done here
            yield from _compare(subject, tool, calls)


def _shapes(tool: str, calls: list[Call]) -> set[object]:
    """Return in how many ways the tool is called: spellings of one argument; of other tools, with a session or not."""
    names = {name for call in calls for name in call.names()}
    if len({_letters_only(name) for name in names}) < len(names):
        return {"one", "another"}
    return {any(map(_is_session, call.names())) for call in calls} if not is_state_tool(tool) else set()


def _compare(subject: Text, tool: str, calls: list[Call]) -> Iterator[Hit]:
    meant = [
        (call, call.names())
        for call in calls
        if not is_wide(subject, call.line)
        and not forbidden(subject.lines[call.line - 1], call.column - 1, call.end_column - 1)
    ]
    spelled: dict[str, set[str]] = {}
    for name in dict.fromkeys(name for _, names in meant for name in names):
        spelled.setdefault(_letters_only(name), set()).add(name)
    doubled = {name for group in spelled.values() if len(group) > 1 for name in group}
    passing = next((call.line for call, names in meant if any(map(_is_session, names))), 0)
    state = is_state_tool(tool)
    for call, names in meant:
        if not state and passing and not any(map(_is_session, names)):
            message = f"{tool} is called without the session here and with it on line {passing}"
            yield Hit(call.line, message, "settle on one shape", call.column, call.end_column)
        elif not doubled.isdisjoint(names) and min(doubled) not in names:
            message = f"{tool} spells an argument in two ways: {', '.join(sorted(doubled))}"
            yield Hit(call.line, message, "settle on one spelling", call.column, call.end_column)


def _letters_only(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()


def _is_session(name: str) -> bool:
    return "session" in name.lower()
