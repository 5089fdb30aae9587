"""Find modes whose names no list declares: what two kinds of places name, one of which ends it or records it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from skillgen.audit.fragments import code_spans
from skillgen.audit.language import KILL
from skillgen.audit.reader.subject import is_of_things, speaks_of_ending
from skillgen.audit.reader.words import HELPERS, STEP, WAYS, names
from skillgen.model.tool_names import ends_by_name

if TYPE_CHECKING:
    from skillgen.audit.text import Text

_NAME = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*", re.A)
#: `kite cancel thermal`, `violet loop stop bloom --force`: program, at most one noun, verb, name.
_RUN = re.compile(
    r"(?:\$ )?([a-z][a-z0-9-]{1,20}) (?:(?!cancel|stop|end)[a-z]{2,12} )?(?:cancel|stop|abort|halt|end|kill) ([a-z][a-z0-9-]{1,30})(?= -|$|\s*#)",
    re.A,
)
#: `endSession('plan', …)`, `loch_end {"mode": "dive", …}`, `x_clear(mode="a")`.
_CALL = re.compile(
    r"(?<![\w.$-])([A-Za-z_][\w-]*)\s?(?:\(\s*\{?|\{)\s*(?:[\"']?(?:mode|loop|workflow|name|kind|run|session)[\"']?\s*[:=]\s*)?[\"']([a-z][\w-]*)[\"']",
    re.A,
)
#: One of these stands in every such run.
_VERBS = (" cancel ", " stop ", " abort ", " halt ", " end ", " kill ")
_ROW = re.compile(r"\b(?:mode|name|skill|loop|workflow|kind)\s*=\s*'([a-z][\w-]*)'", re.I | re.A)
_ENDING_ROW = re.compile(r"\b(?:UPDATE|DELETE)\b", re.I | re.A)
_RECORD = re.compile(
    r"\.[a-z][\w-]*/(?:[\w{}<>$*.-]+/)*([a-z][a-z0-9-]*?)(-state|\.active|-active|\.mode)?\.json\b", re.A
)
#: `[bloom|wilt|seed]` behind a command.
_CHOICE = re.compile(r"[/$@][\w:-]+ [\[<]([a-z][a-z0-9-]*(?: ?\| ?[a-z][a-z0-9-]*)+)[\]>]", re.A)
_OPENS = re.compile(r"[*`_\s]*(?:\d+[.)]\s*)?[*`_]*([A-Za-z][\w-]*)", re.A)
#: Names of such files tell of no mode.
_FILES = frozenset(
    ["config", "settings", "queue", "index", "history", "package", "plugin", "contract", "manifest", "hooks", "log"]
)


def corroborated_modes(text: Text) -> Iterator[tuple[str, int]]:
    """Yield (name, line) of each name that is ended, or has a record, and that something else of the text names as well."""
    if is_of_things(text) or not speaks_of_ending(text):
        return
    ended, chosen = dict(_ended(text)), dict(_chosen(text))
    records = _recorded(text)
    recorded = {name: line for name, (line, _) in records.items()}
    if not ended and not recorded and not chosen:
        return
    said, led = _described(text), _leads(text)
    programs = {match[1] for _, _, content in code_spans(text) if (match := _RUN.match(content))}
    weak: list[tuple[str, int]] = []
    for name, line in {**chosen, **recorded, **ended}.items():
        kinds = sum(name in kind for kind in (ended, recorded, chosen, said, led))
        if kinds < 2 or name in HELPERS or name in WAYS or name in _FILES or name in programs:
            continue
        # `leases.json` beside a word of the description, or among the leads of a list, is any file.
        if kinds > 2 or name not in recorded or name in ended or name in chosen or records[name][1]:
            yield name, line
        elif name in said:
            weak.append((name, line))
    # Only a record that the text removes or switches off is a mode's.
    gone = "\n".join(line for line in text.lines if KILL.search(line) or "false" in line) if weak else ""
    if len(weak) > 1 and any(f"{name}.json" in gone for name, _ in weak):
        yield from weak


def _ended(text: Text) -> Iterator[tuple[str, int]]:
    for number in text.holding("('", '("', "='", '="', "= '", '": "', '":"', '"mode"'):
        line = text.lines[number - 1]
        if number >= text.body_line and len(line) <= 4000:
            for match in _CALL.finditer(line):
                if ends_by_name(match[1]):
                    yield match[2], number
    for number in text.holding(*_VERBS):
        if number in text.document.code_lines and (run := _RUN.match(text.lines[number - 1][:400].strip())):
            yield run[2], number
    for number, _, content in code_spans(text):
        if run := _RUN.match(content):
            yield run[2], number
    for number in text.holding("UPDATE", "update", "DELETE", "delete"):
        line = text.lines[number - 1]
        if _ENDING_ROW.search(line) and len(line) < 4000:
            yield from ((match[1], number) for match in _ROW.finditer(line))


def _recorded(text: Text) -> dict[str, tuple[int, bool]]:
    """Return by stem the line of a record, and whether its name says that it holds a state."""
    found: dict[str, tuple[int, bool]] = {}
    for number in text.holding(".json"):
        line = text.lines[number - 1]
        for match in _RECORD.finditer(line) if number >= text.body_line and len(line) < 4000 else ():
            known = found.get(match[1], (number, False))
            found[match[1]] = (known[0], known[1] or bool(match[2]))
    return found


def _chosen(text: Text) -> Iterator[tuple[str, int]]:
    for number in text.holding("|"):
        line = text.lines[number - 1]
        for match in _CHOICE.finditer(line) if len(line) < 4000 else ():
            yield from ((part.strip(), number) for part in match[1].split("|"))


def _described(text: Text) -> set[str]:
    said = text.front.string("description")
    return {word.lower() for word in _NAME.findall(said.lower())}


def _leads(text: Text) -> set[str]:
    """Return the names that open items, rows, headings and bold leads."""
    places = [item.text for item in text.document.items]
    places += [cell for table in text.document.tables for row in table.rows for cell in row.cells[:2]]
    places += [heading.text for heading in text.document.headings]
    places += [text.lines[number - 1] for number in text.holding("**") if text.lines[number - 1].startswith("**")]
    found = set()
    for words in places:
        opening = _OPENS.match(words[:80])
        if opening and not STEP.match(opening[1]):
            found.add(opening[1].lower())
        # A path of the same item is the record once more, and no second place that names the mode.
        found.update(names(" ".join(word for word in words[:300].split() if ".json" not in word)))
    return found
