"""Read what each flag widens, and whether a forced run removes records, from the clauses that speak of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from skillgen.audit.reader.branch import force_lines
from skillgen.audit.reader.ordering import stances
from skillgen.audit.reader.records import record_stem
from skillgen.audit.reader.refused import COMMENT, FLAG, is_own, refused_flags
from skillgen.model.facts import Fact
from skillgen.reader.clauses import Stance

if TYPE_CHECKING:
    from skillgen.audit.text import Text
    from skillgen.reader.blocks import Block
    from skillgen.reader.clauses import Clause
    from skillgen.reader.stances import Sentence
    from skillgen.reader.tokens import Token

#: What may stand between two flags that are spoken of together.
_BETWEEN = re.compile(
    r"[\s`*/|,、()\[\]\"'，]*(?:(?:or|and|and/or|alias|或者?|和|与|또는|및|이나|または|か|と|や)[\s`*/|,、()\"']*)?$",
    re.A,
)
#: One call with both.
_TOGETHER = re.compile(r"--(?:force|all)\s+--(?:force|all)", re.A)

Group = tuple[int, int, tuple[str, ...]]


def read_forcing(text: Text) -> Iterator[Fact]:
    """Yield `scope` facts (key: the flag; value: all or current) and a `forced` fact where a forced run removes records."""
    numbers = set(text.holding("--force", "--all"))
    for number in numbers:
        if number in text.document.code_lines and number >= text.body_line:
            yield from _of_usage(text, number)
    rows: dict[tuple[int, str], list[Block]] = {}
    for block in stances(text).blocks_of(numbers) if numbers else ():
        if block.kind in ("code", "html", "heading"):
            continue
        if block.kind == "cell":
            rows.setdefault((block.line, block.kind), []).append(block)
        else:
            for sentence in stances(text).sentences(block):
                yield from _of_sentence(text, block, sentence)
    for cells in rows.values():
        yield from _of_row(text, cells)
    yield from _of_sections(text)


def _groups(text: Text, block: Block, start: int, end: int) -> list[Group]:
    """Return the runs of own flags, spoken of together, within a span of a block."""
    found: list[Group] = []
    for match in FLAG.finditer(block.folded, start, end):
        line, column = block.place(match.start())
        row = text.lines[line - 1]
        if not is_own(row, column) or (line, column) in refused_flags(text):
            continue
        if found and _BETWEEN.match(re.sub(r"[/$@][\w:-]+", "", block.folded[found[-1][1] : match.start()])):
            found[-1] = (found[-1][0], match.end(), (*found[-1][2], match[0]))
        else:
            found.append((match.start(), match.end(), (match[0],)))
    return found


def _widths(sentence: Sentence, start: int, end: int) -> list[Token]:
    """Return the scopes that clauses of a sentence name between two offsets; a negated one only if it is the narrow one."""
    return [
        token._replace(value="current") if token.value == "others" else token
        for clause in sentence
        for token in clause.tokens
        if token.kind == "scope" and start <= token.start < end and _is_width(clause, token)
    ]


def _is_width(clause: Clause, token: Token) -> bool:
    """Whether a clause says a scope: the narrow one, the wide one unturned, or that other sessions are left alone."""
    if token.value == "others":
        spared = bool(clause.negated) != any(t.kind == "act" and t.value == "keep" for t in clause.tokens)
        return spared and not clause.turned and not clause.condition
    return token.value == "current" or (token.value == "all" and not clause.negated and not clause.turned)


def _of_sentence(text: Text, block: Block, sentence: Sentence) -> Iterator[Fact]:
    start, end = sentence[0].span[0], sentence[-1].span[1]
    groups = _groups(text, block, start, end)
    for n, (first, last, flags) in enumerate(groups):
        behind = _widths(sentence, last, groups[n + 1][0] if n + 1 < len(groups) else end)
        before = _widths(sentence, groups[n - 1][1] if n else start, first)
        if n == len(groups) - 1 and not behind:
            behind = _spared(text, block, end)
        width = next((t for t in (*behind, *reversed(before)) if block.folded[t.start : t.start + 2] != "--"), None)
        line, column = block.place(first)
        if width:
            together = _TOGETHER.search(block.folded, first, last)
            keys = ("--force --all",) if together else dict.fromkeys(flags)
            yield from (Fact("scope", flag, width.value, line, column=column + 1) for flag in keys)
        if _removes(text, block, sentence):
            yield Fact("forced", "", "clear", line, column=column + 1)


def _spared(text: Text, block: Block, end: int) -> list[Token]:
    """Return what the sentence behind another says of other sessions."""
    behind = next((one for one in stances(text).sentences(block) if one[0].span[0] >= end), None)
    if behind is None or FLAG.search(block.folded, behind[0].span[0], behind[-1].span[1]):
        return []
    stop = behind[-1].span[1]
    return [
        t for t in _widths(behind, end, stop) if t.value == "current" and block.folded[t.start : t.start + 5] == "other"
    ]


def _removes(text: Text, block: Block, sentence: Sentence) -> bool:
    """Whether a clause orders to remove records, in words that are all known."""
    for clause in sentence:
        act = next(
            (t for t in clause.tokens if t.kind == "act" and t.value == "remove" and t.start not in clause.aside), None
        )
        if act and any(t.kind == "record" or _is_record(block.text[t.start : t.end]) for t in clause.tokens):
            line, column = block.place(act.start)
            if stances(text).at(line, column) is Stance.SAID:
                return True
    return False


def _is_record(words: str) -> bool:
    """Whether a thing that a clause names is the record of a mode."""
    path = words.strip("`\"' ")
    return " " not in path and record_stem(path)[1]


def _of_row(text: Text, cells: list[Block]) -> Iterator[Fact]:
    """A row whose first cell names flags: what its other cells say."""
    groups = _groups(text, cells[0], 0, len(cells[0].text))
    if not groups:
        for cell in cells:
            for sentence in stances(text).sentences(cell):
                yield from _of_sentence(text, cell, sentence)
        return
    both = len(groups) == 1 and _TOGETHER.search(cells[0].folded)
    flags = dict.fromkeys(["--force --all"] if both else [flag for group in groups for flag in group[2]])
    for cell in cells:
        for sentence in stances(text).sentences(cell):
            found = [t for t in _widths(sentence, 0, len(cell.text)) if cell.folded[t.start : t.start + 2] != "--"]
            if found:
                yield from (Fact("scope", flag, found[0].value, cell.line) for flag in flags)
            if _removes(text, cell, sentence):
                yield Fact("forced", "", "clear", cell.line)


def _of_usage(text: Text, number: int) -> Iterator[Fact]:
    line = text.lines[number - 1]
    flags = dict.fromkeys(FLAG.findall(line[:200].lower()))
    comment = COMMENT.search(line, max(line.find("--force"), line.find("--all"), 0))
    if not flags or not comment or len(line) > 400 or line.lstrip("> $")[:1] not in "/$@" or len(flags) > 1:
        return
    found = stances(text).words(line[comment.end() :])
    tokens = [t for sentence in found for t in _widths(sentence, 0, len(line))]
    if tokens:
        yield from (Fact("scope", flag, tokens[0].value, number) for flag in flags)
    removes = any(
        clause.act == "remove"
        and clause.stance(clause.span[0]) is Stance.SAID
        and any(t.kind == "record" for t in clause.tokens)
        for sentence in found
        for clause in sentence
    )
    if removes:
        yield Fact("forced", "", "clear", number)


def _of_sections(text: Text) -> Iterator[Fact]:
    """Sentences of the force branch that name no flag: they speak of those that its heading or lead names."""
    forced = force_lines(text)
    if not forced:
        return
    for block in stances(text).blocks_of(forced):
        if block.kind not in ("paragraph", "cell"):
            continue
        for sentence in stances(text).sentences(block):
            widths = [t for t in _widths(sentence, 0, len(block.text)) if t.value == "all"]
            wide = widths and any(clause.act in ("remove", "end", "stop") for clause in sentence)
            removes = any(t.value == "remove" and t.kind == "act" for clause in sentence for t in clause.tokens)
            if not (wide or removes) or FLAG.search(block.folded, sentence[0].span[0], sentence[-1].span[1]):
                continue
            if wide:
                above = " ".join(one.folded for one in (*block.headings, *block.leads))
                flags = dict.fromkeys(FLAG.findall(above)) or {"--force": None}
                yield from (Fact("scope", flag, "all", block.place(widths[0].start)[0]) for flag in flags)
            if removes and _removes(text, block, sentence):
                yield Fact("forced", "", "clear", block.line)
