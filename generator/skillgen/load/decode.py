"""Decode one text: UTF-8 with any line ends, or say why it is none."""

from __future__ import annotations

import codecs

from skillgen.errors import Problem
from skillgen.model.subject import Kind, Source

#: A text that an agent is meant to read is never longer.
TEXT_LIMIT = 1024 * 1024
LINE_LIMIT = 50_000
"""Lines; a block of each costs far more memory than its characters."""
_WIDE = {codecs.BOM_UTF16_LE: "UTF-16", codecs.BOM_UTF16_BE: "UTF-16"}


def decode(
    data: bytes, size: int, path: str, kind: Kind, problems: list[Problem], *, fixable: bool = True
) -> Source | None:
    """Return the text, or None after adding the problem."""
    what = _refusal(data, size)
    if what:
        problems.append(Problem(path, 0, 0, what[0], what[1]))
        return None
    bom = data.startswith(codecs.BOM_UTF8)
    try:
        text = data.removeprefix(codecs.BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - (data.rfind(b"\n", 0, error.start) + 1) + 1
        problems.append(Problem(path, line, column, f"byte 0x{data[error.start]:02x} is not UTF-8", "save it as UTF-8"))
        return None
    if text.count("\n") > LINE_LIMIT:
        many = f"the text has {text.count(chr(10))} lines, more than the {LINE_LIMIT} that are read"
        problems.append(Problem(path, 0, 0, many, "move detail into references/"))
        return None
    returns: list[int] = []
    if "\r" in text:
        at = -1
        while (at := text.find("\r\n", at + 1)) >= 0:
            returns.append(at - len(returns))
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return Source(path, text, kind, bom, tuple(returns), fixable)


def _refusal(data: bytes, size: int) -> tuple[str, str] | None:
    for mark, name in _WIDE.items():
        if data.startswith(mark):
            return f"the text is {name}", "save it as UTF-8"
    head = data[:4096]
    if b"\0" in head:
        if len(head) > 8 and (head[1::2].count(0) > len(head) // 3 or head[::2].count(0) > len(head) // 3):
            return "the text is UTF-16 without a mark", "save it as UTF-8"
        return "this is a binary file", "name a SKILL.md, a skill directory, a bundle or a .skill archive"
    if size > TEXT_LIMIT:
        return f"the text is {size / 1024:.0f} KiB long, more than the {TEXT_LIMIT // 1024} KiB that are read", (
            "move detail into references/"
        )
    return None
