"""Turn the bytes of a YAML file into text, or say what keeps them from being read."""

from __future__ import annotations

import re

from skillgen.errors import Problem
from skillgen.model.node import Place

MAX_BYTES = 1024 * 1024
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_SHOWN = 3
"""Problems of one kind that are shown for one file."""


def decode(path: str, data: bytes, problems: list[Problem]) -> str | None:
    """Return the text, or None after adding the problems; refuses what editors hide: BOM, CR, tabs, control characters."""
    whole = Place(path, 0, 0)
    if len(data) > MAX_BYTES:
        problems.append(whole.problem(f"has {len(data)} bytes", f"keep it under {MAX_BYTES}"))
        return None
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        problems.append(whole.problem("is not UTF-8 (it begins with a UTF-16 mark)", "save it as UTF-8"))
        return None
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - (data.rfind(b"\n", 0, error.start) + 1) + 1
        problems.append(
            Place(path, line, column).problem(f"byte 0x{data[error.start]:02X} is not UTF-8", "save the file as UTF-8")
        )
        return None
    before = len(problems)
    if text.startswith("\ufeff"):
        problems.append(Place(path, 1, 1).problem("begins with a byte order mark", "save it without one"))
        text = text[1:]
    if "\r" in text:
        kind = "Windows line ends (CRLF)" if "\r\n" in text else "a bare carriage return"
        problems.append(_place_of(path, text, text.index("\r")).problem(f"has {kind}", "save it with LF line ends"))
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    for match in list(re.finditer("\t", text))[:_SHOWN]:
        problems.append(_place_of(path, text, match.start()).problem("holds a tab", "write spaces"))
    for match in list(_CONTROL.finditer(text))[:_SHOWN]:
        what = f"holds the control character U+{ord(match[0]):04X}"
        problems.append(_place_of(path, text, match.start()).problem(what, "remove it"))
    return text if len(problems) == before else None


def _place_of(path: str, text: str, offset: int) -> Place:
    return Place(path, text.count("\n", 0, offset) + 1, offset - (text.rfind("\n", 0, offset) + 1) + 1)
