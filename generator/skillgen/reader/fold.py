"""Fold typography, case and width of a text, one character for one, so that places stay what they are."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

#: Quotes and dashes that Unicode does not fold by itself.
_TYPOGRAPHY = str.maketrans(
    {
        "’": "'",
        "‘": "'",
        "ʼ": "'",
        "´": "'",
        "`": "`",
        "‛": "'",
        "＇": "'",
        "“": '"',
        "”": '"',
        "„": '"',
        "‐": "-",
        "‑": "-",
        "\t": " ",
    }
)

_APOSTROPHES = "’ʼ‛＇´‘"
_SPACES_AND_HYPHENS = str.maketrans({"\u00a0": " ", "\u202f": " ", "\u2007": " ", "‐": "-", "‑": "-"})


@lru_cache(maxsize=4096)
def _fold_one(char: str) -> str:
    """Return the compatibility form of a character in small letters where that is one character, else the character."""
    folded = unicodedata.normalize("NFKC", char).lower()
    return folded if len(folded) == 1 else char


def fold(text: str) -> str:
    """Return the text with full-width letters, curly quotes and capitals folded; its length is that of the text."""
    if text.isascii():
        return text.lower().replace("\t", " ")
    return "".join(
        char if char in "。、，！？；：（）「」『』　" else _fold_one(char) for char in text.translate(_TYPOGRAPHY)
    )


def plain_typography(text: str) -> str:
    """Return the text with the apostrophes inside words, spaces and hyphens of a keyboard; its length is that of the text.

    Quotes stay as they are: what they hold is said by somebody. So do capitals.
    """
    if text.isascii():
        return text
    plain = text.translate(_SPACES_AND_HYPHENS)
    if not any(mark in plain for mark in _APOSTROPHES):
        return plain
    return "".join(
        "'" if char in _APOSTROPHES and plain[at - 1 : at].isalpha() and plain[at + 1 : at + 2].isalpha() else char
        for at, char in enumerate(plain)
    )
