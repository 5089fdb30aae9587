"""Find conflict markers in a text, tell those of a fenced example from a conflict, and take a side where one stands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from skillgen.drift.fold import fold

OURS = "this fork"
"""What a marker of ours calls the fork's side."""
_BEGIN, _BASE, _MIDDLE, _END = "<<<<<<< ", "||||||| ", "=======", ">>>>>>> "
_MARKDOWN = (".md", ".mdc", ".mdx")


@dataclass(frozen=True, slots=True)
class Standing:
    """One conflict that stands in a text; lines are numbered from 0."""

    begin: int
    middle: int
    end: int
    base: int
    """Line of the marker above the common ancestor; that of `middle` where there is none."""
    own: bool
    """Whether a sync wrote it."""
    fenced: bool = False
    """Whether it lies in one fence of a Markdown text, as an example does."""


def marker_line(data: bytes, path: str, *, merging: bool = False) -> int:
    """Return the line, from 1, of the first conflict that stands in a file, 0 if none does.

    Conflicts that lie in fences are examples, unless one lies outside, or git is `merging` this very file.
    """
    found = _standing(data, path)
    return found[0].begin + 1 if found and (merging or not all(one.fenced for one in found)) else 0


def has_examples(data: bytes, path: str) -> bool:
    """Tell whether all conflicts in a file look like examples, and there are some."""
    found = _standing(data, path)
    return bool(found) and all(one.fenced for one in found)


def take_side(data: bytes, path: str, favor: str) -> bytes:
    """Return the file with the side `ours` or `theirs` of every conflict that a sync left there, in its own form."""
    form = fold(data)
    rows = form.data.split(b"\n")
    # One side may open a fence that the other does not: what lies in one, only the text without it tells.
    while (found := _next(rows, path)) is not None:
        rows[found.begin : found.end + 1] = _side(rows, found, favor)
    taken = b"\n".join(rows)
    return data if taken == form.data else form.unfold(taken)


def around_fences(data: bytes, path: str, sides: Sequence[bytes] = ()) -> bytes:
    """Return the merge of `sides` in which each conflict inside a fence stands around the whole of it instead.

    A marker inside would be code to the reader of the text, and an example to the next sync; what a side has is one.
    """
    if not any(one.own and one.fenced for one in _standing(data, path)):
        return data
    rows = data.split(b"\n")
    for begin, end in reversed(_fences(data)):
        inside = [one for one in _standing(data, path) if one.own and begin < one.begin and one.end < end]
        if not inside or any(b"\n".join(rows[begin:end]) in side for side in sides):
            continue
        labels = rows[inside[0].begin], rows[inside[0].end]
        whole = []
        for favor in ("ours", "theirs"):
            side = list(rows[begin:end])
            for one in reversed(inside):
                at = replace(
                    one, begin=one.begin - begin, middle=one.middle - begin, end=one.end - begin, base=one.base - begin
                )
                side[at.begin : at.end + 1] = _side(side, at, favor)
            whole.append(side)
        rows[begin:end] = [labels[0], *whole[0], _MIDDLE.encode(), *whole[1], labels[1]]
    return b"\n".join(rows)


def _next(rows: list[bytes], path: str) -> Standing | None:
    """Return the first conflict of ours outside of every fence."""
    found = _standing(b"\n".join(rows), path)
    return next((one for one in found if one.own and not one.fenced), None)


def _side(rows: list[bytes], one: Standing, favor: str) -> list[bytes]:
    return rows[one.begin + 1 : one.base] if favor == "ours" else rows[one.middle + 1 : one.end]


def _standing(data: bytes, path: str) -> list[Standing]:
    text = data.replace(b"\r\n", b"\n")
    if f"\n{_BEGIN}".encode() not in b"\n" + text:
        return []
    found = list(_scan(text.decode("utf-8", "replace").split("\n")))
    if not found or not path.lower().endswith(_MARKDOWN):
        return found
    fences = _fences(text)
    return [replace(one, fenced=any(a < one.begin and one.end < b - 1 for a, b in fences)) for one in found]


def _scan(lines: list[str]) -> Iterator[Standing]:
    begin = base = middle = -1
    for number, line in enumerate(lines):
        if begin < 0:
            begin = number if line.startswith(_BEGIN) else -1
        elif middle < 0:
            if line == _MIDDLE:
                middle = number
            elif base < 0 and line.startswith(_BASE):
                base = number
        elif line.startswith(_END):
            own = lines[begin] == _BEGIN + OURS and line.startswith(f"{_END}skillgen ")
            yield Standing(begin, middle, number, base if base >= 0 else middle, own)
            begin = base = middle = -1


def _fences(text: bytes) -> list[tuple[int, int]]:
    """Return first line and the line behind the last of every fence at the margin."""
    # Only where markers stand: a parser of Markdown takes longer to import than to use.
    from markdown_it import MarkdownIt

    tokens = MarkdownIt("commonmark").disable("inline").parse(text.decode("utf-8", "replace"))
    return [(token.map[0], token.map[1]) for token in tokens if token.type == "fence" and token.map]
