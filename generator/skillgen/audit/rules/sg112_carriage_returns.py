"""CRLF line ends.

What it checks: lines end with a line feed alone.

Why it matters: a shell block copied from such a file has a carriage return at the end of every line: `fi` becomes an
unknown word, a path gets an invisible last character.

How to fix it: convert it, and put `*.md text eol=lf` into .gitattributes.
"""

from __future__ import annotations

from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.text import Text

CODE = "SG112"
TITLE = "CRLF line ends"
SEVERITY = Severity.WARNING
SCOPE = Scope.TEXT
CANCEL_ONLY = False


def check(subject: Text) -> Iterator[Hit]:
    if subject.source.returns:
        count = len(subject.source.returns)
        line = subject.source.text.count("\n", 0, subject.source.returns[0]) + 1
        yield Hit(
            line, f"{count} line{'s' if count > 1 else ''} end{'s' if count == 1 else ''} with CRLF", "use line feeds"
        )
