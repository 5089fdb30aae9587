"""Mode handled but not in the cancel order.

What it checks: every mode with a handler of its own, or with a clear call, stands in the cancel order.

Why it matters: an agent that walks the order never reaches the handler: the mode stays active after a run that reports
success.

How to fix it: put the mode into the order.
"""

from __future__ import annotations

from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.reader.reading import reading
from skillgen.audit.text import Text

CODE = "SG506"
TITLE = "mode handled but not in the cancel order"
SEVERITY = Severity.WARNING
SCOPE = Scope.TEXT
CANCEL_ONLY = True

_SAME = {"ralplan": "plan-consensus", "blueprint": "plan-consensus", "plan-consensus": "ralplan"}
#: Cleared beside the modes, never in their order.
_RECORDS = {"skill-active", "cancel"}


def check(subject: Text) -> Iterator[Hit]:
    facts = subject.facts
    order = {fact.key for fact in facts.of("order")}
    if len(order) < 2:
        return
    _, places = reading(subject)
    seen: dict[str, int] = {}
    title = subject.document.headings[0].line if subject.document.headings else 0
    for line, level, mode in places.handlers():
        if mode and not (level == 1 and line == title):  # the title names the product, not a mode
            seen.setdefault(mode, line)
    for fact in facts.of("action"):
        if places.in_order(fact.line):
            continue  # handled in the order itself, under its title
        seen.setdefault(fact.key, fact.line)
    for mode, line in seen.items():
        if mode not in order and _SAME.get(mode) not in order and mode not in _RECORDS:
            yield Hit(
                line, f"{mode} is handled here, but the cancel order does not have it", "put it into the order", 1
            )
