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

_FIELD = re.compile(r"(?:\b([a-z][\w-]*)\.)?\b(linked_(to_)?([a-z][a-z0-9_]*?))(?![a-z0-9_])", re.A)
_STATE_FILE = re.compile(r"([a-z][a-z0-9-]*)-state\.json", re.A)
_READ = re.compile(r"state_read\([^)]*?mode[\"']?\s*[=:]\s*[\"']([\w-]+)", re.A)
#: Words that open what an item takes along; "linked to x" and "linked, it ends with x" say the reverse.
_TAKES_ALONG = re.compile(
    r"\b(?:includ\w+|clean(?:s|ing)?(?: up)?|clears|stops|cancels|takes)\b(?!\s+with)|\blinked\s+(?!to\b|with\b|by\b)(?=[\w`*])|"
    r"关联的?|联动|連動|連携|リンク(?:された|した|中の)?|연결된|연동된|包含|包括|포함|含む",
    re.I | re.A,
)


#: `linked <mode>`, and what is said in the same clause; the verb before it takes the linked mode along.
_LINKED_MODE = re.compile(
    r"\b(?:cancel|stop|clear|clean|end|terminate|shut|deactivat|remov)\w*(?:\s+up)?\s+(?:the\s+|its\s+|any\s+)*linked[ \t]+(?!to\b|with\b|by\b)([^\n.;,]{3,60})|"
    r"(?:关联的?|联动的?|연결된|연동된|連動する|リンクされた)\s*([^\n.;,，。、]{3,40})",
    re.I | re.A,
)
_CASCADE = re.compile(
    r"\b(?:cancell?ing|stopping)\s+([\w`*-]{3,30})\s+(?:also\s+)?(?:cancels|stops|ends)\s+((?:its\s+|the\s+)?[\w`*-]{3,30})",
    re.I | re.A,
)
_CLAUSE = re.compile(r"\b(?:if|when|unless|first|before|after|but|then|without)\b|[(（:：]", re.I | re.A)
_NOT_LINKED = re.compile(r"\b(?:not|never|don't|without|unless)\b[^.;,]{0,30}$|不要[^，。]{0,20}$", re.I | re.A)


def read_links(text: Text, modes: Modes, places: Places) -> Iterator[Fact]:
    """Yield each link; what only prose says is left out where a field says it too."""
    found = [
        *_by_field(text, modes, places),
        *_by_order(modes, places),
        *_by_words(text, modes, places),
        *_by_cascade(text, places),
    ]
    fields = {(fact.key, fact.value) for fact in found if fact.detail}
    fields |= {(value, key) for key, value in fields}  # one link, seen from its other end
    yield from (fact for fact in found if fact.detail or (fact.key, fact.value) not in fields)


def _by_field(text: Text, modes: Modes, places: Places) -> Iterator[Fact]:
    numbers = text.holding("linked_")
    files = _state_variables(text) if numbers else {}
    for number in numbers:
        line = text.lines[number - 1]
        if len(line) > 6000:
            continue
        for match in _FIELD.finditer(line):
            target = match[4].replace("_", "-")
            if not modes.known(target):
                continue
            holder = match[1] if match[1] and modes.known(match[1]) else ""
            holder = holder or _holder(text, line, match, number, files, places, modes)
            if not holder or holder == target:
                continue
            owner, dependant = (target, holder) if match[3] else (holder, target)
            yield Fact("link", owner, dependant, number, match[2])


def _by_order(modes: Modes, places: Places) -> Iterator[Fact]:
    for item in modes.order_items:
        keys = [key for key in modes.ranks if modes.ranks[key][1] == item.line]
        bracket = re.search(r"[(（](.*)[)）]", item.text, re.S)
        if len(keys) == 1 and bracket and _TAKES_ALONG.search(bracket[1]):
            for other in places.modes_in(bracket[1]):
                if other != keys[0]:
                    yield Fact("link", keys[0], other, item.line)


def _by_words(text: Text, modes: Modes, places: Places) -> Iterator[Fact]:
    """`Cancel linked x` in an item or section that is about one mode."""
    near = text.holding("inked ", "关联", "联动", "연결된", "연동된", "連動", "リンクされ")
    numbers = [
        number for number in near if len(text.lines[number - 1]) <= 3000 and _LINKED_MODE.search(text.lines[number - 1])
    ]
    items = {item.line: item.text for item in text.document.items} if numbers else {}
    leads = {n: keys[0] for n in numbers if n in items and len(keys := modes.keys(items[n])) == 1}
    for number in numbers:
        line = text.lines[number - 1]
        if number < text.body_line or number in text.document.code_lines:
            continue
        owner = leads.get(number) or places.mode_at(number)
        for match in _LINKED_MODE.finditer(line) if owner else ():
            if _NOT_LINKED.search(line[: match.start()]):
                continue
            for other in places.modes_in(_CLAUSE.split(match[1] or match[2], maxsplit=1)[0]):
                if other != owner:
                    yield Fact("link", owner, other, number)


def _by_cascade(text: Text, places: Places) -> Iterator[Fact]:
    """`Cancelling x also cancels y`."""
    for number in text.holding("ancelling ", "ancelation of ", "topping ", "anceling "):
        line = text.lines[number - 1]
        for match in _CASCADE.finditer(line) if number >= text.body_line and len(line) <= 3000 else ():
            owners, others = places.modes_in(match[1]), places.modes_in(match[2])
            if len(owners) == 1:
                yield from (Fact("link", owners[0], other, number) for other in others if other != owners[0])


def _state_variables(text: Text) -> dict[str, str]:
    """Return shell variable -> mode, where a block fills it from that mode's state file."""
    found: dict[str, str] = {}
    for fragment in text.fragments:
        for match in re.finditer(r"\b([A-Za-z_]\w*)=[^\n]*?([a-z][a-z0-9-]*)-state\.json", fragment.text):
            found[match[1]] = match[2]
    return found


def _holder(
    text: Text,
    line: str,
    match: re.Match[str],
    number: int,
    files: dict[str, str],
    places: Places,
    modes: Modes,
) -> str:
    """Return the mode whose record holds the field at this place."""
    before, target = line[: match.start()], match[4].replace("_", "-")
    for name in re.findall(r"\$\{?(\w+)\}?", before):
        if name in files:
            return files[name]
    state = _STATE_FILE.search(line)
    if state and modes.known(state[1]):
        return state[1]
    reads = _READ.findall(before)
    if reads:
        return str(reads[-1])
    # In a sentence about both, `linked_to_x` is the other's field: the dependant is named before it.
    named = [key for key in places.modes_in(before[-90:]) if key != target]
    inside = places.item_at(number)
    if inside and inside != target and not match[3]:
        return inside
    if named:
        return named[-1]
    if inside and match[3]:
        partners = [key for key in places.modes_in(before) if key != target]
        return partners[-1] if partners else ""
    for back in range(number - 1, max(number - 3, 0), -1):
        reads = _READ.findall(text.lines[back - 1])
        if reads:
            return str(reads[-1])
    return places.mode_at(number)
