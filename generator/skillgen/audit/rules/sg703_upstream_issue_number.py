"""Upstream's issue number.

What it checks: `issue #2118`, `PR #4015` without a repository, in a text that is not the upstream's own (by label,
prefix or root).

Why it matters: in the fork the number points to another issue or to none.

How to fix it: write the repository before it (`owner/name#2118`) or say what the issue was about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.hits import scan
from skillgen.audit.identity import identity, letters, own_names
from skillgen.audit.text import Text

CODE = "SG703"
TITLE = "upstream's issue number"
SEVERITY = Severity.WARNING
SCOPE = Scope.TEXT
CANCEL_ONLY = True

_NUMBER = re.compile(
    r"(?<![\w/])(?:(?:issues?|PRs?|pull requests?|bug|see|fixes|问题|이슈|課題|イシュー)\s*)#(\d{2,5})\b|[(（]#(\d{3,5})[)）]",
    re.I | re.A,
)


def check(subject: Text) -> Iterator[Hit]:
    own = own_names(subject)
    prefix = letters(identity(subject)[0])
    if not own or prefix == "ohmyclaudecode" or (not prefix and "omc" in map(letters, own)):
        return
    for number, match in scan(subject, _NUMBER):
        yield Hit(
            number,
            f"{match[0].strip('()（）')} is a number of the upstream's tracker",
            "name the repository, or say what it was about",
            match.start() + 1,
            match.end() + 1,
        )
