"""Read the paths that stay: from sentences, lists and tables that say so, and sections that are called so."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from skillgen.audit.language import KEEP, KILL
from skillgen.audit.reader.governing import Governed, govern
from skillgen.audit.reader.paths import expand, is_file, spans
from skillgen.audit.reader.tables import has_path, keeping_column, place_column
from skillgen.audit.reader.words import NO, YES, strip_marks
from skillgen.model.facts import Fact

if TYPE_CHECKING:
    from skillgen.audit.document import Heading
    from skillgen.audit.tags import Tag
    from skillgen.audit.text import Text

_RECORD = re.compile(r"-state\.json|/state/sessions/")
_UNLESS = re.compile(r"\b(?:unless|except|only)\b|除非|제외|以外", re.I | re.A)
_OPENS_PATH = re.compile(r"\s*`[^`\s]+`(?!\s*[:=(])", re.A)
_KILLED = re.compile(r"(?:do(?:es)? not|don't|never|not) (?:keep|preserve|retain)|不保留|보존하지|残さない", re.I)


def read_kept(text: Text, said: Mapping[int, tuple[Governed, ...]], own: set[str]) -> Iterator[Fact]:
    """Yield the kept paths: `said` by line in sentences, and those of tables and sections.

    `own` are the product's directories; what is another's is spared, too, but not kept.
    """
    for number, governed in said.items():
        for one in governed:
            # That a mode's own record stays for a resume is told of the mode, not of a path.
            foreign = one.path.startswith(".") and own and one.path.split("/")[0] not in own
            if (one.deed == "keep" or (one.deed == "spare" and not foreign)) and not _RECORD.search(one.path):
                yield from (Fact("preserved", "", path, number) for path in expand(one.path))
    yield from _tables(text)
    sections = _sections_of(text)
    if sections:
        yield from _items(text, {heading.line for heading in sections})
        yield from _sections(text, sections)


def _tables(text: Text) -> Iterator[Fact]:
    """Cells below a heading that says kept, or rows of a path that say so."""
    for table in text.document.tables:
        keeping = keeping_column(text, table)
        columns = {keeping, place_column(table)} if keeping >= 0 else ()
        for row in table.rows:
            if len(row.cells) == 2 and KEEP.fullmatch(strip_marks(row.cells[0])):
                for path, *_ in spans(row.cells[1]):
                    yield from (Fact("preserved", "", each, row.line) for each in expand(path))
                continue
            cells = [row.cells[column] for column in columns if 0 <= column < len(row.cells)]
            titled = keeping >= 0 and not any(KEEP.search(cell) for cell in table.header)
            if (
                row.cells
                and has_path(row.cells[0])
                and (_row_kept(row.cells, keeping) or (titled and not _says_no(row.cells)))
            ):
                cells.append(row.cells[0])
            elif row.cells and keeping >= 0 and _row_kept(row.cells, keeping):
                # A place that the note behind the answer opens with.
                cells += [cell for n, cell in enumerate(row.cells) if n > keeping and _OPENS_PATH.match(cell)]
                cells += [row.cells[0]] if has_path(row.cells[0]) else []
            for cell in cells:
                for path, *_ in spans(cell):
                    yield from (Fact("preserved", "", each, row.line) for each in expand(path))


def _says_no(cells: tuple[str, ...]) -> bool:
    return any(NO.match(strip_marks(cell)) or KILL.search(cell) for cell in cells[1:])


def _row_kept(cells: tuple[str, ...], keeping: int) -> bool:
    """Whether some cell behind the first says kept, and none says removed."""
    rest = list(enumerate(cells))[1:]
    return any(_says_kept(cell, n == keeping) for n, cell in rest) and not any(KILL.search(cell) for _, cell in rest)


def _says_kept(cell: str, asked: bool) -> bool:
    """Whether a short cell says kept, or yes where the column asks."""
    said = strip_marks(cell)
    if len(said.split()) > 4 or KILL.search(said) or _UNLESS.search(said):
        return False
    return bool(YES.match(said)) if asked and not KEEP.match(said) else bool(KEEP.match(said))


def _items(text: Text, sections: set[int]) -> Iterator[Fact]:
    """Paths that end an item, or stand behind its colon, below a heading that says kept."""
    for item in text.document.items:
        if "`" not in item.text or len(item.text) > 300:
            continue
        above = text.document.section(item.line)
        if not above or above[-1].line not in sections:
            continue
        line = item.text.split("\n", 1)[0]
        for one in govern(line, whole=True):
            at = line.find(f"`{one.path}`")
            lead, tail = line[:at].rstrip(), line[at + len(one.path) + 2 :].strip(" .")
            if (
                one.deed in ("", "keep")
                and (not lead or lead[-1] in ":：—–-,、" or not tail)
                and not _RECORD.search(one.path)
            ):
                yield from (Fact("preserved", "", path, item.line) for path in expand(one.path))


def _sections_of(text: Text) -> list[Heading | Tag]:
    """Return the headings and tags that say kept."""
    every: list[Heading | Tag] = [*text.document.headings, *text.document.tags]
    return [heading for heading in every if KEEP.search(heading.text) and not _KILLED.search(heading.text)]


def _sections(text: Text, sections: list[Heading | Tag]) -> Iterator[Fact]:
    """Paragraphs of nothing but file names below a heading that says kept, protected, or never deleted."""
    for heading in sections:
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
