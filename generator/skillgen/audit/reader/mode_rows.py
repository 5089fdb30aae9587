"""Find modes in rows of names: `modes (a, b, c)`, `Modes: a, b, c`, and three or more coded names in one sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from skillgen.audit.language import forbidden
from skillgen.audit.reader.words import KNOWN_MODES, ORDINARY, WAYS, strip_marks

if TYPE_CHECKING:
    from skillgen.audit.text import Text

_LIST_IN_BRACKETS = re.compile(r"[(（]([^()（）]{5,300})[)）]", re.A)
_MODE_BRACKET = re.compile(
    r"(?:\bmodes?|모드|模式|モード)[`*]*\s*([(（](?!e\.?g|such|like|例|예)[^()（）\n]{5,300}[)）])", re.I | re.A
)
_NAME = r"[*`]{0,3}[a-z][a-z0-9-]*[*`]{0,3}(?:\s*[(（][^()（）\n]{1,60}[)）])?"
_MODE_ROW = re.compile(
    rf"(?:\bmodes|모드|模式|モード)[*_]*\s*[:：][*_]*\s*((?:{_NAME}(?:\s*(?:,|、|，|/|\|)\s*(?:(?:or|and)\s+)?|\s+(?:or|and)\s+)){{1,20}}{_NAME})",
    re.I | re.A,
)
_SINGULAR = re.compile(r"\bmode[`*]*\s*$", re.I | re.A)
#: A bracket of three or more names between commas or slashes; most of them have to be known.
_NAMES_IN_BRACKET = re.compile(
    r"[(（]((?:[`*]*[a-z][a-z0-9-]*[`*]*\s*(?:[,，、/|]\s*(?:and |or )?)){2,20}[`*]*[a-z][a-z0-9-]*[`*]*\s*(?:等|等等|etc\.?|など|등|…|\.\.\.)?)\s*[)）]",
    re.A,
)
#: What is said behind a bracket of things that there are not.
_LACKS = re.compile(
    r"[^.。\n(（]{0,60}(?:\b(?:not|no|never|unsupported)\b|n't\b|없|않|没有|不支持|ありません|ない)", re.I | re.A
)
_IF_ACTIVE = re.compile(r"\b(?:[Ii]f|[Ww]hen) [`*]+([a-z][a-z0-9-]*)[`*]+ (?:mode )?is (?:active|running)\b", re.A)
#: What work of an agent is called beside modes; three names or more in the bracket behind it.
_WORK_BRACKET = re.compile(
    r"(?:\b(?:workflows?|loops?)|工作流|워크플로우?|ワークフロー|ループ)\s*([(（](?!e\.?g|such|like|例|예)[^()（）\n]{5,300}[)）])",
    re.I | re.A,
)
_MARKED = re.compile(r"[*`]")
_ASIDE = re.compile(r"\s*[(（][^()（）]*[)）]")
_CODED_ROW = re.compile(
    r"`[a-z][a-z0-9-]*`(?:(?:\s*[,、，/]\s*(?:(?:or|and)\s+)?|\s+(?:or|and)\s+)`[a-z][a-z0-9-]*`){2,20}", re.A
)
_EXAMPLE = re.compile(r"(?:e\.?g\.?|such as|like|for example|例如|예를 들어|例えば)[,:：]?\s*$", re.I | re.A)
_ENDS = re.compile(
    r"\b(?:cancel|stop|halt|abort|end)\w*\b|取消|停止|终止|취소|중지|종료|キャンセル|停止|終了", re.I | re.A
)
_ETC = re.compile(
    r"^(?:e\.?g\.?|such as|like|including|i\.?e\.?|例如|如|예:?)[,:]?\s+|\s*(?:등|等|など|etc\.?|and more|…|\.\.\.)\s*$",
    re.I | re.A,
)
_SEPARATOR = re.compile(r"[,，、/|]|\bor\b|\band\b", re.A)


def rows_of_modes(text: Text) -> Iterator[tuple[str, int]]:
    """Yield (name, line) of the names in rows that say that they are modes, or of which most are known modes."""
    for number in text.holding(" is active", " is running"):
        if number >= text.body_line and len(text.lines[number - 1]) < 2000:
            yield from ((match[1], number) for match in _IF_ACTIVE.finditer(text.lines[number - 1]))
    yield from _in_brackets(text)
    yield from _in_runs(text)


def _in_brackets(text: Text) -> Iterator[tuple[str, int]]:
    for field in ("description", "when-to-use", "when_to_use"):
        key = text.front.get(field)
        if key and isinstance(key.value, str):
            yield from ((name, key.line) for name in bracket_list(key.value))
    code = text.document.code_lines
    for number in text.holding("orkflow", "loop", "工作流", "워크플로", "ワークフロー", "ループ"):
        line = text.lines[number - 1]
        if number >= text.body_line and number not in code and len(line) < 4000 and ("(" in line or "（" in line):
            for match in _WORK_BRACKET.finditer(line):
                found = bracket_list(match[1])
                if len(found) > 2 and _ENDS.search(line) and not forbidden(line, *match.span(1)):
                    yield from ((name, number) for name in found)
    for number in text.holding("mode", "Mode", "모드", "模式", "モード"):
        line = text.lines[number - 1]
        if number < text.body_line or number in code or len(line) > 4000:
            continue
        for match in _MODE_BRACKET.finditer(line) if "(" in line or "（" in line else ():
            found = bracket_list(match[1])
            # `mode (a, b)` of one that no one knows lists the values of a parameter.
            if not _SINGULAR.search(line[: match.start(1)]) or any(name in KNOWN_MODES for name in found):
                yield from ((name, number) for name in found)
        if (named := _MODE_ROW.search(line)) is not None:
            parts = [part for part in _SEPARATOR.split(_ASIDE.sub("", named[1])) if part.strip()]
            row = [_ETC.sub("", part.strip(" `*.")).lower() for part in parts]
            if any(name in KNOWN_MODES for name in row) or all(map(_MARKED.search, parts)):
                yield from ((name, number) for name in row if name and name not in WAYS)


def _in_runs(text: Text) -> Iterator[tuple[str, int]]:
    """A row of coded names, or of names in brackets, of which most are known."""
    for match in _NAMES_IN_BRACKET.finditer(text.source.text):
        found = bracket_list(match[0])
        sure = sum(name in KNOWN_MODES and name not in ORDINARY for name in found)
        if sure < 2 or sum(name in KNOWN_MODES for name in found) < len(found) * 0.67:
            continue
        number = text.line_at(match.start())
        line, at = text.lines[number - 1], match.start() - text.starts[number - 1]
        if number < text.body_line or number in text.document.code_lines or len(line) > 4000:
            continue
        if not forbidden(line, at, at + len(match[0])) and not _LACKS.match(text.source.text, match.end()):
            yield from ((name, number) for name in found)
    for number in text.matching(_CODED_ROW):
        for match in _CODED_ROW.finditer(text.lines[number - 1]):
            found = re.findall(r"`([a-z][\w-]*)`", match[0])
            if _EXAMPLE.search(text.lines[number - 1][: match.start()]):
                continue
            if number >= text.body_line and sum(name in KNOWN_MODES for name in found) >= max(2, len(found) / 2):
                yield from ((name, number) for name in found)


def bracket_list(text: str) -> list[str]:
    """Return the names in the first bracket that holds a list of at least two plain names."""
    for match in _LIST_IN_BRACKETS.finditer(text):
        parts = [_ETC.sub("", strip_marks(part).strip().lower()) for part in _SEPARATOR.split(_ETC.sub("", match[1]))]
        parts = [part for part in parts if part]
        good = [part.replace(" ", "-") for part in parts if re.fullmatch(r"[a-z][a-z0-9 -]{2,30}", part)]
        if len(good) >= 2 and len(good) == len(parts) and WAYS.isdisjoint(good):
            return good
    return []
