"""Cut a Markdown text into blocks of prose and code, each with what leads to it and where its letters stand in the file."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from skillgen.reader.clauses import Stance
from skillgen.reader.fold import fold

#: An element that holds others, opened or closed.
_ELEMENT = re.compile(r"<(/?)(details|div|section|blockquote|aside|article|figure|center)\b[^<>]*>", re.I)

_TAG = re.compile(r"<[^<>]*>")


@dataclass(eq=False)
class Block:
    """A heading, paragraph, cell or block of code; lines count from 1, columns from 0."""

    kind: str
    """heading, paragraph, cell, code or html"""
    text: str
    line: int
    raw: Sequence[str]
    """The lines of the file."""
    leads: tuple[Block, ...] = ()
    """What introduces it: the item around it, the paragraph before a list, a table or code, its row's and column's heads."""
    headings: tuple[Block, ...] = ()
    last: int = 0
    """Its last line."""
    before: Block | None = None
    """The paragraph or item right before it in the same container."""
    after: Block | None = None
    column: int = -1
    """Of a cell: where it starts in its line."""
    lang: str = ""
    """What is written behind the mark that opens a block of code."""
    row: Sequence[Block] = ()
    """Of a cell: the cells of its row, itself among them."""
    stances: dict[bool, Stance] = field(default_factory=dict)

    @cached_property
    def folded(self) -> str:
        return fold(self.text)

    @cached_property
    def introduces(self) -> bool:
        """Whether it ends in a colon, tags and emphasis apart."""
        words = _TAG.sub("", self.text) if self.kind == "html" else self.text
        return words.rstrip(" *_\n")[-1:] in (":", "：")

    @cached_property
    def _rows(self) -> tuple[list[int], list[int]]:
        """The offset at which each of its lines starts, and the column of the file at which it stands."""
        starts, columns, at = [], [], 0
        for n, row in enumerate(self.text.split("\n")):
            starts.append(at)
            at += len(row) + 1
            raw = self.raw[self.line - 1 + n] if self.line - 1 + n < len(self.raw) else ""
            columns.append(self.column if self.column >= 0 else max(0, raw.find(row)))
        return starts, columns

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a place of the file (column from 0); one outside gives the nearest end."""
        starts, columns = self._rows
        n = min(max(line - self.line, 0), len(starts) - 1)
        end = starts[n + 1] - 1 if n + 1 < len(starts) else len(self.text)
        return min(max(starts[n] + column - columns[n], starts[n]), max(end, starts[n]))

    def place(self, offset: int) -> tuple[int, int]:
        """Return line and column (from 0) of an offset."""
        starts, columns = self._rows
        n = bisect_right(starts, offset) - 1
        return self.line + n, offset - starts[n] + columns[n]


def read_blocks(tokens: Sequence[Any], lines: Sequence[str], first: int) -> list[Block]:
    """Return the blocks of a body from its markdown-it tokens; `lines` are those of the file, `first` that of the body."""
    return _Reader(tokens, lines, first).read()


