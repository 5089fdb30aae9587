"""Turn places in shell fragments and lines into hits."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from skillgen.audit.hit import Hit
from skillgen.audit.language import forbidden
from skillgen.audit.reader.ordering import stances
from skillgen.model.finding import Edit, Severity
from skillgen.reader.clauses import Stance

if TYPE_CHECKING:
    from skillgen.audit.shell import Command, Fragment
    from skillgen.audit.text import Text


#: Longer lines are not searched; no person wrote them, and some patterns take their square in time.
LONG_LINE = 8_000


def on_span(
    fragment: Fragment,
    start: int,
    end: int,
    message: str,
    repair: str,
    edits: tuple[Edit, ...] = (),
    severity: Severity | None = None,
) -> Hit:
    """Return a hit on `fragment.text[start:end]`, as far as its first line goes."""
    line, column = fragment.place(start)
    stop = fragment.text.find("\n", start, end)
    return Hit(
        line, message, repair, column, column + (end if stop < 0 else stop) - start, edits=edits, severity=severity
    )


def on_command(
    command: Command, message: str, repair: str, edits: tuple[Edit, ...] = (), severity: Severity | None = None
) -> Hit:
    """Return a hit on a whole command."""
    return on_span(command.fragment, command.start, command.end, message, repair, edits, severity)


def edit(text: Text, fragment: Fragment, start: int, end: int, new: str) -> Edit:
    """Return the edit that replaces `fragment.text[start:end]` (within one line)."""
    line, column = fragment.place(start)
    at = text.offset(line, column)
    return Edit(at, at + end - start, new)


def denied(text: Text, command: Command) -> bool:
    """Whether a command is only named to forbid it: by its clause, its lead, or the heading above."""
    return text.once(_denied, command.line, command.column, command.end_column, command.fragment.kind)


def _denied(text: Text, number: int, column: int, end: int, kind: str) -> bool:
    if kind != "fence" and forbidden(text.lines[number - 1], column - 1, end - 1):
        return True
    return stances(text).at(number, column - 1, lenient=True) is Stance.DENIED


def asked_for(text: Text, *names: str) -> Iterator[Command]:
    """Yield the commands of these names that the text does not merely forbid."""
    for command in text.commands:
        name = command.name.rpartition("/")[2]
        if name in names and not denied(text, command):
            yield command


def scan(text: Text, pattern: re.Pattern[str], *, code: bool = True) -> Iterator[tuple[int, re.Match[str]]]:
    """Yield every match in the body with its line; `code=False` leaves out fences."""
    fenced: Collection[int] = () if code else text.document.code_lines
    lines, first, finds = text.lines, text.body_line, pattern.search
    for number in text.lines_for(pattern):
        line = lines[number - 1]
        if number >= first and len(line) <= LONG_LINE and finds(line) and number not in fenced:
            for match in pattern.finditer(line):
                yield number, match
