"""Find the lines that hold one of some words, however their first letter is written."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skillgen.audit.text import Text


def lines_with(text: Text, words: Iterable[str]) -> set[int]:
    """Return the numbers of the lines that hold one of the words, written `word`, `Word` or `WORD`."""
    return {line for word in words for line in text.once(_holding, word)}


def _holding(text: Text, word: str) -> list[int]:
    return text.holding(*dict.fromkeys((word[1:] or word, word[1:].upper() or word.upper())))
