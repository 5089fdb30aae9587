"""Extra steps for one of two equal flags.

What it checks: a text that calls `--force` and `--all` the same, and adds steps for one of them alone.

Why it matters: the user who types the other flag is told that everything was cleared while these artifacts stay.

How to fix it: name both flags, or make the two differ in one table and parse them apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.text import Text

CODE = "SG502"
TITLE = "extra steps for one of two equal flags"
SEVERITY = Severity.WARNING
SCOPE = Scope.TEXT
CANCEL_ONLY = True

_EXTRA = re.compile(
    r"\balso\b|\badditional(?:ly)?\b|\bextra\b|\bfurther\b|\baddition\b|\bas well\b|还|另外|同时|额外|此外|추가|또한|さらに|また|追加|加えて",
    re.I | re.A,
)
_FLAG = re.compile(r"(?<![\w-])--(force|all)\b(?!-)", re.A)
_CODE = re.compile(r"`[^`]*`")


def check(subject: Text) -> Iterator[Hit]:
    if subject.facts.first("flags") != "same":
        return
    fenced = subject.document.code_lines
    for number in subject.lines_for(_FLAG):
        if number < subject.body_line or number in fenced:
            continue
        line = subject.lines[number - 1]
        flags = {match[0]: match for match in _FLAG.finditer(line)}
        if len(flags) != 1 or not _EXTRA.search(_CODE.sub("", line)):
            continue
        flag, match = next(iter(flags.items()))
        other = "--all" if flag == "--force" else "--force"
        yield Hit(
            number,
            f"these steps follow {flag} only, though {other} is called the same",
            f"name {other} too",
            match.start() + 1,
            match.end() + 1,
        )
