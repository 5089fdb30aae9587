"""A script has Windows line ends.

What it checks: no file of a skill that begins with `#!` holds a carriage return before a line feed.

Why it matters: the kernel looks for an interpreter named `bash\\r`, and bash reads `fi\\r` as a word: the script fails on
its first line or, worse, in its middle. git writes such files in a clone with `core.autocrlf=true`.

How to fix it: put `* text=auto eol=lf` into a `.gitattributes` beside the script, and check it out again.
"""

from __future__ import annotations

from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.tree import Skill

CODE = "SG418"
TITLE = "script with carriage returns"
SEVERITY = Severity.ERROR
SCOPE = Scope.SKILL
CANCEL_ONLY = False


def check(subject: Skill) -> Iterator[Hit]:
    for path, file in subject.files.items():
        if file.link or file.special:
            continue
        data = file.read()
        if data[:2] == b"#!" and (at := data.find(b"\r\n")) >= 0:
            line = data.count(b"\n", 0, at) + 1
            repair = "check it out with line feeds: `* text=auto eol=lf` in a .gitattributes beside it"
            yield Hit(line, "the script has Windows line ends, which no shell takes", repair, path=path)
