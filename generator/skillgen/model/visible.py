"""Tell the characters that no reader sees or that move a terminal, and write them out as escapes."""

from __future__ import annotations

import re
import unicodedata

_UNSEEN = frozenset({"Cc", "Cf", "Co", "Cs", "Zl", "Zp"})
"""Control, format (bidirectional, zero-width, tags), private use, surrogates, line and paragraph separators."""
_CONTROL = re.compile("[\x00-\x1f\x7f]")
_BEYOND = re.compile("[^\x20-\x7e]")


def unseen(text: str, *, lines: bool = False) -> str:
    """Return the first character of a text that is not seen where it stands, "" if there is none.

    With `lines`, line feeds and tabs are seen.
    """
    if lines:
        text = text.replace("\n", "").replace("\t", "")
    if text.isascii():
        match = _CONTROL.search(text)
        return match[0] if match else ""
    return next((char for char in text if unicodedata.category(char) in _UNSEEN), "")


def escaped(text: str, *, lines: bool = False) -> str:
    """Return the text with every unseen character as `\\n`, `\\x1b` or `\\u202e`; plain text comes back as it is."""
    if not unseen(text, lines=lines):
        return text
    return _BEYOND.sub(lambda match: _escape(match[0], lines), text)


def _escape(char: str, lines: bool) -> str:
    if (lines and char in "\n\t") or unicodedata.category(char) not in _UNSEEN:
        return char
    if "\udc80" <= char <= "\udcff":
        # A byte of a file name that is no UTF-8.
        return f"\\x{ord(char) - 0xDC00:02x}"
    if char in "\n\r\t":
        return {"\n": "\\n", "\r": "\\r", "\t": "\\t"}[char]
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
