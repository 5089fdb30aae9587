"""A here-document was pasted onto one line.

What it checks: `<<'PY'\\nprint(1)\\nPY`, that is a here-document whose line ends are the two characters backslash and n.

Why it matters: the shell looks for a line that holds only the delimiter and finds none: the block never parses, the
emergency path that it belongs to never ran.

How to fix it: put real line ends, with the delimiter alone on its line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.hits import scan
from skillgen.audit.text import Text

CODE = "SG208"
TITLE = "here-document with literal \\n"
SEVERITY = Severity.ERROR
SCOPE = Scope.TEXT
CANCEL_ONLY = False

ONE_LINE = re.compile(r"<<-?\s*\\?['\"]?(\w+)['\"]?[^\n]*?\\n(?:[^\n]*\\n)?\s*\1\b|<<-?\s*['\"]?\w+['\"]?\\n", re.A)


def check(subject: Text) -> Iterator[Hit]:
    if "<<" not in subject.source.text:
        return
    for number, match in scan(subject, ONE_LINE):
        yield Hit(
            number,
            "the here-document's line ends are the characters backslash and n",
            "write it on several lines, its delimiter alone on the last",
            match.start() + 1,
            match.end() + 1,
        )
