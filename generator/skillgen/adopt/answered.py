"""Take over what somebody said to the questions that a text left open."""

from __future__ import annotations

from typing import Any

from skillgen.adopt.teams import drop_team
from skillgen.adopt.toolset import rename_calls, without_tools
from skillgen.adopt.wanted import Target

#: Taken while the target is worked out, since other values follow from them.
_EARLY = frozenset({("root", "directory"), ("root", "state"), ("team",)})


def take_answers(target: Target) -> None:
    """Put each answer in its place; one whose place is gone, since another answer took it away, says nothing."""
    for path, answer in target.answers.items():
        if answer.line:
            target.lines[path] = answer.line
        if path in _EARLY or (path[0] == "modes" and path[2] == "action"):
            continue
        if path[0] == "tools":
            _take_tool(target, path, answer.value)
            continue
        at: Any = target.data
        for step in path[:-1]:
            at = at.get(step, {})
        if path[-1] in at:
            at[path[-1]] = answer.value


def _take_tool(target: Target, path: tuple[str, ...], value: str | None) -> None:
    if target.data["tools"] is None:
        return
    if value is None:
        drop_team(target)
        without_tools(target)
    else:
        rename_calls(target, path[1:], value)
