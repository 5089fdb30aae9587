"""A path with a blank that is not quoted.

What it checks: `rm`, `mv`, `cp` or `unlink` of a path whose last part ends at a blank, with the rest of a file name behind it:
`rm -f .x/state/my file.json`.

Why it matters: the shell sees two files: what was meant stays, and another of the first or second name goes.

How to fix it: quote the whole path.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.hits import asked_for, edit, on_span
from skillgen.audit.text import Text

CODE = "SG217"
TITLE = "path with a blank that is not quoted"
SEVERITY = Severity.ERROR
SCOPE = Scope.TEXT
CANCEL_ONLY = False

_OPENS = re.compile(r"[.~$\w{}-]*/(?:[\w.{}$-]+/)*[A-Za-z][A-Za-z0-9-]*$", re.A)
_ENDS = re.compile(r"[A-Za-z][\w-]*\.(?:json|jsonl|md|db|sqlite3?|log|lock|pid|txt|ya?ml|toml)$", re.A)


def check(subject: Text) -> Iterator[Hit]:
    for command in asked_for(subject, "rm", "mv", "cp", "unlink"):
        fragment = command.fragment
        for first, second in pairwise(command.operands()):
            between = fragment.text[first.end : second.start]
            if first.quoted or second.quoted or "\n" in between or not between.isspace():
                continue
            if _OPENS.match(first.raw) and _ENDS.match(second.raw):
                whole = fragment.text[first.start : second.end]
                yield on_span(
                    fragment,
                    first.start,
                    second.end,
                    f"{whole} is two files to the shell",
                    f'quote it: "{whole}"',
                    (edit(subject, fragment, first.start, second.end, f'"{whole}"'),) if command.name != "cp" else (),
                )