class _Reader:
    def __init__(self, tokens: Sequence[Any], lines: Sequence[str], first: int) -> None:
        self.tokens, self.lines, self.first = tokens, lines, first
        self.blocks: list[Block] = []
        self.headings: list[tuple[int, Block]] = []
        self.items: list[Block | None] = []
        """The first block of each open item."""
        self.lead: list[Block | None] = []
        """The paragraph before each open list."""
        self.previous: Block | None = None
        self.header: list[Block] = []
        self.row: list[Block] = []
        self.above: Block | None = None
        self.seek = 0
        self.above_all: tuple[Block, ...] = ()
        self.opened: list[tuple[str, Block]] = []
        """Elements of HTML that are open, each with the block that opens it: `<details><summary>Never</summary>`."""

    def read(self) -> list[Block]:
        for n, token in enumerate(self.tokens):
            kind = token.type
            if kind == "inline":
                self._inline(token, self.tokens[n - 1])
            elif kind in ("bullet_list_open", "ordered_list_open"):
                self.lead.append(self.previous)
            elif kind in ("bullet_list_close", "ordered_list_close"):
                self.lead.pop()
                self.previous = None
            elif kind == "list_item_open":
                self.items.append(None)
                self.previous = None
            elif kind == "list_item_close":
                self.items.pop()
            elif kind in ("fence", "code_block"):
                self._code(token)
            elif kind == "html_block":
                self._html(token)
            elif kind == "table_open":
                self.above, self.header, self.row = self.previous, [], []
            elif kind == "tr_open":
                self.row, self.seek = [], 0
            elif kind == "table_close":
                self.previous = None
        return self.blocks

    def _leads(self) -> tuple[Block, ...]:
        if not self.items:
            return ()
        own = [item for item in self.items if item is not None]
        return tuple([lead for lead in self.lead if lead is not None] + own)

    def _add(self, kind: str, text: str, line: int, **more: Any) -> Block:
        leads = more.pop("leads", None)
        block = Block(
            kind, text, line, self.lines,
            leads=self._leads() if leads is None else leads,
            headings=(*self.above_all, *(opener for _, opener in self.opened)),
            last=line + text.count("\n"),
            **more,
        )  # fmt: skip
        self.blocks.append(block)
        return block

    def _inline(self, token: Any, opened: Any) -> None:
        if opened.type == "heading_open":
            level = int(opened.tag[1])
            while self.headings and self.headings[-1][0] >= level:
                self.headings.pop()
            self.above_all = tuple(heading for _, heading in self.headings)
            block = self._add("heading", token.content, token.map[0] + self.first, leads=())
            self.headings.append((level, block))
            self.above_all = tuple(heading for _, heading in self.headings)
            self.previous = None
        elif opened.type in ("th_open", "td_open"):
            self._cell(token, opened.type == "th_open")
        else:
            block = self._add("paragraph", token.content, token.map[0] + self.first, before=self.previous)
            if self.previous is not None and self.previous.introduces:
                block.headings = (*block.headings, self.previous)
            if self.previous is not None:
                self.previous.after = block
            self.previous = block
            if self.items and self.items[-1] is None:
                self.items[-1] = block

    def _html(self, token: Any) -> None:
        block = self._add("html", token.content.rstrip("\n"), token.map[0] + self.first)
        self.previous = block
        for closes, name in _ELEMENT.findall(block.text):
            if not closes:
                self.opened.append((name.lower(), block))
                continue
            found = next((n for n in reversed(range(len(self.opened))) if self.opened[n][0] == name.lower()), None)
            if found is not None:
                del self.opened[found:]

    def _cell(self, token: Any, head: bool) -> None:
        line = (token.map[0] if token.map else 0) + self.first
        raw = self.lines[line - 1] if line - 1 < len(self.lines) else ""
        content = token.content.strip()
        found = raw.find(content, self.seek)
        if found >= 0:
            self.seek = found + len(content)
        heads = self.header[len(self.row) : len(self.row) + 1] if not head else []
        leads = (*self._leads(), *([self.above] if self.above else []), *heads, *self.row[:1])
        block = self._add("cell", content, line, leads=() if head else leads, column=max(0, found), row=self.row)
        (self.header if head else self.row).append(block)

    def _code(self, token: Any) -> None:
        indented = token.type == "code_block"
        line = token.map[0] + self.first + (0 if indented else 1)
        info = token.info.strip()
        lead = (self.previous,) if self.previous is not None else ()
        block = self._add(
            "code", token.content.rstrip("\n"), line, leads=(*self._leads(), *lead),
            before=self.previous, lang=info.split()[0].lower() if info else "",
        )  # fmt: skip
        block.last = token.map[1] + self.first - 1
        if self.previous is not None:
            self.previous.after = block
        self.previous = block
