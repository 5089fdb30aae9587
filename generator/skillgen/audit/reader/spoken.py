"""Read messages from clauses: sentences in quotation or code marks that a clause says, or that stand in what is about a mode."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from skillgen.audit.reader.ordering import stances
from skillgen.audit.reader.sayings import NONE_START, subject
from skillgen.reader.clauses import Stance

if TYPE_CHECKING:
    from skillgen.audit.reader.modes import Modes
    from skillgen.audit.reader.place import Places
    from skillgen.audit.text import Text
    from skillgen.reader.blocks import Block
    from skillgen.reader.clauses import Clause

_MARKS = "\"“”「」『』'`"
_ENDS = tuple(".。!！")
#: No message is longer.
_LONGEST = 200


def spoken_messages(text: Text, modes: Modes, places: Places) -> Iterator[tuple[str, str, int]]:
    """Yield (mode; words; line) of each sentence that is said of a mode: it opens with its name, or stands in its own item."""
    numbers = {number for mark in _ENDS for quote in '"”」』`' for number in text.holding(mark + quote)}
    numbers -= text.document.code_lines
    read = stances(text)
    for block in read.blocks_of({n for n in numbers if n >= text.body_line}) if numbers else ():
        if block.kind in ("code", "html", "heading"):
            continue
        for sentence in read.sentences(block):
            for clause in sentence:
                yield from _of_clause(text, block, clause, modes, places)


def _of_clause(
    text: Text, block: Block, clause: Clause, modes: Modes, places: Places
) -> Iterator[tuple[str, str, int]]:
    quoted = [token for token in clause.tokens if token.value in ("quote", "span")]
    says = any(token.kind == "act" and token.value in ("read", "ask") for token in clause.tokens)
    for token in quoted:
        words = block.text[token.start : token.end].strip(_MARKS).strip()
        if not words.endswith(_ENDS) or not 6 < len(words) <= _LONGEST or words.endswith(".."):
            continue
        line, column = block.place(token.start)
        mode = subject(words, modes) or _opening(words, modes) if says or token.value == "quote" else ""
        if not mode and token.value == "quote" and not NONE_START.match(words):
            mode = places.item_at(line) or _alone(block, text, places) if says else _leading(block, token.start, modes)
        if mode and stances(text).at(line, column, lenient=True) is not Stance.DENIED:
            yield mode, words, line


def _opening(words: str, modes: Modes) -> str:
    """Return the mode whose name opens a sentence: `Tide is low.`"""
    parts = words.split()
    for count in (3, 2, 1):
        keys = modes.keys(" ".join(parts[:count]).strip(".!,")) if len(parts) > count else []
        if len(keys) == 1:
            return keys[0]
    return ""


def _leading(block: Block, at: int, modes: Modes) -> str:
    """Return the mode whose name and a colon are all that stands before a quotation: `- Tide: "The tide is low."`"""
    lead = block.text[:at].rstrip()
    keys = modes.keys(lead[:-1].strip(" *_`")) if lead.endswith((":", "：")) else []
    return keys[0] if len(keys) == 1 else ""


def _alone(block: Block, text: Text, places: Places) -> str:
    """Return the one mode that a block names, or that its section is about."""
    named = places.modes_in(block.text)
    return named[0] if len(named) == 1 else places.mode_at(block.line) if not named else ""
