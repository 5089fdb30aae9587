"""Post-condition says terminal, a snippet removes.

What it checks: a mode whose state must end terminal (`active=false`, `current_phase='cancelled'`) in words, and whose
state file is removed or cleared by a snippet or call of the same text.

Why it matters: the agent follows whichever it reads last. A removed record leaves no trace that the mode was
cancelled; readers of the terminal phase take it for never started.

How to fix it: write the terminal state in the snippet too; keep removal for the widest scope.
"""

from __future__ import annotations

from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.reader.actions import read_actions
from skillgen.audit.scope import is_wide
from skillgen.audit.text import Text

CODE = "SG501"
TITLE = "post-condition says terminal, a snippet removes"
SEVERITY = Severity.ERROR
SCOPE = Scope.TEXT
CANCEL_ONLY = True


def check(subject: Text) -> Iterator[Hit]:
    terminal = {fact.key: fact.line for fact in reversed(subject.facts.of("action")) if fact.value == "terminalize"}
    if not terminal:
        return
    # The facts hold each action once; here every place counts.
    places = {(fact.line, fact.key) for fact in read_actions(subject, *subject.reading) if fact.value == "clear"}
    for line, mode in sorted(places):
        if mode in terminal and not is_wide(subject, line):
            yield Hit(
                line,
                f"{mode} is removed here, line {terminal[mode]} says its state must end terminal",
                "write active=false, current_phase=cancelled and completed_at instead",
                1,
            )
