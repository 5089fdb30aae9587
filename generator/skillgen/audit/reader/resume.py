"""Read which modes can be resumed after a cancel, where sentences, messages or a list say so and no table does."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from skillgen.audit.reader.tables import keeping_column
from skillgen.audit.reader.words import NO, NONE_WORDS, YES, name_cell, strip_marks
from skillgen.model.facts import Fact

if TYPE_CHECKING:
    from skillgen.audit.document import Item, Prose
    from skillgen.audit.reader.modes import Modes
    from skillgen.audit.reader.place import Places
    from skillgen.audit.text import Text

#: Something of the run is kept so that it can go on; keeping a file alone does not say so.
_KEPT = re.compile(
    r"\b(?:preserv\w*|keep(?:s|ing)?|kept|retain\w*|sav(?:e|es|ed|ing))\b[^.;\n]{0,60}\b(?:resum\w*|progress)\b|"
    r"\b(?:to allow|allow(?:s|ing)?|enabl\w+|for|can be|may be|to be)\s+(?:\w+\s+)?resum\w+|\bprogress\b[^.;\n]{0,30}\b(?:preserved|kept|retained|saved|stays)\b|"
    r"(?:재개|진행)[^.\n]{0,24}(?:보존|유지|저장)|(?:보존|유지|저장)[^.\n]{0,24}재개|(?:进度|進度|恢复)[^。\n]{0,16}(?:保留|保存)|(?:保留|保存)[^。；;\n]{0,24}(?:恢复|进度|继续|续跑|续作)|"
    r"(?:進捗|進行状況|再開)[^。\n]{0,20}(?:保持|保存|残)|(?:保持|保存|残)[^。\n]{0,20}再開",
    re.I | re.A,
)
_DENIED = re.compile(
    r"\b(?:not|no|never|nothing|without|cannot|can't|don't|doesn't|lost|discard\w*)\b|않|없이|없음|불가|不(?!同)|无法|ない|ません|できない|せず",
    re.I | re.A,
)
_RESUME = re.compile(r"\bresum\w+|재개|恢复|再開", re.I | re.A)
_POSSIBLE = re.compile(r"[/$][a-z]|(?:re-?run|run|possible|可能|可以|可|가능)", re.I | re.A)
_IMPOSSIBLE = re.compile(r"(?:不可|不能|불가|cannot|impossible|never)", re.I | re.A)
_CLAUSE = re.compile(r",\s|\b(?:since|because|so)\b|[，、]", re.A)
_SENTENCE = re.compile(r"(?<=[.。!！?])\s+|[;；]")


def read_resumes(text: Text, modes: Modes, places: Places, told: Iterable[Fact]) -> Iterator[Fact]:
    """Yield keeps=yes for each mode of which the text says so and `told` (facts found so far) says nothing."""
    told = list(told)
    answered = {fact.key for fact in told if fact.kind == "keeps"}
    near = text.holding("esum", "rogress", "재개", "진행", "恢复", "进度", "進", "再開", "续")
    wanted = [n for n in near if len(text.lines[n - 1]) <= 4000 and _KEPT.search(text.lines[n - 1])]
    for fact in _of_columns(text, modes):
        if fact.key not in answered:
            answered.add(fact.key)
            yield fact
    found = (*_of_items(text, modes, wanted), *_of_sentences(text, modes, places, wanted), *_of_messages(told))
    for mode, line in found:
        if mode not in answered and modes.known(mode):
            answered.add(mode)
            yield Fact("keeps", mode, "yes", line)


def _of_columns(text: Text, modes: Modes) -> Iterator[Fact]:
    """Tables with a column that says how a mode is resumed, or that it is not."""
    for table in text.document.tables:
        column = next((n for n, cell in enumerate(table.header) if n and _RESUME.search(cell)), 0)
        keeping = keeping_column(text, table)
        for row in table.rows if column else ():
            cell = strip_marks(row.cells[column]) if column < len(row.cells) else ""
            value = (
                "no"
                if NO.match(cell) or _IMPOSSIBLE.match(cell)
                else "yes"
                if _POSSIBLE.match(cell) or YES.match(cell)
                else ""
            )
            kept = strip_marks(row.cells[keeping]) if 0 <= keeping < len(row.cells) and keeping != column else ""
            if value == "no" and kept and not (NO.match(kept) or NONE_WORDS.match(kept)):
                value = "yes"  # it is kept, though no command resumes it
            for key in modes.keys(name_cell(row.cells)) if value else ():
                yield Fact("keeps", key, value, row.line, cell if cell[:1] in "/$" else "")


@lru_cache(maxsize=4096)
def _says(sentence: str) -> bool:
    match = _KEPT.search(sentence)
    return match is not None and not _DENIED.search(
        _CLAUSE.split(sentence[max(0, match.start() - 40) : match.start()])[-1] + match[0]
    )


def _of_items(text: Text, modes: Modes, wanted: list[int]) -> Iterator[tuple[str, int]]:
    """An item a mode below a heading or line that says resume, and items that say of their mode that it is kept."""
    below = [h.line for h in text.document.headings if _RESUME.search(h.text) and not _DENIED.search(h.text)]
    if not wanted and not below:
        return
    for item in text.document.items if wanted or below else ():
        if not _holds(item, wanted) and (not below or item.line < below[0]):
            continue
        keys = modes.keys(item.text)
        if len(keys) != 1:
            continue
        heading = text.document.section(item.line)[-1:]
        resumed = heading and heading[0].line in below and not _DENIED.search(item.text)
        if resumed or any(map(_says, _SENTENCE.split(item.text))):
            yield keys[0], item.line


def _of_sentences(text: Text, modes: Modes, places: Places, wanted: list[int]) -> Iterator[tuple[str, int]]:
    """A sentence about one mode, by its own words or by the section that it stands in."""
    for block in text.document.prose if wanted else ():
        if block.kind == "html" or len(block.text) > 4000 or not _holds(block, wanted):
            continue
        for sentence in _SENTENCE.split(block.text):
            if not _says(sentence):
                continue
            line = block.line + block.text.count("\n", 0, block.text.find(sentence))
            named = places.modes_in(sentence)
            mode = named[0] if len(named) == 1 else "" if named else places.mode_at(line)
            if mode:
                yield mode, line


def _holds(block: Prose | Item, wanted: list[int]) -> bool:
    at = bisect_left(wanted, block.line)
    return at < len(wanted) and wanted[at] <= block.line + block.text.count("\n")


def _of_messages(told: list[Fact]) -> Iterator[tuple[str, int]]:
    for fact in told:
        if fact.kind == "message" and _says(fact.value):
            yield fact.key, fact.line
