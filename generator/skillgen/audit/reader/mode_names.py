"""Find names that are modes for certain: record files, calls, brackets, hints, usage lines, JSON fields, headings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from skillgen.audit.reader.mentions import lines_with
from skillgen.audit.reader.mode_rows import rows_of_modes
from skillgen.audit.reader.order import opening_names
from skillgen.audit.reader.paths import opens_with_path
from skillgen.audit.reader.shell_values import loops
from skillgen.audit.reader.subject import is_of_other_skills
from skillgen.audit.reader.words import (
    HELPERS,
    KNOWN_KEYS,
    KNOWN_MODES,
    KNOWN_OPENINGS,
    MODE_WORD,
    ORDINARY,
    WAYS,
    name_cell,
    names,
    slug,
    strip_marks,
    titles,
)

if TYPE_CHECKING:
    from skillgen.audit.text import Text

#: `endSession('plan', 'cancelled')`: a call that ends what its first argument names.
END_CALL = re.compile(
    r"\b((?:end|stop|cancel|clear|abort|terminate|finish|kill|delete|remove|deactivate)\w*)\(\s*[\"']([a-z][\w-]*)[\"']\s*(?:,\s*([^()\n]*))?\)",
    re.I | re.A,
)
_STATE_FILE = re.compile(r"(?<![\w{}<$-])([a-z][a-z0-9]*(?:-[a-z0-9]+)*)-state\.json", re.A)
_CALL_MODE = re.compile(r"\bmode[\"']?\s*[=:]\s*[\"'“]([A-Za-z][\w-]*)[\"'”]", re.A)
#: `x state clear --mode a`.
_OPTION_MODE = re.compile(
    r"\bstate[ -](?:clear|write|set|delete|read|get|stop|end)\b[^\n|;&`]{0,60}--mode[= ][\"']?([a-z][a-z0-9-]*)", re.A
)
_JSON_MODE = re.compile(r"\"(?:skill|workflow)\"\s*:\s*\"([a-z][\w-]*)\"", re.A)
_PATH_ITEM = re.compile(r"\s*(?:[-*+•]|\d+[.)])\s+`?[.~$][\w/.{}*,$~-]+`?(?:\s*[,(（].*)?\s*$", re.A)
_IF_ACTIVE = re.compile(r"^(?:If |When )([A-Z][\w -]{1,30}?) (?:[Ii]s )?[Aa]ctive\b|^([a-z][\w-]+) active$", re.A)
_HEADING_NAME = re.compile(r"[A-Za-z][\w-]+(?: [A-Z][\w-]+)?", re.A)
#: `<mode: a | b>`, `[a|b|all]` behind an invocation or in the hint of the front matter.
_CHOICE = re.compile(r"[\[<({]([^\[\]<>(){}\n]{3,200})[\]>)}]", re.A)
_USAGE = re.compile(
    r"(?:\$ )?[/$@](?:[\w-]+:)?[\w-]*(?:cancel|stop|abort|halt|quit)[\w-]*[ \t]+(\S[^\n]*)$",
    re.I | re.M | re.A,
)
_SPOKEN = re.compile(r"\bcancell?ed ([a-z][\w-]*) (?:(workflow|mode)|session|run)\b", re.I | re.A)
_NO_NAMES = frozenset(
    [
        "the",
        "a",
        "an",
        "this",
        "that",
        "your",
        "active",
        "current",
        "running",
        "entire",
        "whole",
        "no",
        "one",
        "any",
        "all",
    ]
)


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
    for number in text.holding("--mode"):
        yield from ((match[1], number) for match in _OPTION_MODE.finditer(text.lines[number - 1][:4000]))
    yield from rows_of_modes(text)
    yield from _in_loops(text)
    yield from _in_hints(text)
    yield from _in_records(text)
    yield from _in_calls(text)
    yield from _known_names(text)


def _in_loops(text: Text) -> Iterator[tuple[str, int]]:
    """Words of a loop of shell whose variable is the stem of a record: `rm -f "$loop-state.json"`."""
    for number in text.holding("-state.json"):
        if number not in text.document.code_lines or "$" not in text.lines[number - 1]:
            continue
        for fragment in text.fragments:
            for loop in loops(fragment) if fragment.kind == "fence" and "-state.json" in fragment.text else ():
                if re.search(rf"\$\{{?{re.escape(loop.name)}\}}?-state\.json", fragment.text):
                    yield from ((word, loop.line) for word in loop.words)
        return


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
    for line in sorted(text.document.code_lines):
        row = text.lines[line - 1].lstrip(" \t>")
        usage = _USAGE.match(row) if row[:1] in "/$@" and len(row) < 400 else None
        if not usage:
            continue
        if choice := _CHOICE.match(usage[1]):
            yield from ((name, line) for name in _choices(choice[1]))
        elif word := re.match(
            r"([a-z][a-z0-9]*(?:-[a-z0-9]+)*)(?:\s+(?:#|//|--|—|→).*|\s{2,}\S.*|\s*$)", usage[1], re.A
        ):
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
    for number in text.holding("ancelled ", "anceled "):
        if number in text.document.code_lines:
            for match in _SPOKEN.finditer(text.lines[number - 1]):
                if match[1] in KNOWN_MODES or (match[2] and match[1] not in _NO_NAMES):
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
                name = part.lower().replace(" ", "-")
                # `Notify the team` speaks of a team, not of the mode.
                if name in KNOWN_MODES and (
                    KNOWN_MODES[name] not in ORDINARY or KNOWN_MODES[name] in opening_names(words)
                ):
                    yield name, heading.line
    known, named = KNOWN_KEYS, lines_with(text, KNOWN_OPENINGS)
    for table in text.document.tables:
        for row in table.rows:
            cell = name_cell(row.cells)
            if row.line in named:
                yield from ((key, row.line) for key, _ in titles(cell) if key in known)
    for entry in text.document.items:
        if entry.line in named and not opens_with_path(entry.text) and not is_of_other_skills(text, entry.line):
            yield from ((key, entry.line) for key in names(_PATH_SPAN.sub(" ", entry.text)) if key in known)
