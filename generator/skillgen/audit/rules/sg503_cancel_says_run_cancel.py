"""Cancel tells the user to run cancel.

What it checks: a message (an echoed or quoted sentence) in a cancel skill that tells the reader to use the skill's own
command, without another flag; or a step that has the user told to cancel a mode that this skill cancels.

Why it matters: the user has just done that. The step then stops, and nothing is cancelled.

How to fix it: cancel the owner, which takes the linked mode along, or say what keeps it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.hits import on_command, scan
from skillgen.audit.language import forbidden
from skillgen.audit.reader.reading import reading
from skillgen.audit.reader.words import KNOWN_MODES
from skillgen.audit.text import Text

CODE = "SG503"
TITLE = "cancel tells the user to run cancel"
SEVERITY = Severity.WARNING
SCOPE = Scope.TEXT
CANCEL_ONLY = True

_QUOTED = re.compile(r"[\"“「『]([^\"”」』\n]{12,300})[\"”」』]", re.A)
_TELLS = re.compile(r"\b(?:use|run|invoke|type|call|try)\b|使用|运行|执行|请用|실행|사용|使|実行", re.I | re.A)


_SENDS = re.compile(
    r"\b(?:warn|tell|ask|advise|suggest|instruct|remind|direct|inform)(?:s|ing)?\s+(?:to\s+)?(?:the\s+)?users?\s+(?:to|that they (?:should|must))\s+(?:first\s+)?"
    r"(?:cancel|stop|abort)\s+(?:the\s+)?([\w-]+)",
    re.I | re.A,
)


def check(subject: Text) -> Iterator[Hit]:
    yield from _prose(subject)
    own = subject.facts.values("invocation")
    if not own:
        return
    named = re.compile(r"(?<![\w/])(?:" + "|".join(map(re.escape, own)) + r")(?![\w:/-])(?!\s+`?--)", re.A)
    seen = set()
    for command in subject.commands:
        if command.name in ("echo", "printf") and named.search(command.source) and _TELLS.search(command.source):
            seen.add(command.line)
            yield on_command(
                command,
                "the message sends the user back to the command that is running",
                "cancel the owner instead, or say what keeps it",
            )
    for number in subject.holding(*own):
        if number < subject.body_line or number in seen or number in subject.document.code_lines:
            continue
        for match in _QUOTED.finditer(subject.lines[number - 1]):
            if named.search(match[1]) and _TELLS.search(match[1]) and " " in match[1].strip():
                yield Hit(
                    number,
                    "the message sends the user back to the command that is running",
                    "cancel the owner instead, or say what keeps it",
                    match.start() + 1,
                    match.end() + 1,
                )


def _prose(subject: Text) -> Iterator[Hit]:
    modes, _ = reading(subject)
    for number, match in scan(subject, _SENDS):
        line = subject.lines[number - 1]
        mode = match[1].lower()
        if modes.known(KNOWN_MODES.get(mode, mode)) and not forbidden(line, match.start(), match.end()):
            yield Hit(
                number,
                f"the user, who is cancelling, is sent to cancel {match[1]}",
                "cancel the owner in this step, or say what keeps it",
                match.start() + 1,
                match.end() + 1,
            )
