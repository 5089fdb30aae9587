"""Find names that are modes for certain: record files, calls, brackets, hints, usage lines, JSON fields, headings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from skillgen.audit.reader.spread import END_CALL
from skillgen.audit.reader.words import (
    HELPERS,
    KNOWN_MODES,
    MODE_WORD,
    WAYS,
    name_cell,
    names,
    slug,
    strip_marks,
    titles,
)

if TYPE_CHECKING:
    from skillgen.audit.text import Text

_STATE_FILE = re.compile(r"(?<![\w{}<$-])([a-z][a-z0-9]*(?:-[a-z0-9]+)*)-state\.json", re.A)
_CALL_MODE = re.compile(r"\bmode[\"']?\s*[=:]\s*[\"'“]([A-Za-z][\w-]*)[\"'”]", re.A)
_JSON_MODE = re.compile(r"\"(?:skill|workflow)\"\s*:\s*\"([a-z][\w-]*)\"", re.A)
_LIST_IN_BRACKETS = re.compile(r"[(（]([^()（）]{5,300})[)）]", re.A)
_MODE_BRACKET = re.compile(
    r"(?:\bmodes?|모드|模式|モード)[`*]*\s*([(（](?!e\.?g|such|like|例|예)[^()（）\n]{5,300}[)）])", re.I | re.A
)
_MODE_ROW = re.compile(
    r"(?:\bmodes|모드|模式|モード)[*_]*\s*[:：][*_]*\s*((?:`?[a-z][a-z0-9-]*`?(?:\s*(?:,|、|，|/|\|)\s*|\s+(?:or|and)\s+|,\s+(?:or|and)\s+)){1,20}`?[a-z][a-z0-9-]*`?)",
    re.I | re.A,
)
_CODED_ROW = re.compile(
    r"`[a-z][a-z0-9-]*`(?:(?:\s*[,、，/]\s*(?:(?:or|and)\s+)?|\s+(?:or|and)\s+)`[a-z][a-z0-9-]*`){2,20}", re.A
)
_EXAMPLE = re.compile(r"(?:e\.?g\.?|such as|like|for example|例如|예를 들어|例えば)[,:：]?\s*$", re.I | re.A)
_PATH_ITEM = re.compile(r"\s*(?:[-*+•]|\d+[.)])\s+`?[.~$][\w/.{}*,$~-]+`?(?:\s*[,(（].*)?\s*$", re.A)
_IF_ACTIVE = re.compile(r"^(?:If |When )([A-Z][\w -]{1,30}?) (?:[Ii]s )?[Aa]ctive\b|^([a-z][\w-]+) active$", re.A)
_PATH = re.compile(r"[.~$]|[\w-]+/|\S+\.\w+$", re.A)
_HEADING_NAME = re.compile(r"[A-Za-z][\w-]+(?: [A-Z][\w-]+)?", re.A)
#: `<mode: a | b>`, `[a|b|all]` behind an invocation or in the hint of the front matter.
_CHOICE = re.compile(r"[\[<({]([^\[\]<>(){}\n]{3,200})[\]>)}]", re.A)
_USAGE = re.compile(
    r"^[ \t>]*(?:[$>] )?[/$@](?:[\w-]+:)?[\w-]*(?:cancel|stop|abort|halt|quit)[\w-]*[ \t]+(\S[^\n]*)$",
    re.I | re.M | re.A,
)
_SPOKEN = re.compile(r"\bcancell?ed ([a-z][\w-]*) (?:workflow|mode|session|run)\b", re.I | re.A)
_ETC = re.compile(
    r"^(?:e\.?g\.?|such as|like|including|i\.?e\.?|例如|如|예:?)[,:]?\s+|\s*(?:등|等|など|etc\.?|and more|…|\.\.\.)\s*$",
    re.I | re.A,
)
_SEPARATOR = re.compile(r"[,，、/|]|\bor\b|\band\b", re.A)


#: `~/.host/teams/*/` names a directory.
_PATH_SPAN = re.compile(r"`[^`\n]*/[^`\n]*`", re.A)


def state_files(text: Text) -> Iterator[tuple[str, int]]:
    """Yield (stem, line) of every `<stem>-state.json` outside lists of nothing but paths."""
    for number in text.holding("-state.json"):
        line = text.lines[number - 1]
        if not _PATH_ITEM.match(line):
            yield from ((match[1], number) for match in _STATE_FILE.finditer(line))


def named_modes(text: Text) -> Iterator[tuple[str, int]]:
    """Yield (name, line) of what a text calls a mode, or of a known name where modes are named."""
    for number in text.holding("mode"):
        line = text.lines[number - 1]
        yield from ((match[1], number) for match in _CALL_MODE.finditer(line))
    yield from _in_brackets(text)
    yield from _in_runs(text)
    yield from _in_hints(text)
    yield from _in_records(text)
    yield from _in_calls(text)
    yield from _known_names(text)


def _in_brackets(text: Text) -> Iterator[tuple[str, int]]:
    for field in ("description", "when-to-use", "when_to_use"):
        key = text.front.get(field)
        if key and isinstance(key.value, str):
            yield from ((name, key.line) for name in bracket_list(key.value))
    code = text.document.code_lines
    for number in text.matching(_MODE_BRACKET):
        if number >= text.body_line and number not in code:
            for match in _MODE_BRACKET.finditer(text.lines[number - 1]):
                yield from ((name, number) for name in bracket_list(match[1]))


def _in_runs(text: Text) -> Iterator[tuple[str, int]]:
    """Names in a row behind `Modes:`, and a row of coded names of which most are known."""
    code = text.document.code_lines
    for number in text.matching(_MODE_ROW):
        match = _MODE_ROW.search(text.lines[number - 1])
        if match and number >= text.body_line and number not in code:
            row = [_ETC.sub("", part.strip(" `*.")) for part in _SEPARATOR.split(match[1])]
            if sum(name in KNOWN_MODES for name in row) >= 1:
                yield from ((name, number) for name in row if name and name not in WAYS)
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
        if len(good) >= 2 and len(good) == len(parts):
            return good
    return []


def _in_hints(text: Text) -> Iterator[tuple[str, int]]:
    """Names in the argument hint and behind the command in usage lines."""
    for field in ("argument-hint", "argument_hint", "arguments", "usage"):
        key = text.front.get(field)
        value = key.value if key else None
        if key and (isinstance(value, str | list)):
            whole = value if isinstance(value, str) else f"[{' | '.join(map(str, value))}]"
            for match in _CHOICE.finditer(whole):
                yield from ((name, key.line) for name in _choices(match[1]))
    words: dict[str, int] = {}
    code = text.document.code_lines
    for match in _USAGE.finditer(text.source.text):
        line = text.line_at(match.start())
        if line not in code:
            continue
        if choice := _CHOICE.match(match[1]):
            yield from ((name, line) for name in _choices(choice[1]))
        elif word := re.match(r"([a-z][a-z0-9]*(?:-[a-z0-9]+)*)(?:\s+(?:#|//|--|—|→).*|\s*$)", match[1], re.A):
            words.setdefault(word[1], line)
    given = {name: line for name, line in words.items() if name not in HELPERS and name not in WAYS}
    if any(name in KNOWN_MODES for name in given):
        yield from given.items()


def _choices(inside: str) -> list[str]:
    """Return the modes among the choices of one bracket; a bracket of flags or of other things gives none."""
    label, colon, rest = inside.partition(":")
    words = [strip_marks(part).strip().lower() for part in re.split(r"[|,]", rest if colon else inside)]
    if len(words) < 2:
        return []
    found = [
        w for w in words if re.fullmatch(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*", w) and w not in HELPERS and w not in WAYS
    ]
    if (colon and MODE_WORD.search(label)) or any(word in KNOWN_MODES for word in found):
        return found
    return []


def _in_records(text: Text) -> Iterator[tuple[str, int]]:
    """The owner of a record that is shown as JSON."""
    for fence in text.document.fences:
        if '"active"' in fence.text:
            for match in _JSON_MODE.finditer(fence.text):
                yield match[1], fence.first + fence.text.count("\n", 0, match.start())
    for number in text.matching(_SPOKEN):
        if number in text.document.code_lines:
            for match in _SPOKEN.finditer(text.lines[number - 1]):
                if match[1] in KNOWN_MODES:
                    yield match[1], number


def _in_calls(text: Text) -> Iterator[tuple[str, int]]:
    """First arguments of a call that ends what it is given, where it is given several, or a known one."""
    given: dict[str, dict[str, int]] = {}
    for number in text.holding("('", '("'):
        line = text.lines[number - 1]
        if len(line) <= 6000:
            for match in END_CALL.finditer(line):
                given.setdefault(match[1], {}).setdefault(match[2], number)
    for arguments in given.values():
        if len(arguments) > 1 and any(name in KNOWN_MODES for name in arguments):
            yield from arguments.items()


def _known_names(text: Text) -> Iterator[tuple[str, int]]:
    for heading in text.document.headings:
        words = strip_marks(heading.text)
        if active := _IF_ACTIVE.match(words):
            yield slug(active[1] or active[2]), heading.line
        for phrase in _HEADING_NAME.findall(words):
            first, _, second = phrase.partition(" ")
            # `ZED Teams` is a mode of its own, not the mode Team.
            for part in (phrase, first, second if not first.isupper() else ""):
                if (name := part.lower().replace(" ", "-")) in KNOWN_MODES:
                    yield name, heading.line
    known = frozenset(KNOWN_MODES.values())
    for table in text.document.tables:
        for row in table.rows:
            yield from ((key, row.line) for key, _ in titles(name_cell(row.cells)) if key in known)
    for entry in text.document.items:
        if not _PATH.match(entry.text.strip("`* ")):
            yield from ((key, entry.line) for key in names(_PATH_SPAN.sub(" ", entry.text)) if key in known)
