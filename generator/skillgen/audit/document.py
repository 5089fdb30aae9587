"""Read Markdown into headings, fences, lists, tables and prose, each with its lines."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

from skillgen.audit.tags import Tag, find_tags

#: Longer lines are kept out of the Markdown parser; no person wrote them.
LONG_LINE = 20_000
#: Tokens that say nothing beside those around them, and most of all.
_PASSED = frozenset({"paragraph_open", "paragraph_close", "list_item_close", "heading_close", "td_open", "td_close"})


class Heading(NamedTuple):
    level: int
    text: str
    line: int


class Fence(NamedTuple):
    """A code fence; `line` is its opening line, `first` the line of its first content line."""

    lang: str
    text: str
    line: int
    first: int
    end: int
    closed: bool
    indented: bool = False


class Item(NamedTuple):
    """A list item: `number` is 0 in a bullet list; `text` is its own first block; `depth` counts from 0."""

    text: str
    line: int
    number: int
    depth: int
    list_id: int


class Row(NamedTuple):
    cells: tuple[str, ...]
    line: int


class Table(NamedTuple):
    header: tuple[str, ...]
    rows: tuple[Row, ...]
    line: int


class Prose(NamedTuple):
    """One block of inline text (paragraph, heading, item or cell)."""

    text: str
    line: int
    kind: str


@dataclass(slots=True)
class Document:
    """All line numbers count from 1 and are those of the file."""

    headings: list[Heading] = field(default_factory=list)
    fences: list[Fence] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)
    lists: dict[int, list[Item]] = field(default_factory=dict)
    """The items of each list by its `list_id`."""
    tables: list[Table] = field(default_factory=list)
    prose: list[Prose] = field(default_factory=list)
    code_lines: set[int] = field(default_factory=set)
    """Lines inside fences or indented code, the fence lines themselves too."""
    html_lines: set[int] = field(default_factory=set)
    tags: list[Tag] = field(default_factory=list)
    tokens: list[Token] = field(default_factory=list)
    """What the Markdown parser gave, from which the reader makes its blocks."""
    _starts: list[int] = field(default_factory=list)
    _parents: list[int] = field(default_factory=list)

    def section(self, line: int) -> tuple[Heading, ...]:
        """Return the headings above a line and the tags around it, outermost first; a closed tag ends its headings."""
        if len(self._starts) != len(self.headings):
            self._starts = [heading.line for heading in self.headings]
            self._parents = _parents(self.headings)
        path: list[Heading] = []
        n = bisect_right(self._starts, line) - 1
        while n >= 0:
            heading = self.headings[n]
            if any(tag.line < heading.line < tag.end <= line for tag in self.tags):
                n -= 1
                continue
            if not path or heading.level < path[-1].level:
                path.append(heading)
                n = self._parents[n]
            else:
                n -= 1
        path += [Heading(1, tag.text, tag.line) for tag in self.tags if tag.line <= line <= tag.end]
        return tuple(sorted(path, key=lambda heading: heading.line))


def _parents(headings: list[Heading]) -> list[int]:
    """Return for each heading the index of the nearest one before it of a higher level, -1 without one."""
    found: list[int] = []
    open_: list[int] = []
    for n, heading in enumerate(headings):
        while open_ and headings[open_[-1]].level >= heading.level:
            open_.pop()
        found.append(open_[-1] if open_ else -1)
        open_.append(n)
    return found


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark").enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


def read_document(lines: list[str], first_line: int = 1) -> Document:
    """Read the lines of a body whose first line is line `first_line` of the file."""
    safe = [line if len(line) <= LONG_LINE else "" for line in lines]
    tags = find_tags(safe)
    for tag in tags:
        # Markdown below a tag is Markdown to its reader, though HTML to a parser; a comment ends the list above.
        safe[tag.line - 1] = safe[tag.end - 1] = "<!-- -->"
    tokens = _parser().parse("\n".join(safe) + "\n")
    doc = Document(tokens=tokens)
    for tag in tags:
        doc.tags.append(Tag(tag.text, tag.line + first_line - 1, tag.end + first_line - 1))
        doc.html_lines.update((tag.line + first_line - 1, tag.end + first_line - 1))
    _Filling(doc, lines, first_line).fill()
    return doc


class _Filling:
    """Puts what the Markdown parser gave into a document."""

    def __init__(self, doc: Document, lines: list[str], first_line: int) -> None:
        self.doc, self.lines, self.first_line = doc, lines, first_line
        self.lists: list[tuple[int, bool]] = []
        """Number of each open list, and whether it counts."""
        self.list_count = 0
        self.rows: list[Row] = []
        self.cells: list[str] = []
        self.table_line = self.row_line = 0

    def fill(self) -> None:
        tokens, first = self.doc.tokens, self.first_line
        for n, token in enumerate(tokens):
            kind = token.type
            if kind == "inline":
                self._inline(token, tokens[n - 1].type)
            elif kind not in _PASSED:
                line = token.map[0] + first if token.map else 0
                if kind == "list_item_open":
                    self._item(n, line)
                elif kind == "heading_open":
                    self.doc.headings.append(Heading(int(token.tag[1]), tokens[n + 1].content.strip(), line))
                elif kind in ("fence", "code_block"):
                    _add_fence(self.doc, token, self.lines, first)
                elif kind == "html_block":
                    self.doc.html_lines.update(range(line, token.map[1] + first))  # type: ignore[index]
                    self.doc.prose.append(Prose(token.content, line, "html"))
                elif kind.endswith(("list_open", "list_close")):
                    self._list(kind)
                else:
                    self._table(kind, line)

    def _inline(self, token: Token, before: str) -> None:
        if before in ("th_open", "td_open"):
            self.cells.append(token.content.strip())
            self.doc.prose.append(Prose(token.content, self.row_line, "cell"))
        else:
            line = token.map[0] + self.first_line  # type: ignore[index]
            kind = "heading" if before == "heading_open" else "paragraph"
            self.doc.prose.append(Prose(token.content, line, kind))

    def _item(self, n: int, line: int) -> None:
        tokens = self.doc.tokens
        list_id, counts = self.lists[-1]
        number = int(tokens[n].info) if counts and tokens[n].info.isdigit() else 0
        text = tokens[n + 2].content if n + 2 < len(tokens) and tokens[n + 1].type == "paragraph_open" else ""
        item = Item(text, line, number, len(self.lists) - 1, list_id)
        self.doc.items.append(item)
        self.doc.lists.setdefault(list_id, []).append(item)

    def _list(self, kind: str) -> None:
        if kind.endswith("close"):
            self.lists.pop()
        else:
            self.list_count += 1
            self.lists.append((self.list_count, kind.startswith("ordered")))

    def _table(self, kind: str, line: int) -> None:
        if kind == "table_open":
            self.rows, self.table_line = [], line
        elif kind == "tr_open":
            self.cells, self.row_line = [], line
        elif kind == "tr_close":
            self.rows.append(Row(tuple(self.cells), self.row_line))
        elif kind == "table_close" and self.rows:
            self.doc.tables.append(Table(self.rows[0].cells, tuple(self.rows[1:]), self.table_line))


def _add_fence(doc: Document, token: Token, lines: list[str], first_line: int) -> None:
    assert token.map is not None
    start, stop = token.map
    indented = token.type == "code_block"
    closed = True
    if not indented:
        last = lines[stop - 1].lstrip(" >\t") if stop - 1 < len(lines) else ""
        mark = token.markup[0]
        closed = stop - 1 > start and bool(re.match(rf"{re.escape(mark)}{{{len(token.markup)},}}\s*$", last))
    info = token.info.strip()
    doc.fences.append(
        Fence(
            lang=re.split(r"[\s{,:]", info, maxsplit=1)[0].lower() if info else "",
            text=token.content,
            line=start + first_line,
            first=start + first_line + (0 if indented else 1),
            end=stop - 1 + first_line,
            closed=closed,
            indented=indented,
        )
    )
    doc.code_lines.update(range(start + first_line, stop + first_line))
