"""Read the paths that only the widest scope removes: its lists, its commands and its sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from skillgen.audit.hits import denied
from skillgen.audit.language import KEEP, KILL, sentence
from skillgen.audit.reader.branch import force_lines, says_force
from skillgen.audit.reader.governing import Governed
from skillgen.audit.reader.ordering import stances
from skillgen.audit.reader.paths import expand, leading_paths, spans
from skillgen.audit.scope import is_wide_list
from skillgen.model.facts import Fact
from skillgen.model.subject import Kind
from skillgen.reader.clauses import Stance

if TYPE_CHECKING:
    from skillgen.audit.document import Table
    from skillgen.audit.text import Text

_LEGACY = re.compile(r"legacy|compat|removed|旧|遗留|레거시|レガシー|兼容|互換|호환", re.I)
#: Where something lies, not that it stays: `keeps one marker for each mode below x/`.
_LIES = re.compile(r"\b(?:keeps?|kept)\b(?=[^.;]{0,60}\b(?:below|under|in|inside|at)\b[^;\n]{0,80}[:：])", re.I | re.A)
_ONLY_PATHS = re.compile(r"^`[^`\n/.]*[/.][^`\n]*`(?:[ ,，、]+(?:and )?`[^`\n]+`)+\.?$", re.M)
_ITEM_KILLED = re.compile(r"\s*[-*+]\s+`([^`\n]+)`\s*(?:—|–|-|:|→|->)\s*(?:delete|remove|rm|unlink|clear)", re.I | re.A)
_WITH = re.compile(
    r"\b(?:with|under|given)\s+[`*]*--(?:force|all)\b|--(?:force|all)[`*]*\s*(?:のとき|の場合|시|일 때|时)", re.I | re.A
)
_OPERAND = re.compile(r"(?:~/|\$\{?\w+\}?/)?\.?[\w{}<>*$-]+(?:[/.][\w{}<>*.,$-]*)+$", re.A)


def read_lists(text: Text, done: set[int]) -> Iterator[Fact]:
    """Yield the paths of lists of nothing but paths, kept or removed; the lines read are put into `done`."""
    forced = force_lines(text)
    for items in text.document.lists.values():
        paths = [(path, item.line) for item in items for path in leading_paths(item.text)]
        count = len({line for _, line in paths})
        if not count or count < len(items) * 0.7:
            continue
        if count < 2 and not (items[0].line in forced and KILL.search(_lead(text, items[0].line))):
            continue
        above = _above(text, items[0].line)
        kept = KEEP.search(_LIES.sub("", above)) and not _LEGACY.search(KEEP.sub("", above))
        if not kept and items[0].line not in forced and not _wide(text, items[0].line):
            continue
        for path, line in paths:
            done.add(line)
            yield Fact("preserved", "", path, line) if kept else _stanced(text, path, line)


def read_artifacts(text: Text, said: Mapping[int, tuple[Governed, ...]]) -> Iterator[Fact]:
    """Yield what commands and sentences (`said`) of the force branch remove, and no step of the default path does."""
    forced = force_lines(text)
    wide: list[tuple[str, int]] = []
    default: set[str] = set()
    for command in text.commands:
        if command.name in ("rm", "unlink", "rmdir"):
            at = 0 if command.fragment.kind == "inline" and denied(text, command) else command.line
            for word in command.operands():
                path = word.value.strip("\"'") or word.raw.strip("\"'")
                if not _OPERAND.match(path):
                    continue
                if at in forced or (command.fragment.kind == "inline" and _forces(text.lines[command.line - 1], path)):
                    wide.append((path, command.line))
                else:
                    default.add(path)
    for number, governed in said.items():
        line = text.lines[number - 1]
        if match := _ITEM_KILLED.match(line):
            default.update(expand(match[1]))
        inside = number in forced
        spoken = not inside and says_force(line)
        for one in governed:
            if one.deed == "kill" and "/" in one.path:
                if inside or (spoken and _sentence_forces(line, one)):
                    wide += [(path, number) for path in expand(one.path)]
                else:
                    default.update(expand(one.path))
    for path, number in wide:
        if path not in default:
            yield _stanced(text, path, number)


def _stanced(text: Text, path: str, line: int) -> Fact:
    """Return an artifact with what the text makes of it where it stands."""
    row = text.lines[line - 1]
    column = max(row.find(path), 0)
    stance = stances(text).at(line, column)
    clause = stances(text).clause_at(line, column)
    if clause is not None and any(token.kind == "scope" and token.value == "current" for token in clause.tokens):
        stance = Stance.UNKNOWN  # of this session alone: who knows which part of the path is its
    return Fact("artifact", "", path, line, column=column + 1, stance=stance.value)


def _forces(line: str, path: str) -> bool:
    """Whether the sentence around a path opens with the words of force: `With --force also rm x`."""
    return _WITH.search(sentence(line, max(0, line.find(path)))[0]) is not None


def _sentence_forces(line: str, one: Governed) -> bool:
    start, end = one.clause
    before, after = sentence(line, start, end)
    return says_force(before + line[start:end] + after)


def read_named(text: Text) -> Iterator[Fact]:
    """Yield the paths that the widest scope names in a table's first column or in a line of nothing but paths."""
    forced = force_lines(text)
    for table in text.document.tables:
        force = next((n for n, cell in enumerate(table.header) if n and says_force(cell)), 0)
        if force:
            yield from _by_column(text, table, force)
        elif table.line in forced or _wide(text, table.line):
            for row in table.rows:
                if row.cells and not any(KEEP.search(cell) for cell in row.cells[1:]):
                    yield from (_stanced(text, path, row.line) for path in leading_paths(row.cells[0]))
    for number in text.matching(_ONLY_PATHS):
        if number in text.document.code_lines or len(text.lines[number - 1]) > 2000:
            continue
        if (number in forced or _wide(text, number)) and not KEEP.search(_lead(text, number)):
            for path, *_ in spans(text.lines[number - 1]):
                yield from (_stanced(text, each, number) for each in expand(path))


def _by_column(text: Text, table: Table, force: int) -> Iterator[Fact]:
    """Rows of a path that only the column of force removes."""
    for row in table.rows:
        removed = [n for n, cell in enumerate(row.cells) if n and KILL.search(cell) and not KEEP.search(cell)]
        if removed == [force]:
            yield from (_stanced(text, path, row.line) for path in leading_paths(row.cells[0]))


def _lead(text: Text, line: int) -> str:
    """Return the line that introduces another, the heading where there is none."""
    above = text.above(line)
    heading = text.document.section(line)
    return above if above.rstrip().endswith((":", "：")) or not heading else heading[-1].text


def _wide(text: Text, line: int) -> bool:
    """A page that lost its headings cannot say more than that it lists paths."""
    return is_wide_list(text, line) or (text.kind is Kind.TEXT and not text.document.headings)


def _above(text: Text, line: int) -> str:
    """Return the heading and the last two lines of prose above a line."""
    heading = text.document.section(line)
    words = [heading[-1].text] if heading else []
    lines = [row for row in text.lines[max(0, line - 6) : line - 1] if row.strip() and not row.startswith(("<", "|"))]
    return " ".join([*words, *lines[-2:]])
