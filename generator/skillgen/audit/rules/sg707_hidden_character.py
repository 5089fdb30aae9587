"""Hidden character.

What it checks: no zero-width characters, bidirectional controls, tag characters or other marks that no screen shows.
Joiners inside emoji and between letters of scripts that need them are fine.

Why it matters: an agent reads what a reviewer cannot see: hidden instructions, names that look alike and differ,
commands that are not what they seem.

How to fix it: remove it; write the escape (`\\u200b`) where the text is about it. `--fix` removes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.text import Text
from skillgen.model.finding import Edit

CODE = "SG707"
TITLE = "hidden character"
SEVERITY = Severity.ERROR
SCOPE = Scope.TEXT
CANCEL_ONLY = False

_HIDDEN = re.compile(
    "[\u00ad\u180e\u200b\u200c\u200d\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\u206a-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"
    "\U000e0100-\U000e01ef\u115f\u1160\u3164\uffa0]"
)
_JOINED = re.compile("[\u0600-\u08ff\u0900-\u0dff\u2190-\u2bff\ufe0f\U0001f000-\U0001faff]")


def check(subject: Text) -> Iterator[Hit]:
    if subject.source.text.isascii():
        return
    for number, line in enumerate(subject.lines, 1):
        if line.isascii():
            continue
        for match in _HIDDEN.finditer(line):
            char = match[0]
            before, after = line[: match.start()][-1:], line[match.end() :][:1]
            if char in "\u200c\u200d" and _JOINED.match(before) and _JOINED.match(after):
                continue
            if "\U000e0020" <= char <= "\U000e007f" and _flag(line[: match.start()]):
                continue
            at = subject.offset(number, match.start() + 1)
            yield Hit(
                number,
                f"U+{ord(char):04X} is invisible",
                "remove it",
                match.start() + 1,
                match.end() + 1,
                edits=(Edit(at, at + 1, ""),),
            )


def _flag(before: str) -> bool:
    """Whether tag characters continue a flag emoji (England, Scotland, Wales)."""
    return bool(re.search("\U0001f3f4[\U000e0020-\U000e007f]*$", before))
