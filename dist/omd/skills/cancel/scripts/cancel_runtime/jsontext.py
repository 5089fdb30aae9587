"""Read JSON strictly, and write it as `JSON.stringify(value, null, 2)` does.

The C scanner of the json package is used directly where there is one: importing json itself costs as much as all else here.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


LIMIT = 16 * 1024 * 1024
"""Longest record in bytes that is read; no real one comes near it."""


class Number(float):
    """A number that keeps the text it was written with, so that rewriting a record never changes it."""

    __slots__ = ("text",)
    text: str

    def __new__(cls, text: str) -> Number:
        number = float.__new__(cls, text)
        number.text = text
        return number


def _whole(text: str) -> int | Number:
    return int(text) if len(text) < 300 else Number(text)


def _constant(text: str) -> Any:
    raise ValueError(text + " is not JSON")


class _Context:
    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = Number
    parse_int = staticmethod(_whole)
    parse_constant = staticmethod(_constant)


try:
    from _json import encode_basestring as _quote
    from _json import make_scanner

    _scan: Callable[[str, int], tuple[Any, int]] = make_scanner(_Context())  # type: ignore[arg-type]
except ImportError:  # an interpreter without the C module
    import json
    from json.encoder import encode_basestring as _quote

    _scan = json.JSONDecoder(parse_float=Number, parse_int=_whole, parse_constant=_constant).scan_once  # type: ignore[attr-defined]

_SPACE = " \t\n\r"


def parse(data: bytes) -> Any:
    """Return the value in the bytes `data`; `ValueError` with the reason if they are no JSON text."""
    if len(data) > LIMIT:
        raise ValueError("is larger than 16 MiB")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise ValueError("is not valid UTF-8") from None
    start = len(text) - len(text.lstrip(_SPACE))
    if start == len(text):
        raise ValueError("is empty")
    try:
        value, end = _scan(text, start)
    except RecursionError:
        raise ValueError("is nested too deeply") from None
    except (StopIteration, SystemError, ValueError):
        # The scanner finds the words for an error only in the json package, which nobody has imported yet.
        raise ValueError("is not valid JSON" + _why(text)) from None
    if text[end:].strip(_SPACE):
        raise ValueError("is not valid JSON (something stands behind its end)")
    return value


def _why(text: str) -> str:
    import json

    try:
        json.loads(text, parse_constant=_constant)
    except (ValueError, RecursionError) as error:
        return " (" + str(error) + ")"
    return ""


def write(value: Any) -> str:
    """Return the text of a value; `ValueError` if it is nested too deeply. Surrogates that stand alone are escaped."""
    parts: list[str] = []
    try:
        _write(value, "\n", parts.append)
    except RecursionError:
        raise ValueError("is nested too deeply") from None
    text = "".join(parts)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        text = "".join(f"\\u{ord(c):04x}" if "\ud800" <= c <= "\udfff" else c for c in text)
    return text


def compact(value: Any) -> str:
    """Return the text of a value on one line, with `, ` and `: `."""
    parts: list[str] = []
    _write(value, None, parts.append)
    return "".join(parts)


def _write(value: Any, line: str | None, put: Callable[[str], None]) -> None:
    if isinstance(value, str):
        put(_quote(value))
    elif value is None:
        put("null")
    elif value is True:
        put("true")
    elif value is False:
        put("false")
    elif isinstance(value, Number):
        put(value.text)
    elif isinstance(value, (int, float)):
        put(repr(value))
    elif isinstance(value, dict):
        _write_items(value.items(), "{", "}", line, put)
    else:
        _write_items([(None, item) for item in value], "[", "]", line, put)


def _write_items(items: Any, opening: str, closing: str, line: str | None, put: Callable[[str], None]) -> None:
    if not items:
        put(opening + closing)
        return
    put(opening)
    inner = None if line is None else line + "  "
    lead = "" if inner is None else inner
    for key, item in items:
        put(lead)
        if key is not None:
            put(_quote(key) + ": ")
        _write(item, inner, put)
        lead = ", " if inner is None else "," + inner
    put(closing if line is None else line + closing)
