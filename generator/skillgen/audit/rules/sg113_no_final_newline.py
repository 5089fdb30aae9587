"""No final newline.

What it checks: the last line ends with a line feed.

Why it matters: the next tool that appends to the file joins its first line to this last one (one public copy ends
`donecancel`).

How to fix it: end the file with a line feed. `--fix` does it.
"""

from __future__ import annotations

from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.text import Text
from skillgen.model.finding import Edit

CODE = "SG113"
TITLE = "no final newline"
SEVERITY = Severity.NOTE
SCOPE = Scope.TEXT
CANCEL_ONLY = False


def check(subject: Text) -> Iterator[Hit]:
    text = subject.source.text
    if text and not text.endswith("\n"):
        yield Hit(
            len(subject.lines),
            "the last line has no end",
            "end it with a line feed",
            len(subject.lines[-1]) + 1,
            edits=(Edit(len(text), len(text), "\n"),),
        )
