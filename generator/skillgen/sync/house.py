"""Take from a fork's edits what is a rule of its house: whole blocks that no canonical text has, in a flavor's own form."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from skillgen.drift.fold import fold
from skillgen.drift.own_lines import Block, line_digest, own_blocks
from skillgen.load.files import read
from skillgen.model.markdown import normal
from skillgen.sync.kept import reasons

_NEAR = 0.6
"""From so much alike on, a line is a canonical one that was worded anew, and no rule beside it."""


class Side(NamedTuple):
    """An edited text of a fork: where it lies, what is known of it, and the names that count for any product's."""

    place: str
    known: Collection[str]
    names: tuple[str, ...]
    canonical: str


def house_rules(root: str, sides: Sequence[Side], before: str) -> tuple[str, str]:
    """Return the flavor's house rules with those of the edits behind them, and where the first stands; "" twice for none.

    A block with a finding, or one that was read as a fact, is none: the bundle states that itself.
    """
    parts, where, heading = [before.strip("\n")] if before.strip() else [], "", ""
    for side in sides:
        text = fold(read(os.path.join(root, side.place))).data.decode("utf-8", "replace")
        barred = reasons(side.place, text)
        for block in own_blocks(text, side.known, side.names):
            lines = list(_own_part(block, side, barred))
            if not lines or "\n".join(lines) in before:
                continue
            title = block.headings[-1] if block.headings else ""
            if title and title != heading and line_digest(title, side.names) not in side.known:
                parts.append(f"### {title}")
            heading = title
            parts.append("\n".join(lines))
            where = where or f"{side.place}:{block.line}"
    return (normal("\n\n".join(parts)) + "\n", where) if where else ("", "")


def _own_part(block: Block, side: Side, barred: Collection[int]) -> Iterator[str]:
    """Yield the lines of the items of a list, or of the whole block, that are the fork's alone."""
    at = block.line
    for piece in _items(block.lines):
        begin, at = at, at + len(piece)
        if any(line in barred for line in range(begin, at)):
            continue
        said = [line for line in piece if line_digest(line, side.names)]
        if said and all(line_digest(line, side.names) not in side.known for line in said) and not _is_near(said, side):
            yield from piece


def _items(lines: Sequence[str]) -> Iterator[list[str]]:
    listed = lines[0].lstrip()[:1] in "-*+" or lines[0].lstrip()[:1].isdigit()
    piece: list[str] = []
    for line in lines:
        if piece and listed and line.strip() and not line.startswith(" "):
            yield piece
            piece = []
        piece.append(line)
    yield piece


def _is_near(said: Sequence[str], side: Side) -> bool:
    known = [line.strip() for line in side.canonical.split("\n") if line.strip()]
    for line in said:
        for other in known:
            matcher = SequenceMatcher(None, line.strip(), other, autojunk=False)
            if matcher.real_quick_ratio() > _NEAR and matcher.quick_ratio() > _NEAR and matcher.ratio() > _NEAR:
                return True
    return False
