"""Read links between modes: by state field, in shell, dotted or prose, and by the words of the order list."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from skillgen.model.facts import Fact

if TYPE_CHECKING:
    from skillgen.audit.reader.modes import Modes
    from skillgen.audit.reader.place import Places
    from skillgen.audit.text import Text

_FIELD = re.compile(r"(?:\b([a-z][\w-]*)\.)?\b(linked_(to_)?([a-z][a-z0-9_]*?))(?![a-z0-9_])")
_MODE_ARGUMENT = re.compile(r"\bmode[\"']?\s*[=:]\s*[\"']([\w-]+)[\"']")
_LINKED_WORD = re.compile(
    r"\blink(?:ed|s)?\b|\bincludes?\b|\bincluding\b|\bcleans\b|关联|链接|連動|連携|リンク|연결|연동|包含|包括|포함|含む",
    re.I,
)


def read_links(text: Text, modes: Modes, places: Places) -> Iterator[Fact]:
    """Yield each link; what only prose says is left out where a field says it too."""
    found = list(_links(text, modes, places))
    fields = {(fact.key, fact.value) for fact in found if fact.detail}
    yield from (fact for fact in found if fact.detail or (fact.key, fact.value) not in fields)


def _links(text: Text, modes: Modes, places: Places) -> Iterator[Fact]:
    files = _state_variables(text)
    for number, line in enumerate(text.lines, 1):
        if "linked_" not in line or len(line) > 6000:
            continue
        for match in _FIELD.finditer(line):
            target = match[4].replace("_", "-")
            if not modes.known(target):
                continue
            holder = match[1] if match[1] and modes.known(match[1]) else ""
            holder = holder or _holder(text, line, match.start(), number, files, places, modes)
            if not holder or holder == target:
                continue
            owner, dependant = (target, holder) if match[3] else (holder, target)
            yield Fact("link", owner, dependant, number, match[2])
    for item in modes.order_items:
        keys = [key for key in modes.ranks if modes.ranks[key][1] == item.line]
        bracket = re.search(r"[(（](.*)[)）]", item.text, re.S)
        if len(keys) == 1 and bracket and _LINKED_WORD.search(bracket[1]):
            for other in places.modes_in(bracket[1]):
                if other != keys[0] and not re.search(
                    r"linked to\s*$|与|に", bracket[1][: bracket[1].lower().find(other[:5])][-12:]
                ):
                    yield Fact("link", keys[0], other, item.line)


def _state_variables(text: Text) -> dict[str, str]:
    """Return shell variable -> mode, where a block fills it from that mode's state file."""
    found: dict[str, str] = {}
    for fragment in text.fragments:
        for match in re.finditer(r"\b([A-Za-z_]\w*)=[^\n]*?([a-z][a-z0-9-]*)-state\.json", fragment.text):
            found[match[1]] = match[2]
    return found


def _holder(text: Text, line: str, at: int, number: int, files: dict[str, str], places: Places, modes: Modes) -> str:
    """Return the mode whose record holds the field at this place."""
    if variable := re.search(r"\$\{?(\w+)\}?", line[:at]):
        for name in re.findall(r"\$\{?(\w+)\}?", line[:at]):
            if name in files:
                return files[name]
        del variable
    if (match := re.search(r"([a-z][a-z0-9-]*)-state\.json", line)) and modes.known(match[1]):
        return match[1]
    # The state read in the same item, or in the line that opens it.
    for back in range(number, max(number - 3, 0), -1):
        row = text.lines[back - 1] if back != number else line[:at]
        reads = [match[1] for match in re.finditer(r"state_read\([^)]*?mode[\"']?\s*[=:]\s*[\"']([\w-]+)", row)]
        if reads:
            return reads[-1]
        named = places.modes_in(row[-80:] if back == number else row) if back == number else []
        if named:
            return named[-1]
    return places.mode_at(number)
