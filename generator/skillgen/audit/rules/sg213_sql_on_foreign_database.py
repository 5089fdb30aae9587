"""A snippet changes another program's database by hand.

What it checks: `sqlite3 FILE "UPDATE …"` (also INSERT, DELETE, DROP, ALTER, REPLACE) in shell, inline code and here-documents.

Why it matters: the schema belongs to the program that wrote it and changes with it; the statement skips its locks and
triggers, and a missing table is reported as success by `|| true`.

How to fix it: use the program's own command or tool; where there is none, report what has to be done.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.hits import asked_for, on_command
from skillgen.audit.text import Text

CODE = "SG213"
TITLE = "inline SQL on another program's database"
SEVERITY = Severity.WARNING
SCOPE = Scope.TEXT
CANCEL_ONLY = False

_WRITES = re.compile(
    r"\b(?:UPDATE\s+\w+\s+SET|DELETE\s+FROM|INSERT\s+(?:OR\s+\w+\s+)?INTO|DROP\s+TABLE|ALTER\s+TABLE|REPLACE\s+INTO|UPDATE\b)",
    re.I | re.A,
)


def check(subject: Text) -> Iterator[Hit]:
    for command in asked_for(subject, "sqlite3", "sqlite"):
        parts = [command.source, *command.pipeline]
        outer = next(command.inside("redirected_statement"), None)
        if outer is not None:
            parts.append(command.fragment.source(outer))
        if any(_WRITES.search(part) for part in parts):
            yield on_command(
                command,
                "SQL changes a database past the program that keeps it",
                "use that program's own tool or command",
            )
