"""Read removals that clauses order or forbid: `delete its state file`, `remove .x/state/y.json`, `clears mode state`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from skillgen.audit.reader.ordering import stances
from skillgen.audit.reader.records import record_stem
from skillgen.audit.reader.words import name_cell
from skillgen.model.facts import Fact

if TYPE_CHECKING:
    from skillgen.audit.reader.modes import Modes
    from skillgen.audit.reader.place import Places
    from skillgen.audit.text import Text
    from skillgen.reader.blocks import Block
    from skillgen.reader.clauses import Clause
    from skillgen.reader.tokens import Token

#: One of these stands in each line that speaks of removing.
_PIECES = (
    *("elet", "emov", "rase", "lear", "nlink", "ipe", "iscard", "estroy", "lean", "urge", "rop", "rune"),
    *("删", "除", "清", "抹", "毁", "丢弃", "삭제", "제거", "지우", "지웁", "지워", "정리", "초기화", "없애", "폐기"),
    *("削", "消", "クリア", "片付", "破棄", "除去"),
)
_SPANS = re.compile(r"`[^`\n]+`|[.~][\w-]*/[\w./-]+", re.A)
#: `.x/state/<mode>-state.json`
_PLACEHOLDER = re.compile(r"[<{$]\{?\w*(?:mode|loop|workflow)\w*[>}]?[\w.-]*\.(?:json|md|marker|state)\b", re.I | re.A)
#: What follows a word for records and says whose they are.
_WHOSE = frozenset({"of", "from", "for"})


def read_removals(text: Text, modes: Modes, places: Places) -> Iterator[Fact]:
    """Yield a clear for each mode whose record a clause speaks of removing, whatever the stance."""
    numbers = {
        number for number in text.holding(*_PIECES) if number >= text.body_line and len(text.lines[number - 1]) < 2000
    }
    if not numbers:
        return
    about = _About(text, modes, places)
    for block, clause in stances(text).clauses(numbers):
        acts = [t for t in clause.tokens if t.kind == "act" and t.value == "remove" and t.start not in clause.aside]
        # What happens when every session is selected, or by force, is no mode's own end.
        if not acts or clause.doubt == "other" or clause.scope in ("all", "force"):
            continue
        for mode, token in _removed(block, clause, acts, modes, places, about):
            line, column = block.place(token.start)
            yield Fact("action", mode, "clear", line, column=column + 1)


class _About:
    """Which modes a block is about: its item's or row's own, else those of its section."""

    def __init__(self, text: Text, modes: Modes, places: Places) -> None:
        self.modes, self.places = modes, places
        self._rows = {row.line: row.cells for table in text.document.tables for row in table.rows}
        self._items = {item.line: item.text for item in text.document.items}

    def __call__(self, block: Block, line: int) -> list[str]:
        if block.kind == "cell":
            return self.modes.keys(name_cell(self._rows.get(line, ("",))))
        lead = self._items.get(block.line, "")
        if keys := self.modes.keys(lead) if lead else []:
            return keys
        mode = self.places.mode_at(line)
        return [mode] if mode else []


def _removed(
    block: Block, clause: Clause, acts: list[Token], modes: Modes, places: Places, about: _About
) -> Iterator[tuple[str, Token]]:
    paths = [token for token in clause.objects if token.value in ("path", "span") and token.start not in clause.aside]
    found = [(mode, token) for token in paths if (mode := _owner(block.text[token.start : token.end], modes))]
    if found:
        yield from found
        return
    if not paths and (mode := _meant(block, clause, acts[0], modes)):
        yield mode, acts[0]
        return
    records = [token for token in clause.tokens if token.kind == "record" and token.start not in clause.aside]
    noun = next(
        (token for token in records if token.start > acts[0].start or token.last or token.start < acts[0].start), None
    )
    if noun is None or clause.scope == "others" or any(_is_path(block.text[t.start : t.end]) for t in paths):
        return
    start, end = clause.span
    named = places.modes_in(block.text[start:end])
    behind = next((t for t in clause.tokens if t.start >= noun.end), None)
    whose = behind is not None and block.folded[behind.start : behind.end] in _WHOSE
    if named or not whose:
        line = block.place(acts[0].start)[0]
        yield from ((mode, acts[0]) for mode in named or about(block, line))


def _meant(block: Block, clause: Clause, act: Token, modes: Modes) -> str:
    """Return the mode whose record was named before a deed that is done to `it`: in its block, else in what leads to it."""
    if not any(
        token.kind == "back" and token.value != "relative" and token.start > act.start for token in clause.tokens
    ):
        return ""
    for near, end in ((block, act.start), *((lead, len(lead.text)) for lead in reversed(block.leads))):
        named = [mode for span in _SPANS.finditer(near.text, 0, end) if (mode := _owner(span[0], modes))]
        if named:
            return named[-1]
    return ""


def removes_each(text: Text, places: Places) -> Iterator[tuple[int, int]]:
    """Yield the places (column from 1) that speak of removing the record of whatever mode is ended, and of none by name."""
    numbers = {number for number in text.holding(*_PIECES) if number >= text.body_line}
    items = {item.line for item in text.document.items}
    read = stances(text)
    for block in read.blocks_of(numbers) if numbers else ():
        # An item, or a row, that names modes speaks for these alone.
        whole = block.line in items or block.kind == "cell"
        if block.kind in ("code", "html") or (whole and places.modes_in(text.lines[block.line - 1])):
            continue
        for sentence in read.sentences(block):
            said = block.text[sentence[0].span[0] : sentence[-1].span[1]]
            act = next((act for clause in sentence if (act := _each(block, clause))), None)
            if act and not places.modes_in(said) and not places.mode_at(block.place(act.start)[0]):
                line, column = block.place(act.start)
                yield line, column + 1


def _each(block: Block, clause: Clause) -> Token | None:
    """Return the act by which a clause removes the record of a mode that it does not name: `to stop a mode delete its marker`."""
    act = next(
        (t for t in clause.tokens if t.kind == "act" and t.value == "remove" and t.start not in clause.aside), None
    )
    if act is None or clause.doubt == "other" or clause.scope in ("all", "force", "others"):
        return None
    path = any(_PLACEHOLDER.search(block.text[t.start : t.end]) for t in clause.objects)
    record = any(token.kind == "record" for token in clause.tokens)
    return act if path or (record and any(token.value == "modes" for token in clause.tokens)) else None


def _is_path(words: str) -> bool:
    return "/" in words or "." in words


def _owner(words: str, modes: Modes) -> str:
    """Return the mode whose record a path is; a name without `-state` only for a file in a directory."""
    path = words.strip("`\"' ")
    if " " in path:
        return ""
    stem, plain = record_stem(path)
    return modes.owner(stem) if stem and (plain or "/" in path) else ""
