"""Read an action that is said once for every mode: a call with a placeholder, a call a mode, a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from skillgen.audit.reader.branch import force_lines
from skillgen.audit.reader.ends import ACTIVE_FALSE, END_TIME, TERMINAL
from skillgen.audit.reader.mode_names import END_CALL
from skillgen.audit.reader.ordering import stances
from skillgen.audit.reader.removals import removes_each
from skillgen.audit.reader.tools import Call, read_calls
from skillgen.model.facts import Fact

if TYPE_CHECKING:
    from skillgen.audit.reader.modes import Modes
    from skillgen.audit.reader.place import Places
    from skillgen.audit.text import Text

_PLACEHOLDER = re.compile(
    r"^[\"'`]*(?:<[\w -]*mode[\w -]*>|\{\{?[\w -]*mode[\w -]*\}?\}|\$\{?\w*mode\w*\}?|[\w-]*mode)[\"'`]*$", re.I | re.A
)
_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s", re.A)
_CLEARS = re.compile(r"(?:clear|delete|remove)", re.I)
#: What the state that is switched off is of: a word for state, or whatever mode is active.
_STATE_OFF = re.compile(r"\b(?:state|record)s?\b|\b(?:active|current) mode\b|상태|状态|状態", re.I | re.A)
#: What introduces the fields of any mode's record.
_ITS_FILE = re.compile(
    r"\bmode\b[^.;]{0,30}\b(?:rewrite|write|set|update|mark)\b[^.;]{0,20}\b(?:its|the|that) (?:[\w-]+ )?(?:file|record|state)s?\b",
    re.I | re.A,
)
#: A sentence that says so of each mode in turn.
_EACH = re.compile(
    r"\b(?:each|every|all)\b[^.;]{0,30}\bmodes?\b[^.;]{0,40}\b(?:set|write|mark)\b|"
    r"\b(?:sets?|writes?|marks?)\b[^;\n]{0,90}\b(?:of|for|in) (?:each|every|all|any)\b[^.;]{0,20}\bmodes?\b",
    re.I | re.A,
)
_EVERY_FILE = re.compile(
    r"\b(?:each|every|all|any)\b[^.;]{0,40}\b(?:modes?|files?|records?|states?|loops?)\b|모든|각 |每个|所有|すべて|各",
    re.I | re.A,
)


def spread(text: Text, modes: Modes, places: Places, own: list[Fact]) -> Iterator[Fact]:
    """Yield an action for each known mode without one of its own."""
    calls = list(_end_calls(text, modes))
    yield from calls
    done = {fact.key for fact in (*own, *calls)}
    rest = [key for key in modes.strong if key not in done]
    if not rest:
        return
    forced = force_lines(text)
    for call in read_calls(text):
        if call.line in forced or not _for_any(text, call) or places.mode_at(call.line):
            continue
        action, role = "", call.role
        if role == "clear":
            action = "clear"
        elif role == "write":
            values = " ".join(f"{name}={value}" for name, value in call.arguments)
            action = "terminalize" if TERMINAL.search(values) else "deactivate" if ACTIVE_FALSE.search(values) else ""
        if action:
            yield from (Fact("action", key, action, call.line, column=call.column) for key in rest)
            return
    if not done and not any(call.role for call in read_calls(text)):
        yield from _sentence(text, places, rest, forced)


def _for_any(text: Text, call: Call) -> bool:
    """Whether a call is for whatever mode is active: by a placeholder, or by the mere name of the argument where it is ordered."""
    if _PLACEHOLDER.match(call.get("mode")):
        return True
    if "mode" not in call.names() or call.get("mode"):
        return False
    clause = stances(text).clause_at(call.line, call.column - 1)
    return clause is not None and clause.act == "run"


def _end_calls(text: Text, modes: Modes) -> Iterator[Fact]:
    for number in text.holding("('", '("'):
        line = text.lines[number - 1]
        if len(line) > 6000:
            continue
        for match in END_CALL.finditer(line):
            if not modes.known(match[2]):
                continue
            if match[3] and re.search(r"cancell?ed|stopped|aborted|failed", match[3], re.I):
                yield Fact("action", match[2], "terminalize", number, column=match.start() + 1)
            elif _CLEARS.match(match[1]):
                yield Fact("action", match[2], "clear", number, column=match.start() + 1)


def _sentence(text: Text, places: Places, keys: list[str], forced: frozenset[int]) -> Iterator[Fact]:
    """An item or sentence about the state of whatever mode is active."""
    for number, column in removes_each(text, places):
        if number not in forced:
            yield from (Fact("action", key, "clear", number, column=column) for key in keys)
            return
    for number in text.holding("active"):
        line = text.lines[number - 1]
        if not ACTIVE_FALSE.search(line):
            continue
        plain = number >= text.body_line and number not in forced and number not in text.document.code_lines
        above = " ".join(text.lines[max(0, number - 5) : number - 1])
        if (
            plain
            and (_ITEM.match(line) or _EACH.search(line))
            and (
                _EACH.search(line)
                or _STATE_OFF.search(line)
                or _EVERY_FILE.search(above)
                or (_ITS_FILE.search(above) and not places.mode_at(number))
            )
            and (_EACH.search(line) or not places.modes_in(line))
        ):
            near = "\n".join(text.lines[max(0, number - 3) : number + 2])
            end = "terminalize" if TERMINAL.search(near) or END_TIME.search(near) else "deactivate"
            yield from (Fact("action", key, end, number) for key in keys)
            return
