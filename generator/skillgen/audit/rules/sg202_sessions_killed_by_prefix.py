"""tmux sessions are killed by name prefix.

What it checks: `tmux list-sessions` filtered by a name pattern and fed to `kill-session`, in a pipeline, a loop or `xargs`,
and sentences that clear every tmux session of a pattern such as `x-team-*`.

Why it matters: a prefix is no evidence of ownership. The sessions of another project, another user's run or the leader's own
window carry the same prefix and die with their unsaved work.

How to fix it: kill only sessions that this run's own state records by exact name: `tmux kill-session -t "=$recorded_name"`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.hits import LONG_LINE, denied, on_command
from skillgen.audit.language import KILL, forbidden
from skillgen.audit.text import Text

CODE = "SG202"
TITLE = "tmux sessions killed by name prefix"
SEVERITY = Severity.ERROR
SCOPE = Scope.TEXT
CANCEL_ONLY = False

_REPAIR = 'kill only the sessions that this run recorded, by exact name: tmux kill-session -t "=$name"'
_FILTER = re.compile(r"\b(?:grep|egrep|awk|sed|rg)\b|#\{m:|\bcase\b|=~|==\s*[\"']?[\w-]+-[\"']?\*|\$\{\w+[#%]", re.A)
_LISTS = re.compile(r"\btmux\s+(?:-\S+\s+)*(?:ls|list-sessions)\b", re.A)
_KILLS = re.compile(r"kill-session|kill-window", re.A)
_PATTERN = re.compile(r"(?<![\w/.*-])[\w{}<>]+(?:-[\w{}<>]+)*-\*(?![\w/.*])|\^[\w-]+-(?=['\"`/]|$|\s)", re.A)

#: A name that ends in a hyphen, in a sentence about how names begin.
_BEGINS = re.compile(
    r"(?:start\w*|begin\w*|prefix\w*|前缀|前綴|以)\W{0,8}(?:with|of|by|is|:)?\W{0,4}(?<=[`'\"])[\w{}-]+-(?=[`'\"])|"
    r"(?<=[`'\"])[\w{}-]+-(?=[`'\"]\W{0,3}(?:开头|前缀|로 시작|으로 시작|접두|で始まる|から始まる|prefix))",
    re.I | re.A,
)


def check(subject: Text) -> Iterator[Hit]:
    if "tmux" not in subject.source.text:
        return
    seen: set[int] = set()
    for command in subject.commands:
        if command.name != "tmux" or not command.words or command.words[0].value not in ("ls", "list-sessions"):
            continue
        whole = _statement(command)
        line = subject.lines[command.line - 1]
        prose = command.fragment.kind in ("prose", "inline") and bool(KILL.search(line.replace(command.source, "")))
        if _FILTER.search(whole) and (_KILLS.search(whole) or prose) and not denied(subject, command):
            seen.add(command.line)
            yield on_command(command, "sessions are chosen by a pattern of their names and killed", _REPAIR)
    for number in subject.holding("tmux"):
        line = subject.lines[number - 1]
        if number < subject.body_line or number in seen or number in subject.document.code_lines:
            continue
        if len(line) > LONG_LINE or not KILL.search(line):
            continue
        found = (*_PATTERN.finditer(line), *_BEGINS.finditer(line))
        match = next((match for match in found if not forbidden(line, match.start(), match.end())), None)
        if match:
            yield Hit(
                number,
                f"tmux sessions are to be cleared by the pattern {match[0]}",
                _REPAIR,
                match.start() + 1,
                match.end() + 1,
            )


def _statement(command) -> str:  # type: ignore[no-untyped-def]
    """Return the source of the outermost loop or pipeline around a command."""
    outer = None
    for node in command.inside("pipeline", "for_statement", "while_statement", "list", "redirected_statement"):
        outer = node
    text: str = command.fragment.source(outer) if outer is not None else command.source
    if outer is None or "kill" not in text:
        line_end = command.fragment.text.find("\n", command.end)
        text = command.fragment.text[command.start : line_end if line_end > 0 else len(command.fragment.text)]
    return text
