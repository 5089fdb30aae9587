"""Find the lines that hold one of some words, however their first letter is written."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skillgen.audit.text import Text


def lines_with(text: Text, words: Iterable[str]) -> set[int]:
    """Return the numbers of the lines that hold one of the words, written `word`, `Word` or `WORD`."""
    known = text.once(_known)
    found: set[int] = set()
    for word in words:
        if word not in known:
            known[word] = text.holding(*dict.fromkeys((word[1:] or word, word[1:].upper() or word.upper())))
        found.update(known[word])
    return found


def _known(_: Text) -> dict[str, list[int]]:
    return {}
