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
from skillgen.audit.hits import asked_for
from skillgen.audit.reader.ordering import stances
from skillgen.audit.reader.tools import read_calls
from skillgen.audit.scope import is_wide
from skillgen.audit.text import Text
from skillgen.reader.clauses import Stance

CODE = "SG501"
TITLE = "post-condition says terminal, a snippet removes"
SEVERITY = Severity.ERROR
SCOPE = Scope.TEXT
CANCEL_ONLY = True


def check(subject: Text) -> Iterator[Hit]:
    terminal = {fact.key: fact.line for fact in reversed(subject.facts.of("action")) if fact.value == "terminalize"}
    if not terminal:
        return
    places = {(fact.line, fact.key) for fact in subject.facts.of("action") if fact.value == "clear"}
    places |= set(_removals(subject, set(terminal)))  # the facts hold each action once, here every place counts
    for line, mode in sorted(places):
        if mode in terminal and not is_wide(subject, line):
            yield Hit(
                line,
                f"{mode} is removed here, line {terminal[mode]} says its state must end terminal",
                "write active=false, current_phase=cancelled and completed_at instead",
                1,
            )


def _removals(subject: Text, modes: set[str]) -> Iterator[tuple[int, str]]:
    """Yield line and mode of every call and command that clears the record of one of the modes."""
    for call in read_calls(subject):
        mode = call.get("mode").strip("\"'` ")
        clears = mode in modes and call.bare.endswith(("state_clear", "state_delete"))
        if clears and stances(subject).at(call.line, call.column - 1, lenient=True) is not Stance.DENIED:
            yield call.line, mode
    for command in asked_for(subject, "rm", "unlink"):
        for word in command.operands():
            name = word.value.rpartition("/")[2].removesuffix("-state.json")
            if name in modes and word.value.endswith("-state.json"):
                yield command.line, name
