"""Record given in an argument that the tool ignores.

What it checks: a `state_write` with `state=` in a text whose tools keep rows in a table (`state_read(list=true)`):
there the record is `body`.

Why it matters: an unknown argument is ignored without an error and the stored record becomes `{}`: the call that was
to preserve resume data destroys it.

How to fix it: pass the whole record, read before, as `body`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.reader.tools import read_calls
from skillgen.audit.text import Text

CODE = "SG306"
TITLE = "record given in an argument that the tool ignores"
SEVERITY = Severity.ERROR
SCOPE = Scope.TEXT
CANCEL_ONLY = True

_LISTED = re.compile(r"state_read\(\s*list\s*=\s*true", re.A)


def check(subject: Text) -> Iterator[Hit]:
    ignored = [
        call
        for call in read_calls(subject)
        if call.tool.endswith("state_write") and "state" in call.names() and "body" not in call.names()
    ]
    if ignored and ("state table" in subject.low or _LISTED.search(subject.low)):
        for call in ignored:
            yield Hit(
                call.line,
                "this state tool takes the record as `body`; `state` is ignored and {} is stored",
                "read the record, change it, and write it back as body",
                call.column,
                call.end_column,
            )
