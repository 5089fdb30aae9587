"""Read the messages of modes, of force and of none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from skillgen.audit.reader.words import FORCE_WORDS, NO, NONE_WORDS, YES, names, strip_marks
from skillgen.model.facts import Fact

if TYPE_CHECKING:
    from skillgen.audit.reader.modes import Modes
    from skillgen.audit.reader.place import Places
    from skillgen.audit.text import Text

_QUOTES = "\"“”「」『』'`"
_ENDS = re.compile(r"[.!。！]$", re.A)
_QUOTED = re.compile(r"[\"“「『]([^\"”」』\n]{8,200}[.。!])[\"”」』]")
_NONE = re.compile(
    r"[\"“「『]((?:No active|Nothing (?:is )?active|No modes?)\b[^\"”」』]*|[^\"”」』]*(?:没有(?:检测到)?(?:任何)?(?:活动|正在运行|激活)|未检测到|"
    r"활성[^\"”」』]*(?:없|않)|アクティブな[^\"”」』]*(?:ありません|ない|見つかりません))[^\"”」』]*)[\"”」』]",
    re.I | re.A,
)


def read_messages(text: Text, modes: Modes, places: Places) -> Iterator[Fact]:
    rows: list[tuple[list[str], int]] = [
        (list(row.cells), row.line) for table in text.document.tables for row in table.rows
    ]
    rows += [
        (line.split("\t"), number)
        for number, line in enumerate(text.lines, 1)
        if "\t" in line and not line.startswith("\t") and len(line) < 2000
    ]
    found: set[str] = set()
    for cells, line in rows:
        if len(cells) < 2:
            continue
        message = next((cell for cell in cells[1:] if _is_message(cell)), "")
        if not message:
            continue
        if message.count("{") > message.count("}") and "|" in text.lines[line - 1]:
            # `{this | that}` is one message, though the bar ends the cell.
            parts = text.lines[line - 1].strip().strip("|").split("|")
            message = "|".join(parts[1:]).strip()
        for key in _keys(cells[0], modes):
            found.add(key)
            yield Fact("message", key, message.strip().strip(_QUOTES).strip(), line)
    for key, words, line in (*_said(text, modes, places), *_echoed(text, modes, places)):
        if key not in found:
            found.add(key)
            yield Fact("message", key, words, line)


def _is_message(cell: str) -> bool:
    bare = cell.strip()
    plain = bare.strip(_QUOTES).strip()
    if (YES.match(plain) and bare[:1] not in '"“「『') or (NO.match(plain) and len(plain) < 12):
        return False
    if not bare.isascii() and bare[:1] in '"“「『' and len(plain) > 3:
        return True
    quoted = bare[:1] in "\"“「『'" and bare[-1:] in "\"”」』'"
    return (quoted or bool(_ENDS.search(plain))) and len(plain) > 8


def _keys(cell: str, modes: Modes) -> list[str]:
    words = strip_marks(cell)
    found = [key for key in names(cell) if modes.known(key)]
    if found:
        return found
    if NONE_WORDS.match(words):
        return ["none"]
    if FORCE_WORDS.match(words):
        return ["force"]
    return []


def _said(text: Text, modes: Modes, places: Places) -> Iterator[tuple[str, str, int]]:
    """A quoted sentence in prose that says `<Mode> cancelled …` or that nothing is active."""
    for number in range(text.body_line, len(text.lines) + 1):
        line = text.lines[number - 1]
        if len(line) > 3000 or number in text.document.code_lines:
            continue
        if match := _NONE.search(line):
            yield "none", re.split(r"(?<=[.。])\s", match[1].strip(), maxsplit=1)[0], number
        for match in _QUOTED.finditer(line):
            key = _subject(match[1], modes)
            if key:
                yield key, match[1].strip(), number


def _echoed(text: Text, modes: Modes, places: Places) -> Iterator[tuple[str, str, int]]:
    for command in text.commands:
        if command.name in ("echo", "printf") and command.words:
            words = command.words[0].value.strip()
            words = re.sub(r"\$\{?CURRENT_PHASE\}?|\$\{?PHASE\}?|\$\{?phase\}?", "{phase}", words)
            key = _subject(words, modes)
            if key and "$" not in words:
                yield key, words, command.line
            elif re.match(r"No active\b|没有|활성.*없|アクティブな.*ありません", words):
                yield "none", words, command.line


_CANCELLED = re.compile(
    r"^([A-Za-z][\w -]{2,30}?)\s*(?:is |was |has been )?(?:cancell?ed|stopped|deactivated|terminated|已取消|已停止|取消|취소|중단|を?キャンセル|を?中止|を?停止|이 취소|가 취소|이\(가\))",
    re.I | re.A,
)


def _subject(words: str, modes: Modes) -> str:
    match = _CANCELLED.match(words)
    if not match:
        return ""
    keys = [key for key in names(match[1]) if modes.known(key)]
    return keys[0] if keys else ""
