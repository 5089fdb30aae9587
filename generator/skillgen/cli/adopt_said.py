"""Say which questions an adoption leaves open, and write one file of it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from skillgen.cli.say import say

if TYPE_CHECKING:
    from skillgen.sync.adopt_answers import FileAnswers
    from skillgen.sync.adopt_text import Adopted


def say_open(adopted: Adopted) -> int:
    """Say which questions are open; return the exit code."""
    if not adopted.questions:
        return 0
    count = len(adopted.questions)
    say(f"{count} question{'s are' if count > 1 else ' is'} open, and nothing is built before:", err=True)
    for question in adopted.questions:
        lines = f" ({', '.join(map(adopted.reading.whole.where, question.lines))})" if question.lines else ""
        say(f"  {', '.join(map('.'.join, question.keys))}: {question.text}{lines}", err=True)
    say("  --answers FILE takes answers with their lines, --safest what harms least", err=True)
    return 1


def complain(given: FileAnswers, path: str | None) -> int:
    """Say which answers do not count and why; return how many."""
    told = [*given.complaints, *(f"{key}: no question is open for it" for key in given.unasked())]
    for complaint in told:
        say(f"{path}: {complaint}", err=True)
    return len(told)


def write_file(path: str, data: bytes) -> None:
    from skillgen.pack.write import Writer

    with Writer(os.path.dirname(path) or ".") as writer:
        writer.stage(os.path.basename(path), data, 0o644)
        writer.commit()
