"""Read tools and the shapes in which they are called."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from skillgen.audit.fragments import code_spans
from skillgen.model.facts import Fact

if TYPE_CHECKING:
    from skillgen.audit.text import Text

#: `name(…)` or `name({…})`; arguments hold no further call.
_CALL = re.compile(r"(?<![\w.$-])((?:mcp__[\w-]+__)?[A-Za-z_][\w-]*)\(\s*\{?((?:[^()\n]|\([^()\n]*\))*)\)", re.A)
_NAME = re.compile(
    r"(?<![\w./$-])((?:mcp__[\w-]+?__)?(?:[a-z]+_)*state_[a-z]+(?:_[a-z]+)*)(?![\w.]*\.(?:json|py|md))\b(?!\s*=)", re.A
)
#: A tool of a server, whatever its name; a trailing `*` names none.
_BY_SERVER = re.compile(r"(?<![\w/-])mcp__[a-z0-9][\w-]*?__[a-z][a-z0-9_-]*[a-z0-9](?![\w*-])", re.I | re.A)
_SPAN_NAME = re.compile(r"([a-z]+(?:_[a-z]+)+)(?:\([^()]*\))?$", re.A)
#: Words that call what stands behind them, and words that only use it.
_CALLS = re.compile(
    r"(?:\b(?:call(?:s|ing)?|invok(?:e|es|ing)|via|tools?)\b[^.;`]{0,30}|(?:调用|呼び出\S{0,4})\s*)$", re.I | re.A
)
_USES = re.compile(
    r"\b(?:us(?:e|es|ing)|with|through|check(?:s|ing)?|look\w*|run(?:s|ning)?|quer(?:y|ies)|load(?:s|ing)?|ask(?:s|ing)?|see|from|by|then|and|/)(?![^.;]*`[^`]*`[^/,.;]{2,})[^.;]{0,60}$|"
    r"(?:使用|用|通过|で|を)[^。；]{0,20}$|`\s*/\s*$",
    re.I | re.A,
)
_ACTS = frozenset(
    ["get", "set", "list", "read", "write", "cancel", "stop", "clear", "delete", "update", "send", "store", "create", "run", "search",
     "view", "query", "fetch", "kill", "close", "release", "status", "load", "save", "pause", "resume", "terminate", "end", "abort"]
)  # fmt: skip
_FIELD = re.compile(r"[\"'.]?\b([a-z]+(?:_[a-z]+)+)[\"'`]?\s*(?:=(?!=)|:(?!\s*$))", re.A)
_AGENT = re.compile(
    r"(?<![\w./-])(TeamDelete|TeamCreate|SendMessage|ToolSearch|TaskUpdate|TaskList|TodoWrite|send_message|list_agents|interrupt_agent|"
    r"update_goal|get_goal|team_dispose|close_agent)\b",
    re.A,
)
_AGENT_WORDS = ("Team", "Send", "Tool", "Task", "Todo", "send_", "agent", "_goal", "team_")
_STATE_TOOL = re.compile(r"(?:^|__)[a-z_]*state_(?:clear|read|write|list_active|get_status|list|delete|get|set)$", re.A)
_NOT_TOOLS = frozenset(
    [
        "skill_active",
        "session_id",
        "run_id",
        "team_name",
        "linked_team",
        "active_modes",
        "run_in_background",
        "subagent_type",
    ]
)
_ARGUMENT = re.compile(r"^\s*[\"']?([A-Za-z_]\w*)[\"']?\s*(?:[=:]\s*(.*))?$", re.S | re.A)


@dataclass(frozen=True, slots=True)
class Call:
    """One call in the text; `arguments` are (name, value or '') in their order."""

    tool: str
    arguments: tuple[tuple[str, str], ...]
    line: int
    column: int
    end_column: int

    @property
    def bare(self) -> str:
        """The tool without its server prefix."""
        return self.tool.rpartition("__")[2]

    def get(self, name: str) -> str:
        return next((value for key, value in self.arguments if key == name), "")

    def names(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.arguments)

    @property
    def shape(self) -> str:
        return ",".join(sorted(set(self.names())))


def read_calls(text: Text) -> tuple[Call, ...]:
    """Return the tool calls of the text: names with an underscore or an inner capital, arguments by name."""
    cached: tuple[Call, ...] | None = text.__dict__.get("_calls")
    if cached is not None:
        return cached
    found = []
    for number, line in enumerate(text.lines, 1):
        if "(" not in line or len(line) > 8000:
            continue
        for match in _CALL.finditer(line):
            name = match[1]
            if not ("_" in name or re.match(r"[A-Z][a-z]+[A-Z]", name)) or name.isupper():
                continue
            arguments = _arguments(match[2].rstrip("} "))
            if arguments is not None:
                found.append(Call(name, arguments, number, match.start() + 1, match.end() + 1))
    text.__dict__["_calls"] = tuple(found)
    return tuple(found)


def _arguments(inside: str) -> tuple[tuple[str, str], ...] | None:
    out: list[tuple[str, str]] = []
    for part in _split(inside):
        part = part.strip()
        if not part or part.startswith(("...", "…")) or part in ("...", "…"):
            continue
        match = _ARGUMENT.match(part)
        if not match:
            return None if not out and "=" not in inside and ":" not in inside else tuple(out)
        out.append((match[1], (match[2] or "").strip()))
    return tuple(out)


def _split(inside: str) -> list[str]:
    """Split at the commas outside quotes and brackets."""
    parts, depth, quote, start = [], 0, "", 0
    for n, char in enumerate(inside):
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        elif char in "[{(":
            depth += 1
        elif char in "]})":
            depth -= 1
        elif char == "," and depth <= 0:
            parts.append(inside[start:n])
            start = n + 1
    parts.append(inside[start:])
    return parts


def is_state_tool(name: str) -> bool:
    return bool(_STATE_TOOL.search(name))


def read_tools(text: Text) -> Iterator[Fact]:
    """Yield the tools that the text calls or names, and the shape of each call of a state tool."""
    seen: dict[str, int] = {}
    for number in text.holding("state_", *_AGENT_WORDS):
        line = text.lines[number - 1]
        if "state_" in line:
            for match in _NAME.finditer(line):
                if _STATE_TOOL.search(match[1]):
                    seen.setdefault(match[1], number)
        for match in _AGENT.finditer(line):
            seen.setdefault(match[1], number)
    for match in _BY_SERVER.finditer(text.source.text) if "mcp__" in text.source.text else ():
        seen.setdefault(match[0], text.line_at(match.start()))
    for name, number in _in_spans(text):
        seen.setdefault(name, number)
    for call in read_calls(text):
        if is_state_tool(call.tool):
            yield Fact("call", call.bare, call.shape, call.line)
    for name, number in seen.items():
        yield Fact("tool", "", name, number)


def _in_spans(text: Text) -> Iterator[tuple[str, int]]:
    """Coded snake-case names that a sentence calls, or that name an act and stand behind a word of use."""
    fields = None
    for number, start, content in code_spans(text):
        match = _SPAN_NAME.match(content)
        if not match or match[1] in _NOT_TOOLS or len(text.lines[number - 1]) > 4000:
            continue
        before = text.lines[number - 1][max(0, start - 80) : start - 2]
        acts = not _ACTS.isdisjoint(match[1].split("_"))
        if not (_CALLS.search(before) or (acts and _USES.search(before))):
            continue
        if fields is None:
            fields = set(_FIELD.findall(text.source.text))
        if match[1] not in fields and not match[1].startswith("linked_"):
            yield match[1], number
