"""Line or shell block longer than is searched.

What it checks: a line has at most 8,000 characters, and a shell block at most 60,000.

Why it matters: some rules take their square in time on a long line, so that they pass over it, and of a longer block they read the
beginning; what stands there is read by an agent and judged by nobody. No person writes such a line, and nobody reviews one.

In a text that is no cancel skill it is a note.

How to fix it: break the line, or put what it holds into a file beside the text.
"""

from __future__ import annotations

from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.fragments import LONG_BLOCK, SHELLS
from skillgen.audit.hits import LONG_LINE
from skillgen.audit.text import Text

CODE = "SG713"
TITLE = "line or shell block longer than is searched"
SEVERITY = Severity.WARNING
SCOPE = Scope.TEXT
CANCEL_ONLY = False

_REPAIR = "break it, or put what it holds into a file beside the text"


def check(subject: Text) -> Iterator[Hit]:
    severity = SEVERITY if subject.is_cancel else Severity.NOTE
    for number, line in enumerate(subject.lines, 1):
        if len(line) > LONG_LINE:
            what = f"the line has {len(line):,} characters; of more than {LONG_LINE:,} not every rule reads it"
            yield Hit(number, what, _REPAIR, LONG_LINE + 1, severity=severity)
    for fence in subject.document.fences:
        if fence.lang in SHELLS and len(fence.text) > LONG_BLOCK:
            what = f"the shell block has {len(fence.text):,} characters, of which {LONG_BLOCK:,} are read"
            yield Hit(fence.line, what, _REPAIR, severity=severity)
