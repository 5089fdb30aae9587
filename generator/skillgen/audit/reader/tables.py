"""Say which column of a table tells what is kept, and which names the place."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from skillgen.audit.document import Row
from skillgen.audit.language import KEEP
from skillgen.audit.reader.paths import spans
from skillgen.audit.reader.words import NO, YES, strip_marks

if TYPE_CHECKING:
    from skillgen.audit.document import Table
    from skillgen.audit.text import Text

_SAVED = re.compile(r"\b(?:sav(?:e|ed|es)|persist\w*|survives?|left|stays?)\b|保存|저장|보존", re.I | re.A)
_PLACE = re.compile(
    r"\b(?:where|path|paths|file|files|location|directory)\b|位置|路径|文件|경로|위치|파일|場所|パス|ファイル",
    re.I | re.A,
)


def tab_rows(text: Text) -> list[Row]:
    """Return the rows of tables that lost their bars and kept tabs."""
    lines = ((text.lines[number - 1], number) for number in text.holding("\t"))
    return [Row(tuple(line.split("\t")), n) for line, n in lines if not line.startswith("\t") and len(line) < 2000]


def keeping_column(text: Text, table: Table) -> int:
    """Return the index of the column that says what stays, -1 without one."""
    for column, cell in enumerate(table.header):
        if column and (KEEP.search(cell) or _SAVED.search(cell)):
            return column
    above = text.document.section(table.line)
    if above and KEEP.search(above[-1].text):
        return 1
    return -1


def place_column(table: Table) -> int:
    """Return the index of the column of places where no other column answers yes or no, -1 without one."""
    for column, cell in enumerate(table.header):
        if column and _PLACE.search(cell):
            return -1 if answers(table, column) else column
    return -1


def answers(table: Table, but: int = -1) -> bool:
    """Whether a column beside the first answers yes or no, row after row."""
    width = max((len(row.cells) for row in table.rows), default=0)
    for column in range(1, width):
        cells = [strip_marks(row.cells[column]) for row in table.rows if column < len(row.cells)]
        if column != but and cells and all(YES.match(cell) or NO.match(cell) for cell in cells):
            return True
    return False


def has_path(cell: str) -> bool:
    return next(spans(cell), None) is not None
