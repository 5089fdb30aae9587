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
    return next((char for char in _BEYOND.findall(text) if unicodedata.category(char) in _UNSEEN), "")


def escaped(text: str, *, lines: bool = False) -> str:
    """Return the text with every unseen character as `\\n`, `\\x1b` or `\\u202e`; plain text comes back as it is.

    From U+007F on the escapes are those of JSON, so that a JSON text stays one that says the same.
    """
    if not unseen(text, lines=lines):
        return text
    return _BEYOND.sub(lambda match: _escape(match[0], lines), text)


def _escape(char: str, lines: bool) -> str:
    if (lines and char in "\n\t") or unicodedata.category(char) not in _UNSEEN:
        return char
    if char in "\n\r\t":
        return {"\n": "\\n", "\r": "\\r", "\t": "\\t"}[char]
    code = ord(char)
    if code < 0x20:
        return f"\\x{code:02x}"
    if code < 0x10000:
        return f"\\u{code:04x}"
    high, low = divmod(code - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"


def annotation(level: str, text: str, **properties: object) -> str:
    """Return one workflow command of GitHub, such as `::error file=a,line=3::text`; empty properties are left out."""
    # https://docs.github.com/actions/reference/workflow-commands-for-github-actions: values escape `:` and `,` too.
    known = {name: str(value) for name, value in properties.items() if value}
    fields = ",".join(f"{name}={_data(value).replace(':', '%3A').replace(',', '%2C')}" for name, value in known.items())
    return f"::{level}{' ' if fields else ''}{fields}::{_data(text)}"


def _data(text: str) -> str:
    return escaped(text).replace("%", "%25")
