"""Empty remnant of something removed.

What it checks: words that a removal left without their partner: `ralph/ultraqa/ cleanup`, `linked ultrawork or )`, `(
, x)`, `and .`

Why it matters: a mode or tool was cut out by search and replace. Where its name stood, its steps stood too; they may
be missing or half there.

How to fix it: finish the sentence, and look for the other places of the same cut.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.hits import scan
from skillgen.audit.text import Text

CODE = "SG602"
TITLE = "empty remnant of something removed"
SEVERITY = Severity.WARNING
SCOPE = Scope.TEXT
CANCEL_ONLY = False

_FOREIGN = ("或", "和", "与", "及", "또는", "및", "または", "および")
_REMNANTS = (
    re.compile(r"\b(?:or|and|with|via)\s?[)\]](?!\()", re.A),
    re.compile(r"[(（] ?[,/、，](?!\.)", re.A),
    re.compile(r",\s+,(?!,)", re.A),
    re.compile(r"[,、，] ?[)）](?=[\s.,;:]|$)", re.A),
    re.compile(r" (?<=[\w`*] )(?:or|and)(?: ?[.;]| :)(?=\s|$)", re.A),
    re.compile(r"\b(?:or|and) (?:or|and)\s", re.A),
    re.compile(rf"(?:{'|'.join(_FOREIGN)}) ?[)）。]", re.A),
)
_SLASHES = re.compile(r"(?<![\w./`~])((?:[a-z][a-z-]*/){1,5})\s+(?=[a-z]+[ ).,]|[^\x00-\x7f])", re.A)


def check(subject: Text) -> Iterator[Hit]:
    for pattern in _REMNANTS:
        for number, match in scan(subject, pattern, code=False):
            if subject.lines[number - 1].count("`", 0, match.start()) % 2:
                continue
            yield Hit(
                number,
                f"something is missing beside {match[0].strip()!r}",
                "finish the sentence or take the rest out",
                match.start() + 1,
                match.end() + 1,
            )
    modes = subject.facts.modes() if subject.is_cancel else {}
    for number, match in scan(subject, _SLASHES, code=False) if modes else ():
        parts = match[1].rstrip("/").split("/")
        if all(part in modes for part in parts):
            yield Hit(
                number,
                f"something is missing behind {match[1]!r}",
                "finish the list",
                match.start() + 1,
                match.end() + 1,
            )
