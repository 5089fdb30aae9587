"""Read from tables whether each mode's state is kept, and how it is resumed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from skillgen.audit.reader.tables import answers, has_path, keeping_column, place_column, tab_rows
from skillgen.audit.reader.words import NO, NONE_WORDS, YES, name_cell, names, strip_marks
from skillgen.model.facts import Fact

if TYPE_CHECKING:
    from skillgen.audit.reader.modes import Modes
    from skillgen.audit.text import Text


def read_keeps(text: Text, modes: Modes) -> Iterator[Fact]:
    """A row says yes, no, or by a path where its state is kept."""
    for table in text.document.tables:
        keeping = keeping_column(text, table)
        if keeping < 0 and not (len(table.header) > 1 and answers(table)):
            continue
        column = keeping if keeping >= 0 else 1
        place = place_column(table) if keeping >= 0 else -1
        for row in table.rows:
            cells = row.cells
            if len(cells) <= column:
                continue
            pathy = has_path(cells[column]) or (0 <= place < len(cells) and has_path(cells[place]))
            yield from _row(modes, cells, column, row.line, pathy)
    for row in tab_rows(text):
        yield from _row(modes, row.cells, 1, row.line, False)


def _row(modes: Modes, cells: tuple[str, ...], column: int, line: int, pathy: bool) -> Iterator[Fact]:
    if NONE_WORDS.match(strip_marks(cells[0])):
        return
    answer = strip_marks(cells[column])
    value = "yes" if YES.match(answer) or pathy else "no" if NO.match(answer) else ""
    if not value:
        return
    resume = strip_marks(cells[column + 1]) if len(cells) > column + 1 and not pathy else ""
    resume = "" if NO.match(resume) else resume
    for key in dict.fromkeys(map(modes.owner, names(name_cell(cells)))):
        if key:
            yield Fact("keeps", key, value, line, resume)
