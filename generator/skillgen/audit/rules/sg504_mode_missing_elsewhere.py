"""Mode of the cancel order missing elsewhere.

What it checks: every mode of the cancel order also stands in each of these places that the text has: messages, the
table of what is kept, the overview, the list in the description, the handlers (when the text has them for most modes),
the list of what was looked for, and the list of records that only force removes.

Why it matters: an agent that finds the mode active reads the place that it needs and finds nothing: it invents the
message, or leaves the mode running.

How to fix it: add the mode there, or take it out of the order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.reader.mode_rows import bracket_list
from skillgen.audit.reader.reading import reading
from skillgen.audit.reader.words import KNOWN_MODES, lead, names
from skillgen.audit.text import Text

CODE = "SG504"
TITLE = "mode of the cancel order missing elsewhere"
SEVERITY = Severity.WARNING
SCOPE = Scope.TEXT
CANCEL_ONLY = True

_RETIRED = re.compile(r"\blegacy\b|\bretired\b|旧|遗留|레거시|レガシー", re.I | re.A)
#: A section for all that has no section of its own.
_OTHERS = re.compile(
    r"\bothers?\b|\brest\b|\bremaining\b|\bstandalone modes\b|\bsimple\b|其他|其余|기타|나머지|その他|残り", re.I | re.A
)
_ACTIVE = re.compile(r"\bif\b|\bactive\b|活|활성|アクティブ", re.I)
_ECHOED = re.compile(r"\s*[-*•]\s*([A-Za-z][\w -]*?)\s*[(（]")
#: The same mode under its state's name and under its title.
_SAME = {"ralplan": "plan-consensus", "blueprint": "plan-consensus"}


def check(subject: Text) -> Iterator[Hit]:
    facts = subject.facts
    order = {_canonical_key(fact.key) for fact in facts.of("order")}
    if len(order) < 3:
        return
    for place, line, found in _places(subject):
        missing = sorted(order - found)
        if missing and len(found & order) >= 2:
            yield Hit(
                line,
                f"{place} without {', '.join(missing)}, which the cancel order has",
                "add what is missing, or take it out of the order",
                1,
            )


def _canonical_key(key: str) -> str:
    return _SAME.get(key, key)


def _places(subject: Text) -> Iterator[tuple[str, int, set[str]]]:
    facts = subject.facts
    for kind, place in (("message", "the messages"), ("keeps", "the table of what is kept")):
        rows = [fact for fact in facts.of(kind) if fact.key not in ("force", "none")]
        tables = [fact for fact in rows if "|" in subject.lines[fact.line - 1] or "\t" in subject.lines[fact.line - 1]]
        if len(tables) >= 2 and not _has_row_for_others(subject, tables[0].line):
            named = {_canonical_key(fact.key) for fact in (rows if kind == "message" else tables)}
            # a row may name several modes
            for number in {fact.line for fact in tables}:
                cell = subject.lines[number - 1].strip("| ").partition("|")[0].partition("\t")[0]
                named.update(map(_canonical_key, names(cell)))
            yield place, tables[0].line, named
    key = subject.front.get("description")
    if key and isinstance(key.value, str):
        listed = {_canonical_key(KNOWN_MODES.get(name, name)) for name in bracket_list(key.value)}
        if listed:
            retired = _RETIRED.search(key.value)
            listed |= {
                _canonical_key(f.key) for f in facts.of("order") if retired and _is_retired(subject.lines[f.line - 1])
            }
            yield "the description", key.line, listed
    yield from _overview(subject)
    yield from _handlers(subject)
    yield from _looked_for(subject)
    yield from _removed(subject)


def _has_row_for_others(subject: Text, line: int) -> bool:
    """Whether a row of the table around a line speaks for all modes that have no row: `Others | No`."""
    table = next((one for one in subject.document.tables if any(row.line == line for row in one.rows)), None)
    return table is not None and any(_OTHERS.search(row.cells[0]) for row in table.rows if row.cells)


def _is_retired(item: str) -> bool:
    """Whether an item of the order calls its mode retired, before its name or in a bracket right behind it."""
    words = re.sub(r"^\s*(?:\d+[.)]|[-*+])\s+", "", item)
    bracket = re.match(r"[^(（]{1,40}[(（]([^)）]{1,30})[)）]", words)
    return bool(_RETIRED.search(lead(words)) or (bracket and _RETIRED.search(bracket[1])))


def _removed(subject: Text) -> Iterator[tuple[str, int, set[str]]]:
    """The list of records that only the widest scope removes, where it has most modes of the order."""
    paths: dict[int, list[str]] = {}
    for fact in subject.facts.of("artifact"):
        paths.setdefault(fact.line, []).append(fact.value)
    lists: dict[int, list[int]] = {}
    for item in subject.document.items:
        if item.line in paths:
            lists.setdefault(item.list_id, []).append(item.line)
    if not lists:
        return
    rows = max(lists.values(), key=len)
    # What a sentence beside the list removes counts too.
    values = [value.lower() for group in paths.values() for value in group]
    pieces = {piece for value in values for piece in value.replace(".", "/").split("/") if piece}
    order = {fact.key for fact in subject.facts.of("order")}
    # `a-b-c` may be the mode a, a-b or a-b-c.
    found = order & {head for piece in pieces for head in accumulate(piece.split("-"), "{}-{}".format)}
    starts = "".join(f"/{piece}" for piece in pieces)
    for same, one in _SAME.items():
        if f"/{same}" in starts or f"/{one}" in starts:
            found |= order & {same, one}
    found |= {key for key in order if key.endswith("-teams")}  # their sessions are no records
    if len(found) >= len(order) * 0.6:
        yield "the list of records that only force removes", rows[0], {_canonical_key(key) for key in found}


def _overview(subject: Text) -> Iterator[tuple[str, int, set[str]]]:
    """The bullet list with most modes, one an item."""
    ranked = {fact.line for fact in subject.facts.of("order")}
    lists: dict[int, list[tuple[int, str]]] = {}
    for item in subject.document.items:
        if not item.number and item.depth == 0 and item.line not in ranked:
            lists.setdefault(item.list_id, []).append((item.line, item.text))
    modes = set(subject.facts.modes())
    for rows in lists.values():
        found = {key for _, text in rows for key in names(text) if key in modes}
        if len(found) < 4 or len(found) < len(rows) * 0.6:
            continue
        bold = any(text.lstrip().startswith(("**", "`")) for _, text in rows)
        paths = any(text.lstrip().startswith(("`.", "`~", ".", "~")) for _, text in rows)
        if not paths and (bold or "•" in subject.lines[rows[0][0] - 1]):
            yield "the overview", rows[0][0], {_canonical_key(key) for key in found}
            return


def _handlers(subject: Text) -> Iterator[tuple[str, int, set[str]]]:
    """Headings or bold leads that are about one mode each, with what stands below them."""
    _, places = reading(subject)
    handlers = [(line, mode) for line, _, mode in places.handlers() if mode]
    if len({mode for _, mode in handlers}) < 3:
        return
    handled = {_canonical_key(mode) for _, mode in handlers}
    # `If Ralph / Ultrawork Active` is about both.
    handled |= {_canonical_key(mode) for line, _ in handlers for mode in places.modes_in(subject.lines[line - 1])}
    order_lines = {fact.line for fact in subject.facts.of("order")}
    for start, end in places.sections():
        if _OTHERS.search(subject.lines[start - 1]):
            handled |= {_canonical_key(mode) for row in subject.lines[start - 1 : end] for mode in places.modes_in(row)}
    for fact in subject.facts.of("action"):
        if fact.line not in order_lines:
            handled.add(_canonical_key(fact.key))
    first = next((line for line, _ in handlers if _ACTIVE.search(subject.lines[line - 1])), handlers[0][0])
    yield "the handlers", first, handled


def _looked_for(subject: Text) -> Iterator[tuple[str, int, set[str]]]:
    """A run of echoed lines that each name a mode and its path."""
    found: dict[str, int] = {}
    for command in subject.commands:
        if command.name == "echo" and command.words and (match := _ECHOED.match(command.words[0].value)):
            for key in names(match[1]):
                found.setdefault(key, command.line)
    if len(found) >= 2:
        yield "the list of what was looked for", min(found.values()), {_canonical_key(key) for key in found}
