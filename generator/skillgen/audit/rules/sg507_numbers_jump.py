"""Numbered list that jumps.

What it checks: an ordered list counts up by one (or repeats 1.); headings `1.`, `2.` … of one level count up within
their parent.

Why it matters: a step was cut out. Later text that says `see step 3` now points to another one, and Markdown renders
numbers that the source does not show.

How to fix it: renumber it, and look for references to the old numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.text import Text

CODE = "SG507"
TITLE = "numbered list that jumps"
SEVERITY = Severity.WARNING
SCOPE = Scope.TEXT
CANCEL_ONLY = False
_STEP = re.compile(r"(?:step |步骤|第)?(\d{1,2})([a-z])?[.):：]?\s", re.I)
_VERSION = re.compile(r"\d+[.]\d")


def check(subject: Text) -> Iterator[Hit]:
    last: dict[int, int] = {}
    for item in subject.document.items:
        if not item.number and item.list_id not in last:
            continue
        before = last.get(item.list_id)
        last[item.list_id] = item.number
        if before is not None and item.number != before + 1 and not (item.number == before and before <= 1):
            yield Hit(item.line, f"{item.number} follows {before}", "renumber the list", 1)
    numbers: dict[tuple[int, int], int] = {}
    parents: list[int] = [0] * 8
    for n, heading in enumerate(subject.document.headings):
        parents[heading.level] = n
        match = _STEP.match(heading.text + " ")
        if not match or _VERSION.match(heading.text):
            continue
        key = (heading.level, parents[heading.level - 1] if heading.level > 1 else 0)
        number = int(match[1])
        before = numbers.get(key)
        numbers[key] = number
        if before is not None and number not in (before, before + 1):
            yield Hit(heading.line, f"step {number} follows step {before}", "renumber the headings", 1)
