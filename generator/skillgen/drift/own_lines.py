"""Tell what a handwritten text has of its own from what every copy of its original says; pure."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from skillgen.drift.merge_front import split_front

_FENCE = re.compile(r"\s*(```+|~~~+)")
_HEADING = re.compile(r"#{1,6}\s+(.*?)\s*#*\s*$")
_MARKS = re.compile(r"^[\s>|*+\-#\d.)]+|[*_`|]+")
_ITEM = re.compile(r"\s*([-*+]|\d+[.)])\s")
_SHORTEST = 4
"""Letters and digits below which a line says nothing of its own."""


@dataclass(frozen=True, slots=True)
class Block:
    """One whole piece of a text: a list, a table, a fence, a quotation or a paragraph."""

    headings: tuple[str, ...]
    """Titles of the sections that it stands in, the outermost first."""
    line: int
    """Its first line, from 1."""
    lines: tuple[str, ...]


def line_digest(line: str, names: Iterable[str]) -> str:
    """Return ten hex digits for what a line says, whatever product it names and however it is marked up; "" for nothing.

    `names`: what the product calls itself, its commands and its directories; each counts as any other product's.
    """
    for name in sorted(names, key=len, reverse=True):
        line = re.sub(rf"(?<![A-Za-z0-9]){re.escape(name)}(?![A-Za-z0-9])", "\0", line, flags=re.IGNORECASE)
    said = " ".join(_MARKS.sub(" ", line).casefold().split())
    if sum(char.isalnum() for char in said) < _SHORTEST:
        return ""
    return hashlib.sha256(said.encode()).hexdigest()[:10]


def own_blocks(text: str, known: Collection[str], names: Collection[str]) -> list[Block]:
    """Return the blocks of a text's body with a line that no known text has, each whole, in their order."""
    return [block for block in blocks(text) if any(_is_own(line, known, names) for line in block.lines)]


def blocks(text: str) -> list[Block]:
    """Return the body's blocks; a list keeps its items and what is indented below them, a fence its marks."""
    found: list[Block] = []
    headings: list[tuple[int, str]] = []
    waiting: list[str] = []
    begin, fence = 0, ""

    def end() -> None:
        while waiting and not waiting[-1].strip():
            waiting.pop()
        if waiting:
            found.append(Block(tuple(title for _, title in headings), begin, tuple(waiting)))
            waiting.clear()

    front = split_front(text)[0].count("\n")
    for number, line in enumerate(text.split("\n")[front:], front + 1):
        mark = _FENCE.match(line)
        if fence:
            waiting.append(line)
            if mark and mark[1].startswith(fence) and not line.strip().strip("`~"):
                fence = ""
                if not _in_list(waiting):
                    end()
            continue
        if mark:
            if not (waiting and line.startswith(" ") and _in_list(waiting)):
                end()
                begin = number
            fence = mark[1]
        elif title := _HEADING.match(line):
            end()
            level = len(line) - len(line.lstrip("#"))
            headings[:] = [one for one in headings if one[0] < level] + [(level, title[1])]
            continue
        elif not line.strip():
            if waiting and _in_list(waiting):
                waiting.append(line)
            else:
                end()
            continue
        elif (waiting and not waiting[-1].strip() and not (_ITEM.match(line) or line.startswith(" "))) or (
            waiting and line.lstrip().startswith("|") != waiting[0].lstrip().startswith("|")
        ):
            end()
        if not waiting:
            begin = number
        waiting.append(line)
    end()
    return found


def _in_list(lines: list[str]) -> bool:
    return bool(_ITEM.match(lines[0]))


def numbered_own_lines(text: str, known: Collection[str], names: Collection[str]) -> list[tuple[int, str]]:
    """Return line numbers and lines of a text, front matter included, that say what no known line does."""
    return [(number, line) for number, line in enumerate(text.split("\n"), 1) if _is_own(line, known, names)]


def _is_own(line: str, known: Collection[str], names: Collection[str]) -> bool:
    digest = line_digest(line, names)
    return bool(digest) and digest not in known
