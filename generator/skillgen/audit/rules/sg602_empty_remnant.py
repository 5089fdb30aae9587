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

_REMNANT = re.compile(
    r"\b(?:or|and|with|via)\s*[)\]](?!\()|[(（]\s*[,/、，](?!\.)|,\s+,(?!,)|[,、，]\s*[)）](?=[\s.,;:]|$)|"
    r"(?<=[\w`*])\s+(?:or|and)\s*(?:[.;:](?=\s|$)|$(?<!or )(?<!and ))|\b(?:or|and)\s+(?:or|and)\s|(?:或|和|与|及|또는|및|または|および)\s*[)）。]",
    re.A,
)
_SLASHES = re.compile(r"(?<![\w./`~])((?:[a-z][a-z-]*/){1,5})\s+(?=[a-z]+[ ).,]|[^\x00-\x7f])", re.A)


def check(subject: Text) -> Iterator[Hit]:
    modes = subject.facts.modes() if subject.is_cancel else {}
    for number, match in scan(subject, _REMNANT, code=False):
        line = subject.lines[number - 1]
        if line.count("`", 0, match.start()) % 2 or (
            match.end() >= len(line) and not match[0].strip(" ").endswith((")", "）", ".", ";"))
        ):
            continue
        yield Hit(
            number,
            f"something is missing beside {match[0].strip()!r}",
            "finish the sentence or take the rest out",
            match.start() + 1,
            match.end() + 1,
        )
    for number, match in scan(subject, _SLASHES, code=False):
        parts = match[1].rstrip("/").split("/")
        if all(part in modes for part in parts):
            yield Hit(
                number,
                f"something is missing behind {match[1]!r}",
                "finish the list",
                match.start() + 1,
                match.end() + 1,
            )
