"""Say which questions an adoption leaves open, and write one file of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from skillgen.cli.say import say

if TYPE_CHECKING:
    from skillgen.sync.adopt_answers import FileAnswers
    from skillgen.sync.adopt_text import Adopted


def say_open(adopted: Adopted) -> int:
    """Say which questions are open; return the exit code."""
    if not adopted.questions:
        return 0
    rows = []
    for question in adopted.questions:
        lines = f" ({', '.join(map(adopted.reading.whole.where, question.lines))})" if question.lines else ""
        rows.append(f"{', '.join(map('.'.join, question.keys))}: {question.text}{lines}")
    say_rows(rows)
    say("  --answers FILE takes answers with their lines, --safest what harms least", err=True)
    return 1


def say_rows(rows: Sequence[str]) -> None:
    """Say that questions are open, and which."""
    say(f"{len(rows)} question{'s are' if len(rows) > 1 else ' is'} open, and nothing is built before:", err=True)
    for row in rows:
        say(f"  {row}", err=True)


def complain(given: FileAnswers) -> int:
    """Say which answers do not count and why; return how many."""
    told = [*given.complaints, *(f"{key}: no question is open for it" for key in given.unasked())]
    for complaint in told:
        say(f"{given.path}: {complaint}", err=True)
    return len(told)
