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

#: The flag of a region (England, Scotland, Wales) is spelled in at most six tag characters and one that ends it.
_FLAG = re.compile("\U0001f3f4[\U000e0020-\U000e007e]{1,6}\U000e007f")
_NAMED = 5


def check(subject: Text) -> Iterator[Hit]:
    if subject.source.text.isascii():
        return
    for number, line in enumerate(subject.lines, 1):
        if line.isascii():
            continue
        places = [match.start() for match in _HIDDEN.finditer(line) if not _joins(line, match.start())]
        flags = {at for match in _FLAG.finditer(line) for at in range(match.start() + 1, match.end())} if places else ()
        places = [at for at in places if at not in flags]
        if not places:
            continue
        codes = list(dict.fromkeys(f"U+{ord(line[at]):04X}" for at in places))
        named = " and ".join(codes[:_NAMED]) + (" and others" if len(codes) > _NAMED else "")
        what = f"{named} {'is' if len(codes) == 1 else 'are'} invisible"
        if len(places) > 1:
            what += f" ({len(places)} characters on this line)"
        start = subject.offset(number, 1)
        edits = tuple(Edit(start + at, start + at + 1, "") for at in places)
        yield Hit(
            number, what, "remove it" if len(places) == 1 else "remove them", places[0] + 1, places[0] + 2, edits=edits
        )


def _joins(line: str, at: int) -> bool:
    """Whether a joiner stands inside an emoji or between letters of a script that needs it."""
    return line[at] in "\u200c\u200d" and bool(
        _JOINED.match(line[at - 1 : at]) and _JOINED.match(line[at + 1 : at + 2])
    )
