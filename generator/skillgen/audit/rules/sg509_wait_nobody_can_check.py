"""Waiting time that nobody can check.

What it checks: a wait for a timeout of ten minutes or more whose sentence names no field or clock by which its end can
be told.

Why it matters: agent and user cannot know when it is over, whether it was extended, or which program applies it; some
only apply it on a hook that never comes.

How to fix it: name the field (`updated_at`, `expires_at`) that it is counted from and how to read it, or leave the
advice out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.hits import scan
from skillgen.audit.language import forbidden
from skillgen.audit.pieces import may_match
from skillgen.audit.text import Text

CODE = "SG509"
TITLE = "waiting time that nobody can check"
SEVERITY = Severity.WARNING
SCOPE = Scope.TEXT
CANCEL_ONLY = False

_LONG = re.compile(
    r"(?<![\w.])(\d{1,3}|one|two|half an|an)[\s-]?(hours?|hrs?|h|minutes?|mins?|小时|分钟|시간|분|時間|分)(?![A-Za-z])",
    re.I | re.A,
)
_WAIT = re.compile(
    r"\bwait\w*|\btime-?outs?\b|\bexpir\w+|等|超时|过期|기다|만료|타임아웃|待|期限|タイムアウト|失効",
    re.I | re.A,
)
_FIELD = re.compile(
    r"\b\w+_at\b|\b[a-z]+(?-i:At)\b|timestamp|mtime|时间戳|타임스탬프|タイムスタンプ|\bpid\b|\bheartbeat\b", re.I | re.A
)


def check(subject: Text) -> Iterator[Hit]:
    for number, match in scan(subject, _LONG, code=False):
        count, unit = match[1].lower(), match[2].lower()
        if (unit[0] == "m" or unit in ("分钟", "분", "分")) and (not count.isdigit() or int(count) < 10):
            continue
        line = subject.lines[number - 1]
        if not may_match(_WAIT, line) or _in_call(line, match.start()):
            continue
        near = " ".join(subject.lines[max(0, number - 2) : number + 1])
        if _WAIT.search(line) and not _FIELD.search(near) and not forbidden(line, match.start(), match.end()):
            yield Hit(
                number,
                f"nothing says when {_spell_duration(match[1], match[2])} over",
                "name the field that they are counted from",
                match.start() + 1,
                match.end() + 1,
            )


def _spell_duration(count: str, unit: str) -> str:
    """Return `the 2 hours are`, `the 1 hour is`: the match may stand before a noun (`2-hour timeout`)."""
    if not unit.isascii():
        return f"the {count}{unit} are"
    word = "hour" if unit[0] in "hH" else "minute"
    number = count.lower()
    if number in ("1", "one", "an"):
        return f"the {word} is"
    return f"the half {word} is" if number == "half an" else f"the {count} {word}s are"


def _in_call(line: str, at: int) -> bool:
    """Whether a place stands in a code span with options, where it is a word of an example."""
    if line.count("`", 0, at) % 2 == 0:
        return False
    end = line.find("`", at)
    return " -" in line[line.rfind("`", 0, at) : end if end >= 0 else len(line)]
