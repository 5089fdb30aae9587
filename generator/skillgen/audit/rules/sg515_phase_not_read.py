"""Message with a phase that no step reads.

What it checks: a mode whose message holds `{phase}` and whose handler clears its record without reading the phase
before.

Why it matters: after the clear the phase is gone; the agent invents one or prints the placeholder.

How to fix it: read the record first and keep its `current_phase` for the message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.reader.reading import reading
from skillgen.audit.text import Text

CODE = "SG515"
TITLE = "message with a phase that no step reads"
SEVERITY = Severity.WARNING
SCOPE = Scope.TEXT
CANCEL_ONLY = True

_READS = re.compile(r"state_read|current_phase|\.phase\b|\bphase\b|阶段|단계|フェーズ|段階", re.I | re.A)


def check(subject: Text) -> Iterator[Hit]:
    facts = subject.facts
    _, places = reading(subject)
    for message in facts.of("message"):
        if "{phase}" not in message.value and "<phase>" not in message.value:
            continue
        for start, end in places.sections():
            if places.mode_at(start) != message.key:
                continue
            clear = next(
                (f.line for f in facts.of("action", message.key) if f.value == "clear" and start <= f.line <= end), 0
            )
            body = subject.lines[start : max(clear - 1, start)]
            if clear and not any(_READS.search(row) for row in body):
                yield Hit(
                    clear,
                    f"{message.key} is cleared before its phase is read, which the message prints",
                    "read the record first and keep current_phase",
                    1,
                )
                break
