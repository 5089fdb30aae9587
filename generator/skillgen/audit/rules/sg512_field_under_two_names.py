"""One field under two names.

What it checks: jq reads `.phase` (or `.mode_phase`) of a state whose phase the rest of the text calls `current_phase`.

Why it matters: the snippet reads a field that does not exist and reports the phase `unknown`, while the real one is
lost with the record.

How to fix it: read `current_phase` first, then `phase`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.hits import on_span
from skillgen.audit.text import Text

CODE = "SG512"
TITLE = "one field under two names"
SEVERITY = Severity.WARNING
SCOPE = Scope.TEXT
CANCEL_ONLY = True

_PHASE = re.compile(r"(?<![\w.])\.(phase)\b", re.A)


def check(subject: Text) -> Iterator[Hit]:
    if "current_phase" not in subject.source.text:
        return
    for fragment in subject.fragments:
        if "current_phase" in fragment.text:
            continue
        for match in _PHASE.finditer(fragment.text):
            yield on_span(
                fragment,
                match.start(),
                match.end(),
                "the text calls this field current_phase elsewhere",
                "read .current_phase, then .phase",
            )
