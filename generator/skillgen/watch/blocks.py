"""Find the changed lines of two texts that no fact explains, by whole blocks; a block that moved is told as moved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, list item, table row, heading or fence: its first line (from 1), its lines, and what it says without layout."""

    line: int
    lines: tuple[str, ...]
    said: str


@dataclass(frozen=True, slots=True)
class Unexplained:
    """Changed blocks on which no fact moved (`gone`, `came`) and blocks that only `moved`.

    `changed` lines in all; of them `blank` hold no fact at all, `same` only facts that stand in both texts.
    """

    gone: tuple[Block, ...]
    came: tuple[Block, ...]
    moved: tuple[Block, ...]
    changed: int
    blank: int
    same: int


def unexplained(old: str, new: str, lines: tuple[set[int], set[int]], moved: tuple[set[int], set[int]]) -> Unexplained:
    """Compare two texts; `lines`: those of each that hold a fact; `moved`: those that hold one that moved."""
    one, two = blocks(old), blocks(new)
    left, right = Counter(block.said for block in one), Counter(block.said for block in two)
    gone, came = _without_common(one, right), _without_common(two, left)
    staying = [block for block in two if block not in came]
    said = [block.said for block in one if block not in gone], [block.said for block in staying]
    matches = SequenceMatcher(None, *said, autojunk=False).get_matching_blocks()
    kept = Counter(each for match in matches for each in said[1][match.b : match.b + match.size])
    rest = [
        [block for block in changed if not _holds_line(block, held)]
        for changed, held in zip((gone, came), moved, strict=True)
    ]
    blank = [
        [block for block in changed if not _holds_line(block, held)] for changed, held in zip(rest, lines, strict=True)
    ]
    return Unexplained(
        tuple(rest[0]),
        tuple(rest[1]),
        tuple(_without_common(staying, kept)),
        _count(gone, came),
        _count(*blank),
        _count(*rest) - _count(*blank),
    )


def _count(*sides: Iterable[Block]) -> int:
    return sum(len(block.lines) for side in sides for block in side)


def _without_common(found: Iterable[Block], others: Counter[str]) -> list[Block]:
    """Return the blocks that the other side does not have (as often)."""
    left = Counter(others)
    apart = []
    for block in found:
        if left[block.said] > 0:
            left[block.said] -= 1
        else:
            apart.append(block)
    return apart


def _holds_line(block: Block, lines: set[int]) -> bool:
    return any(line in lines for line in range(block.line, block.line + len(block.lines)))


def blocks(text: str) -> list[Block]:
    """Return the blocks of a Markdown text, front matter as one line each."""
    found: list[Block] = []
    waiting: list[str] = []
    begin, fence = 0, ""

    def end() -> None:
        if waiting:
            said = " ".join(" ".join(line.split()) for line in waiting)
            found.append(Block(begin, tuple(waiting), _strip_layout(said)))
            waiting.clear()

    for number, line in enumerate(text.split("\n"), 1):
        stripped = line.strip()
        mark = stripped[:3] if stripped[:3] in ("```", "~~~") else ""
        if fence:
            waiting.append(line)
            if mark == fence and not stripped.strip("`~"):
                fence = ""
                end()
            continue
        if mark:
            end()
            begin, fence = number, mark
            waiting.append(line)
            continue
        if not stripped or set(stripped) <= set("|-: "):
            end()
            continue
        starts = (
            stripped.startswith(("#", "|", "- ", "* ", "+ ", "> ")) or stripped.split(" ")[0].rstrip(".)").isdigit()
        )
        if starts:
            end()
        if not waiting:
            begin = number
        waiting.append(line)
        if stripped.startswith(("#", "|")):
            end()
    end()
    return found


def _strip_layout(said: str) -> str:
    """Drop what only lays out: list marks and numbers, the padding of table cells."""
    first, _, rest = said.partition(" ")
    if first in ("-", "*", "+") or first.rstrip(".)").isdigit():
        said = rest
    return "|".join(cell.strip() for cell in said.split("|")) if said.startswith("|") else said
