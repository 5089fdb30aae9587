"""Read the paths that stay: from sentences, lists and tables that say so, and sections that are called so."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from skillgen.audit.language import KEEP, KILL
from skillgen.audit.reader.governing import govern
from skillgen.audit.reader.paths import expand, is_file, spans
from skillgen.audit.reader.tables import keeping_column, place_column
from skillgen.model.facts import Fact

if TYPE_CHECKING:
    from skillgen.audit.text import Text

_RECORD = re.compile(r"-state\.json|/state/sessions/")
_KILLED = re.compile(r"(?:do(?:es)? not|don't|never|not) (?:keep|preserve|retain)|不保留|보존하지|残さない", re.I)


def read_kept(text: Text, lines: list[int], done: set[int]) -> Iterator[Fact]:
    """Yield the kept paths; `lines` name paths in prose, `done` belong to path lists, which were read as a whole."""
    for number in lines:
        line = text.lines[number - 1]
        if number in done:
            continue
        if line.lstrip().startswith("|") or not (KEEP.search(line) or KILL.search(line)):
            continue
        for one in govern(line):
            # That a mode's own record stays for a resume is told of the mode, not of a path.
            if one.deed == "keep" and not _RECORD.search(one.path):
                yield from (Fact("preserved", "", path, number) for path in expand(one.path))
    yield from _tables(text)
    yield from _sections(text)


def _tables(text: Text) -> Iterator[Fact]:
    for table in text.document.tables:
        keeping = keeping_column(text, table)
        for row in table.rows:
            columns = {keeping, place_column(table)} if keeping >= 0 else ()
            for column in columns:
                if 0 <= column < len(row.cells):
                    for path, *_ in spans(row.cells[column]):
                        yield from (Fact("preserved", "", each, row.line) for each in expand(path))


def _sections(text: Text) -> Iterator[Fact]:
    """Paragraphs of nothing but file names below a heading that says kept, protected, or never deleted."""
    for heading in text.document.headings:
        if not KEEP.search(heading.text) or _KILLED.search(heading.text):
            continue
        rows: list[tuple[int, str]] = []
        for number in range(heading.line + 1, min(heading.line + 40, len(text.lines) + 1)):
            line = text.lines[number - 1].strip()
            if (not line and rows) or line.startswith(("#", "-", "*", "|", "`" * 3)):
                break
            if line:
                rows.append((number, line))
        words = [
            (word.strip().strip("`."), n) for n, line in rows for word in re.split(r"[,，、]", line) if word.strip()
        ]
        files = [word for word, _ in words if is_file(word) or word.endswith("/")]
        if (
            len(files) >= 2
            and len(files) >= 0.7 * len(words)
            and all(re.fullmatch(r"[\w./*{}<>~-]+", w) for w, _ in words)
        ):
            yield from (Fact("preserved", "", word, n) for word, n in words)
