"""Read the messages of modes, of force and of none from tables; what tables do not say comes from prose, fences and echoes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from skillgen.audit.reader.said import said_messages
from skillgen.audit.reader.sayings import whose
from skillgen.audit.reader.tables import tab_rows
from skillgen.audit.reader.words import NO, YES
from skillgen.model.facts import Fact

if TYPE_CHECKING:
    from skillgen.audit.reader.modes import Modes
    from skillgen.audit.reader.place import Places
    from skillgen.audit.text import Text

_QUOTES = "\"“”「」『』'`"
_ENDS = re.compile(r"[.!。！]$", re.A)


def read_messages(text: Text, modes: Modes, places: Places) -> Iterator[Fact]:
    """Yield one message a key, the table's before any other."""
    rows = [row for table in text.document.tables for row in table.rows] + tab_rows(text)
    found: set[str] = set()
    for cells, line in rows:
        if len(cells) < 2:
            continue
        message = next((cell for cell in _whole(text, cells, line) if _is_message(cell)), "")
        if not message:
            continue
        for key in _keys(cells[0], modes):
            if key in found:
                continue
            found.add(key)
            yield Fact("message", key, message.strip().strip(_QUOTES).strip(), line)
    for key, words, line in said_messages(text, modes, places):
        if key not in found:
            found.add(key)
            yield Fact("message", key, words, line)


def _whole(text: Text, cells: tuple[str, ...], line: int) -> tuple[str, ...]:
    """Return the cells behind the first; `{this | that}` is one message, though the bar ends the cell."""
    row = text.lines[line - 1]
    if not any(cell.count("{") > cell.count("}") for cell in cells[1:]) or "|" not in row:
        return cells[1:]
    return ("|".join(row.strip().strip("|").split("|")[1:]).strip(),)


def _is_message(cell: str) -> bool:
    bare = cell.strip()
    plain = bare.strip(_QUOTES).strip()
    if (YES.match(plain) and bare[:1] not in '"“「『') or (NO.match(plain) and len(plain) < 12):
        return False
    if not bare.isascii() and bare[:1] in '"“「『' and len(plain) > 3:
        return True
    quoted = bare[:1] in "\"“「『'" and bare[-1:] in "\"”」』'"
    return (quoted or bool(_ENDS.search(plain))) and len(plain) > 8


def _keys(cell: str, modes: Modes) -> list[str]:
    """Return whose message a row holds; `(none)` and `(force)` stand in brackets in some tables."""
    return modes.keys(cell) or [key for key in (whose(cell, modes),) if key]
