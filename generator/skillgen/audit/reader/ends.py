"""Read end states that a text spells out: JSON objects, lists of fields and sentences with `active: false`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from skillgen.audit.reader.ordering import stances
from skillgen.model.facts import Fact

if TYPE_CHECKING:
    from skillgen.audit.reader.modes import Modes
    from skillgen.audit.reader.place import Places
    from skillgen.audit.text import Text

_TO = r"(?:[=:]+|(?:(?:turns?|goes|flips?|set|changes?) )?to|becomes?|turns?|设为|设置为|置为|改为|를|을|を)"
ACTIVE_FALSE = re.compile(rf"[`\"'.]?\bactive[`\"']*\s*{_TO}\s*[`\"']*false", re.I | re.A)
#: A phase or status that ends a run.
TERMINAL = re.compile(
    r"\b(?:current_?phase|phase|status|state)[`\"'\\]*\s*(?:[=:]+|(?:turns? |goes |changes? )?to|becomes?|设为|设置为|置为|改为|를|을|を)\s*[`\"'\\]*(?:cancell?ed|failed|stopped|aborted|"
    r"terminated|killed|done|complete[d]?)\b",
    re.I | re.A,
)
_PHASE_OF_FAMILY = re.compile(r"current_phase[`\"']*\s*[=:]+\s*[`\"']*(?:cancelled|canceled)", re.I | re.A)
END_TIME = re.compile(r"\b(?:cancell?ed|ended|end|stopped|completed|finished|failed)(?:_?at|At|_time)\b", re.A)
_OWNER = re.compile(r"[\"'](?:mode|skill|workflow)[\"']\s*:\s*[\"']([a-z][\w-]*)[\"']", re.A)
_ORDERS = re.compile(
    r"\b(?:set|sets|setting|mark|marks|write|writes|update|updates|flip|flips|put|puts|clears?|turns?|becomes?|store|record|patch)\b|\bcalls?\s+`[\w.]*(?:write|set|update)\w*`|"
    r"설정|초기화|기록|변경|바꾸|바꾼|바꿔|바꿉|업데이트|갱신|设为|设置|置为|写入|写成|写为|更新|标记|改为|設定|にする|にし|書き|記録|マーク|変更",
    re.I | re.A,
)
_CONDITION = re.compile(
    r"(?:\b(?:if|when|whether|unless|until|while|where|with|confirm|verify|check|expect|ensure|already|has|have|is|are|shows?|says?)\b"
    r"[^,;，；]*|(?:若|如果|当|确认|检查|是否)[^，；,;]*)$",
    re.I | re.A,
)
_CONDITION_AFTER = re.compile(r"^[`\"'\s]*(?:인 경우|이면|인지|の場合|なら|かどうか|时|的话|means\b|already\b)", re.A)
_EVERY = re.compile(
    r"\b(?:each|every|all|any|both)\b[^.;]{0,30}\b(?:modes?|records?|files?|states?)\b|모든|각 |每个|所有|すべて|各",
    re.I | re.A,
)
_SET_TERMINAL = re.compile(
    r"\b(?:set|sets|mark|marks|gets?|write|writes|update|updates|put|puts|record|records)\b[^.;|]{0,40}?"
    + TERMINAL.pattern,
    re.I | re.A,
)
_MARKS = ("mark", "标记", "標記")
_CLAUSES = re.compile("[;；。]")
_ACTIVE_TRUE = re.compile(r"[\"']active[\"']\s*:\s*true", re.A)
#: A longer object is no end state but a sample of something else.
_OBJECT = 2000


def read_ends(text: Text, modes: Modes, places: Places) -> Iterator[Fact]:
    """Yield the action of each mode whose end state stands in the text outside a call or a command."""
    code = text.document.code_lines
    shell = {
        n for f in text.document.fences if f.lang in ("bash", "sh", "shell", "zsh") for n in range(f.line, f.end + 1)
    }
    rows = {row.line for table in text.document.tables for row in table.rows}
    for number in text.holding("active", "Active"):
        line = text.lines[number - 1]
        if "alse" not in line:
            continue
        if number < text.body_line or number in shell or len(line) > 6000:
            continue
        for match in ACTIVE_FALSE.finditer(line):
            unit, lead, first = _unit(text, number, match, number in code, number in rows)
            if not unit or "state_write(" in lead or "state_set(" in lead:
                continue
            mode = _mode(text, modes, places, unit, lead, first)
            if mode:
                terminal = marks_ended(text, number) or TERMINAL.search(unit) or END_TIME.search(unit)
                yield Fact(
                    "action", mode, "terminalize" if terminal else "deactivate", number, column=match.start() + 1
                )
    yield from _ended(text, modes, places, rows)
    yield from _demanded(text, places)


def _unit(text: Text, number: int, match: re.Match[str], in_code: bool, in_row: bool) -> tuple[str, str, int]:
    """Return what states the end, the words before it and its first line; '' where nothing is ordered."""
    at = text.starts[number - 1] + match.start()
    whole = text.source.text
    start = whole.rfind("{", max(0, at - _OBJECT), at)
    end = whole.find("}", at, at + _OBJECT)
    if start >= 0 and end > at and "}" not in whole[start:at] and "\n\n" not in whole[start:at]:
        lead = whole[whole.rfind("\n", 0, start) + 1 : start]
        if _conditional(lead) or (in_code and _is_sample(text, number)):
            return "", "", 0
        return whole[start : end + 1], lead, text.line_at(start)
    if in_code:
        return "", "", 0
    line = text.lines[number - 1]
    before, after = line[: match.start()], line[match.end() :]
    if _conditional(before) or _CONDITION_AFTER.match(after):
        return "", "", 0
    if not in_row and not _ORDERS.search(line):
        return "", "", 0
    if len(ACTIVE_FALSE.findall(line)) > 1:
        # One clause a mode: `a: active=false, phase=…; b: active=false`.
        return _CLAUSES.split(before)[-1] + match[0] + _CLAUSES.split(after)[0], before, number
    return "\n".join(_siblings(text, number)), before, number


def _is_sample(text: Text, number: int) -> bool:
    """Whether a block shows several records of which one is active: how state looks, not how it ends."""
    block = next((fence.text for fence in text.document.fences if fence.line <= number <= fence.end), "")
    return bool(_ACTIVE_TRUE.search(block))


def _conditional(lead: str) -> bool:
    clause = re.split(r"[;；。.]\s|[—–]\s", lead)[-1]
    found = _CONDITION.search(clause)
    return found is not None and not _ORDERS.search(found[0])


def _siblings(text: Text, number: int) -> list[str]:
    """Return a line, and where it is a list item, its neighbours in the list."""
    row = text.lines[number - 1]
    indent = len(row) - len(row.lstrip())
    if row.lstrip()[:2] not in ("- ", "* ", "+ "):
        return [row]
    first = last = number
    while first > 1 and _is_sibling(text.lines[first - 2], indent) and number - first < 6:
        first -= 1
    while last < len(text.lines) and _is_sibling(text.lines[last], indent) and last - number < 6:
        last += 1
    if any(ACTIVE_FALSE.search(text.lines[n - 1]) for n in range(first, last + 1) if n != number):
        return [row]
    return text.lines[first - 1 : last]


def _is_sibling(row: str, indent: int) -> bool:
    return row.lstrip()[:2] in ("- ", "* ", "+ ") and len(row) - len(row.lstrip()) == indent


def _mode(text: Text, modes: Modes, places: Places, unit: str, lead: str, first: int) -> str:
    """Return the mode that an end state is for: by its own field, its line, its section, else the only one of the text."""
    if (owner := _OWNER.search(unit)) and modes.known(owner[1]):
        return owner[1]
    if _EVERY.search(text.lines[first - 1]):
        return ""
    named = places.modes_in(lead)
    if named:
        return named[-1]
    if mode := places.mode_at(first):
        return mode
    return next(iter(modes.strong)) if len(modes.strong) == 1 else ""


def _ended(text: Text, modes: Modes, places: Places, rows: set[int]) -> Iterator[Fact]:
    """A terminal status that a row or a sentence about one mode sets, without a word of `active`."""
    for number in text.holding("ancelled", "anceled", "topped", "borted", "标记", "標記"):
        line = text.lines[number - 1]
        if number < text.body_line or number in text.document.code_lines or len(line) > 3000:
            continue
        if marks_ended(text, number):
            keys = modes.keys(line.strip(" |-*+").split("|")[0]) or [places.mode_at(number)]
            yield from (Fact("action", key, "terminalize", number, column=1) for key in keys if key)
            continue
        match = None if "alse" in line else _SET_TERMINAL.search(line)
        if not match or _conditional(line[: match.start()]):
            continue
        if _EVERY.search(line):
            continue
        keys = modes.keys(line.strip(" |").split("|")[0]) if number in rows else places.modes_in(line[: match.start()])
        mode = keys[-1] if keys else "" if number in rows else places.mode_at(number)
        if mode:
            yield Fact("action", mode, "terminalize", number, column=match.start() + 1)


def marks_ended(text: Text, number: int) -> bool:
    """Whether a clause of a line marks something as ended: `marks the session cancelled`."""
    for block, clause in stances(text).clauses({number}):
        if block.place(clause.span[0])[0] <= number <= block.place(clause.span[1] - 1)[0]:
            marks = [t for t in clause.tokens if t.kind == "act" and block.folded.startswith(_MARKS, t.start)]
            ended = [t for t in clause.tokens if t.kind == "act" and t.value in ("end", "stop") and t.form != "ing"]
            if marks and any(token.start > marks[0].end for token in ended):
                return True
    return False


def _demanded(text: Text, places: Places) -> Iterator[Fact]:
    """A section about one mode that demands a terminal phase and active=false of its state, in prose."""
    for number in text.holding("current_phase"):
        line = text.lines[number - 1]
        match = _PHASE_OF_FAMILY.search(line)
        if number < text.body_line or not match or "state_write" in line:
            continue
        near = " ".join(text.lines[max(0, number - 4) : number + 3])
        if number in text.document.code_lines and "jq" in near:
            continue
        if ACTIVE_FALSE.search(near):
            mode = places.mode_at(number)
            rows = (line, *reversed(text.lines[max(0, number - 5) : number - 1]))
            keys = [mode] if mode else next((found for row in rows if (found := places.modes_in(row))), [])
            yield from (Fact("action", key, "terminalize", number, column=match.start() + 1) for key in keys)
