"""Find tools by how a text names them: `mcp__server__tool`, or a coded name that a sentence calls or uses."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from typing import TYPE_CHECKING

from skillgen.audit.fragments import code_spans

if TYPE_CHECKING:
    from skillgen.audit.text import Text

#: A tool of a server, whatever its name; a trailing `*` names none.
_BY_SERVER = re.compile(r"(?<![\w/-])mcp__[a-z0-9][\w-]*?__[a-z][a-z0-9_-]*[a-z0-9](?![\w*-])", re.I | re.A)
_SNAKE = re.compile(r"([a-z]+(?:_[a-z]+)+)(?:\([^()]*\))?$", re.A)
#: Words that call what stands behind them, and words that only use it.
_CALLS = re.compile(
    r"(?:\b(?:call(?:s|ing)?|invok(?:e|es|ing)|via|tools?)\b[^.;`]{0,30}|(?:调用|呼び出\S{0,4})\s*)$", re.I | re.A
)
_USES = re.compile(
    r"\b(?:us(?:e|es|ing)|with|through|check(?:s|ing)?|look\w*|run(?:s|ning)?|quer(?:y|ies)|load(?:s|ing)?|ask(?:s|ing)?|see)\b[^.;]{0,60}$|"
    r"(?:使用|用|通过|で|を)[^。；]{0,20}$",
    re.I | re.A,
)
_CALLED = re.compile(r"`\s*(?:(?:도구|工具|ツール|tool\b)|(?:을|를|도)?\s*(?:호출|실행)|を(?:呼|実行))", re.A)
#: How agents name tools of their own.
_AGENT_TOOL = re.compile(r"(?:Task|Team|Todo|Send|Tool|Agent|Kill|Ask)[A-Z][a-z]\w*(?:\(|$)", re.A)
#: A word of this kind in a name says that the name acts; a field of a record seldom holds one.
ACTS = frozenset(
    ["get", "set", "list", "read", "write", "cancel", "stop", "clear", "delete", "update", "send", "store", "create", "run", "search",
     "view", "query", "fetch", "kill", "close", "release", "status", "load", "save", "pause", "resume", "terminate", "end", "abort"]
)  # fmt: skip
_NOT_TOOLS = frozenset(
    ["skill_active", "session_id", "run_id", "team_name", "active_modes", "run_in_background", "subagent_type"]
)
#: What stands behind a field of a record.
_VALUE = re.compile(r"[\"'`]?\s*(?:=(?!=)|:(?!\s*$))", re.A)


def named_tools(text: Text, known: Container[str] = ()) -> Iterator[tuple[str, int]]:
    """Yield (tool, line) of the tools that are not known yet, the same tool more than once."""
    whole = text.source.text
    for match in _BY_SERVER.finditer(whole) if "mcp__" in whole else ():
        yield match[0], text.line_at(match.start())
    for number, start, content in code_spans(text):
        if _AGENT_TOOL.match(content) and content.partition("(")[0] not in known:
            before = text.lines[number - 1][max(0, start - 80) : start - 2]
            if _CALLS.search(before) or _USES.search(before):
                yield content.partition("(")[0], number
    fields: dict[str, bool] = {}
    for number, start, content in code_spans(text):
        named = _SNAKE.match(content) if "_" in content else None
        if not named or named[1] in known or named[1] in _NOT_TOOLS or named[1].startswith("linked_"):
            continue
        line = text.lines[number - 1]
        before = line[max(0, start - 80) : start - 2] if len(line) <= 4000 else ""
        acts = not ACTS.isdisjoint(named[1].split("_"))
        if not (
            _CALLS.search(before) or _CALLED.match(line, start - 1 + len(content)) or (acts and _USES.search(before))
        ):
            continue
        if named[1] not in fields:
            fields[named[1]] = _is_field(whole, named[1])
        if not fields[named[1]]:
            yield named[1], number


def _is_field(whole: str, name: str) -> bool:
    """Whether a value stands behind the name anywhere."""
    at = whole.find(name)
    while at >= 0:
        end = at + len(name)
        if _VALUE.match(whole, end):
            return True
        at = whole.find(name, end)
    return False
