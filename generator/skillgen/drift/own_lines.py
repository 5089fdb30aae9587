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
_SHORTEST = 4
"""Letters and digits below which a line says nothing of its own."""

BEGIN = "<!-- skillgen: what this fork's text had of its own; place it where it belongs, or delete it -->"
END = "<!-- skillgen: end of what was kept -->"


@dataclass(frozen=True, slots=True)
class Own:
    """Lines of one section that are the fork's own."""

    heading: str
    """Of the section that they stand in; empty above the first heading."""
    lines: tuple[str, ...]
    """As they stand in the text, code with its fences."""


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


def own_lines(text: str, known: Collection[str], names: Collection[str]) -> list[Own]:
    """Return what the body of a text says that no known line does, by section, in its order."""
    found: dict[str, list[str]] = {}
    heading = fence = ""
    block: list[str] = []
    for line in split_front(text)[1].split("\n"):
        mark = _FENCE.match(line)
        if fence:
            block.append(line)
            if mark and mark[1].startswith(fence):
                fence = ""
                if any(_is_own(row, known, names) for row in block):
                    found.setdefault(heading, []).extend(block)
        elif mark:
            fence, block = mark[1], [line]
        elif title := _HEADING.match(line):
            heading = title[1]
        elif _is_own(line, known, names):
            found.setdefault(heading, []).append(line)
    return [Own(title, tuple(lines)) for title, lines in found.items()]


def numbered_own_lines(text: str, known: Collection[str], names: Collection[str]) -> list[tuple[int, str]]:
    """Return line numbers and lines of a text, front matter included, that say what no known line does."""
    return [(number, line) for number, line in enumerate(text.split("\n"), 1) if _is_own(line, known, names)]


def kept_section(own: Iterable[Own]) -> str:
    """Return a section that holds what is a fork's own, between marks; empty if there is nothing."""
    parts = []
    for part in own:
        title = f"### {part.heading}\n\n" if part.heading else ""
        parts.append(title + "\n".join(part.lines) + "\n")
    if not parts:
        return ""
    return f"\n## Kept from this fork\n\n{BEGIN}\n\n" + "\n".join(parts) + f"\n{END}\n"


def _is_own(line: str, known: Collection[str], names: Collection[str]) -> bool:
    digest = line_digest(line, names)
    return bool(digest) and digest not in known
