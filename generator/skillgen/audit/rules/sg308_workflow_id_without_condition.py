"""Pause with a run id that may not exist.

What it checks: a `state_write` that sends `workflowRunId` in a step that does not make it depend on the read having
returned one.

Why it matters: on a plain record the same call is accepted and creates the marker; the record is invalid from then on
and the stop hook blocks for ever.

How to fix it: send `workflowRunId` only when the read had it; otherwise write `active=false` alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.reader.tools import read_calls
from skillgen.audit.text import Text

CODE = "SG308"
TITLE = "pause with a run id that may not exist"
SEVERITY = Severity.WARNING
SCOPE = Scope.TEXT
CANCEL_ONLY = True

_CONDITION = re.compile(
    r"\b(?:only|when|if|where|unless|otherwise)\b.*\b(?:read|return\w*|had|has|present|exists?)\b|如果|仅当|若|있을 때|있는 경우|ある場合",
    re.I | re.A,
)


def check(subject: Text) -> Iterator[Hit]:
    for call in read_calls(subject):
        if call.bare.endswith("state_write") and "workflowRunId" in " ".join(value for _, value in call.arguments):
            line = subject.lines[call.line - 1]
            rest = line[: call.column - 1] + line[call.end_column - 1 :]
            if not _CONDITION.search(rest):
                yield Hit(
                    call.line,
                    "workflowRunId is sent whether or not the record has one",
                    "send it only when the read returned one",
                    call.column,
                    call.end_column,
                )
