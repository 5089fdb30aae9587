"""Derive from a pattern the pieces of which each of its matches holds at least one, so that most lines need no search."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from re import _constants as ops  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple

_MANY = 24
"""More pieces than so many take longer than the pattern."""
#: A small letter that is not the only one, in some alphabet, that a pattern without regard to case takes for it.
_AMBIGUOUS = frozenset("isk")
_REPEATS = (ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT)
_ZERO_WIDTH = (ops.AT, ops.ASSERT, ops.ASSERT_NOT)


class Pieces(NamedTuple):
    """Texts of which each match holds at least one; `low`: in small letters, to be looked for in a text in small letters."""

    texts: tuple[str, ...]
    low: bool


@lru_cache(maxsize=512)
def pieces_of(pattern: re.Pattern[str]) -> Pieces | None:
    """Return the pieces, None where none can be derived that are worth a search."""
    try:
        tree = parser.parse(pattern.pattern, pattern.flags)
    except re.error:
        # What `re` itself compiled is always understood; its parser is no public interface.
        return None
    found = _best(_alternatives(tree, pattern.flags))
    if found is None:
        return None
    return Pieces(tuple(sorted(found)), bool(pattern.flags & re.I))


def may_match(pattern: re.Pattern[str], words: str) -> bool:
    """Tell whether a search can find anything in some words; much faster than one that finds nothing."""
    pieces = pieces_of(pattern)
    if pieces is None:
        return True
    searched = words.lower() if pieces.low else words
    return any(piece in searched for piece in pieces.texts)


def _alternatives(tree: Iterable[tuple[Any, Any]], flags: int) -> list[frozenset[str]]:
    """Return sets of pieces; of each, a match holds at least one piece."""
    found: list[frozenset[str]] = []
    run = ""

    def end() -> str:
        if run:
            found.append(frozenset([run]))
        return ""

    for op, given in tree:
        if op is ops.LITERAL and (piece := _literal(given, flags)):
            run += piece
            continue
        if op in _ZERO_WIDTH:
            # Nothing lies between what stands before and after it.
            continue
        run = end()
        if op is ops.SUBPATTERN:
            _, add, drop, inner = given
            found += [] if (add | drop) & re.I else _alternatives(inner, flags)
        elif op is ops.ATOMIC_GROUP:
            found += _alternatives(given, flags)
        elif op in _REPEATS and given[0] > 0:
            found += _alternatives(given[2], flags)
        elif op is ops.BRANCH:
            branches = [_best(_alternatives(branch, flags)) for branch in given[1]]
            if all(branch is not None for branch in branches):
                found.append(frozenset(piece for branch in branches for piece in branch or ()))
    end()
    return found


def _literal(char: int, flags: int) -> str:
    """Return what stands for a character in what is searched; "" where several characters can."""
    text = chr(char)
    if not flags & re.I or text.lower() == text.upper():
        return text
    if not text.isascii() or (text.lower() in _AMBIGUOUS and not flags & re.A):
        return ""
    return text.lower()


def _best(sets: Iterable[frozenset[str]]) -> frozenset[str] | None:
    """Return the set whose shortest piece is longest; None if none is worth a search."""
    worth = [pieces for pieces in sets if len(pieces) <= _MANY and all(map(_is_worth, pieces))]
    return max(worth, key=lambda pieces: (min(map(len, pieces)), -len(pieces)), default=None)


def _is_worth(piece: str) -> bool:
    """Tell whether few enough lines hold a piece; a single letter or space stands in nearly all."""
    return len(piece) > 1 or not piece.isascii() or not (piece.isalnum() or piece.isspace())
