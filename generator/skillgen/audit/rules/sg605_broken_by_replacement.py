"""Path or command broken by replacement.

What it checks: `.rm -f`, `state/state`, a tool name with a blank (`state_list active`, `mcp__x__ state_read`), a
doubled name in a path.

Why it matters: the command or path does not exist; what was to be removed stays, and the agent sees `command not
found` at best.

How to fix it: repair the name, and search the text for the same replacement.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.hits import scan
from skillgen.audit.text import Text

CODE = "SG605"
TITLE = "path or command broken by replacement"
SEVERITY = Severity.ERROR
SCOPE = Scope.TEXT
CANCEL_ONLY = False

_COMMANDS = ("rm", "mv", "cp", "jq", "tmux", "git", "mkdir", "cat", "kill", "find")
_TWICE = ("state", "sessions", "skills", "scripts", "plans", "hooks", "commands", "agents")
#: (pattern, what is wrong)
_BROKEN = (
    (
        re.compile(rf"\.(?<![\w./~*$}}-]\.)(?:{'|'.join(_COMMANDS)}) \s*-{{0,2}}\w", re.A),
        "a dot stands before the command",
    ),
    (
        re.compile(rf"(?<![\w-])({'|'.join(_TWICE)})/\1(?=/|\b(?![-.]))", re.A),
        "a directory stands twice",
    ),
    (re.compile(r"\.(?<![\w-]\.)([a-z][\w-]*)/\.\1(?=/)", re.A), "a root stands twice"),
    (
        re.compile(
            r"state(?<!\wstate)(?:_(?:list|get) (?:active|status)\b| _(?:read|write|clear)\b|_ (?:read|write|clear|list)\w*)",
            re.A,
        ),
        "a tool's name holds a blank",
    ),
    (re.compile(r"`state (?:clear|read|write|list active|get status)\("), "a tool's name holds a blank"),
    (
        re.compile(r"mcp__(?<!\wmcp__)(?: \w+|[\w-]+__ \w+(?=\()|[\w-]*(?: [\w-]+)+__\w+)", re.A),
        "a tool's name holds a blank",
    ),
)


def check(subject: Text) -> Iterator[Hit]:
    for pattern, what in _BROKEN:
        for number, match in scan(subject, pattern):
            yield Hit(number, f"{what}: {match[0]}", "repair the name", match.start() + 1, match.end() + 1)
