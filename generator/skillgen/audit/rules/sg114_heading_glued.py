"""Heading glued to the paragraph above.

What it checks: a heading stands below a blank line, another heading, or the end of a fence.

Why it matters: some renderers take `text` + `## Heading` for one paragraph; a diff that moves the section takes the
paragraph along.

How to fix it: put a blank line above it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.text import Text

CODE = "SG114"
TITLE = "heading glued to the paragraph above"
SEVERITY = Severity.NOTE
SCOPE = Scope.TEXT
CANCEL_ONLY = False
_MARKED = re.compile(r"\s*#{1,6}\s")


def check(subject: Text) -> Iterator[Hit]:
    doc = subject.document
    headings = {heading.line for heading in doc.headings}
    for heading in doc.headings:
        above = heading.line - 1
        if above > 0 and not subject.lines[above - 1].strip():
            continue
        if above < subject.body_line or above in headings or above in doc.code_lines or above in doc.html_lines:
            continue
        if _MARKED.match(subject.lines[heading.line - 1]):
            yield Hit(heading.line, "no blank line above this heading", "put a blank line above it", 1)
