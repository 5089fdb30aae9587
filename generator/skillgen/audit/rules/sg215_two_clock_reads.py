"""A time span is made from two looks at the clock.

What it checks: a block that reads the clock once for a start and once more, with an offset, for an end (`date` and `date -d "+30 seconds"`,
or python's `now() + timedelta`).

Why it matters: the two calls can fall into different seconds. A reader that allows exactly 30 s then sees 31 and refuses
the record: it fails once in a few hundred runs and never on the desk.

How to fix it: read the clock once and derive both from it: `now=$(date -u +%s)`, then format `now` and `now + 30`, or one python3 call
that prints both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.hits import on_span
from skillgen.audit.text import Text

CODE = "SG215"
TITLE = "time span from two clock reads"
SEVERITY = Severity.NOTE
SCOPE = Scope.TEXT
CANCEL_ONLY = False

_NOW = re.compile(r"(\w+)=[\"']?(?:\$\(|`)\s*date\s+(?:-u\s+|--utc\s+)?[\"']?\+[^)`]*?(?:[)`])", re.A)
_LATER = re.compile(
    r"(\w+)=[\"']?(?:\$\(|`)\s*(?:date\s+[^)\n]*(?:-d|--date|-v)\s*[=\"']*\+?\s*\d+|date\s+[^)\n]*-v\s*\+|"
    r"python3?\b[^\n]*\n?(?:[^\n]*\n){0,4}?[^\n]*now\([^)]*\)[^\n]*timedelta)",
    re.A,
)


def check(subject: Text) -> Iterator[Hit]:
    for fragment in subject.fragments:
        if "date" not in fragment.text and "timedelta" not in fragment.text:
            continue
        first = _NOW.search(fragment.text)
        later = _LATER.search(fragment.text)
        if first and later and first[1] != later[1]:
            yield on_span(
                fragment,
                later.start(),
                later.end(),
                f"{first[1]} and {later[1]} come from two looks at the clock and can lie a second further apart",
                "read the clock once and derive both times from it",
            )
