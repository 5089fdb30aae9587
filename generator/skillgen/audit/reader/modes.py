"""Read modes, their titles and the cancel order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from skillgen.audit.reader.words import (
    FORCE_WORDS,
    HELPER_SUFFIXES,
    HELPERS,
    KNOWN_MODES,
    NONE_WORDS,
    names,
    slug,
    strip_marks,
    titles,
)
from skillgen.model.facts import Fact

if TYPE_CHECKING:
    from skillgen.audit.document import Item
    from skillgen.audit.text import Text

_STATE_FILE = re.compile(r"(?<![\w{}<$-])([a-z][a-z0-9]*(?:-[a-z0-9]+)*)-state\.json", re.A)
_CALL_MODE = re.compile(r"\bmode[\"']?\s*[=:]\s*[\"'“]([A-Za-z][\w-]*)[\"'”]", re.A)
_LIST_IN_BRACKETS = re.compile(r"[(（]([^()（）]{5,300})[)）]", re.A)
_ARROWS = re.compile(r"[\w *`-]+(?:\s*(?:→|->|=>|➜)\s*[\w *`…-]+){2,}", re.A)
_PATH_ITEM = re.compile(r"\s*(?:[-*+•]|\d+[.)])\s+`?[.~$][\w/.{}*,$~-]+`?(?:\s*[,(（].*)?\s*$", re.A)


_IF_ACTIVE = re.compile(r"^(?:If |When )([A-Z][\w -]{1,30}?) (?:[Ii]s )?[Aa]ctive\b|^([a-z][\w-]+) active$", re.A)
_PATH = re.compile(r"[.~$]|[\w-]+/|\S+\.\w+$", re.A)


class Modes:
    """The modes of one text: which names are modes, with titles and lines, and the order."""

    def __init__(self, text: Text) -> None:
        self.text = text
        self.strong: dict[str, int] = {}
        """Key -> first line, from evidence that names modes and nothing else."""
        self._collect()
        self.ranks, self.order_items = self._order()
        for key, (_, line) in self.ranks.items():
            self.strong.setdefault(key, line)
        self.titles = self._titles()

    def known(self, key: str) -> bool:
        return key in self.strong or key in self.ranks

    def _add(self, name: str, line: int) -> None:
        key = KNOWN_MODES.get(name, name)
        if key and key not in HELPERS and not key.endswith(HELPER_SUFFIXES) and re.match(r"[a-z][a-z0-9-]*$", key):
            self.strong.setdefault(key, line)

    def _collect(self) -> None:
        text = self.text
        for number, line in enumerate(text.lines, 1):
            if "state.json" in line and not _PATH_ITEM.match(line):
                for match in _STATE_FILE.finditer(line):
                    self._add(match[1], number)
            if "mode" in line:
                for match in _CALL_MODE.finditer(line):
                    self._add(match[1], number)
        for field in ("description", "when-to-use", "when_to_use"):
            key = text.front.get(field)
            if key and isinstance(key.value, str):
                for listed in bracket_list(key.value):
                    self._add(listed, key.line)
        for heading in text.document.headings:
            words = strip_marks(heading.text)
            if active := _IF_ACTIVE.match(words):
                self._add(slug(active[1] or active[2]), heading.line)
            for phrase in re.findall(r"[A-Za-z][\w-]+(?: [A-Z][\w-]+)?", words):
                for part in (phrase, *phrase.split()):
                    if slug(part) in KNOWN_MODES:
                        self._add(slug(part), heading.line)
        for table in text.document.tables:
            for row in table.rows:
                for key_, _ in titles(_name_cell(row.cells)):
                    if key_ in KNOWN_MODES.values():
                        self._add(key_, row.line)
        for entry in text.document.items:
            if _PATH.match(entry.text.strip("`* ")):
                continue
            for key_ in names(entry.text):
                if key_ in KNOWN_MODES.values():
                    self._add(key_, entry.line)

    def _order(self) -> tuple[dict[str, tuple[int, int]], list[Item]]:
        """Return key -> (rank, line) from the numbered list that names the most modes, else from a row of arrows."""
        lists: dict[int, list[Item]] = {}
        for item in self.text.document.items:
            if item.number or item.list_id in lists:
                lists.setdefault(item.list_id, []).append(item)
        best: list[Item] = []
        best_score = 0.0
        for items in lists.values():
            hits = sum(any(self._is_name(key) for key in names(item.text)) for item in items)
            score = hits + hits / len(items)
            if hits >= 2 and hits / len(items) >= 0.6 and score > best_score:
                best, best_score = items, score
        ranks: dict[str, tuple[int, int]] = {}
        if best:
            for rank, item in enumerate(best, 1):
                for key in names(item.text):
                    if key not in HELPERS and key not in ranks and (self._is_name(key) or _bold_or_short(item.text)):
                        ranks[key] = (rank, item.line)
            return ranks, best
        ranks = self._table_order()
        if ranks:
            return ranks, []
        for number, line in enumerate(self.text.lines, 1):
            match = _ARROWS.search(line) if "→" in line or "->" in line else None
            if match:
                parts = [slug(part) for part in re.split(r"→|->|=>|➜", match[0])]
                keys = [KNOWN_MODES.get(part, part) for part in parts if part]
                if sum(map(self._is_name, keys)) >= max(2, len(keys) * 0.6) and len(keys) > len(ranks):
                    ranks = {key: (rank, number) for rank, key in enumerate(dict.fromkeys(keys), 1)}
        return ranks, []

    def _table_order(self) -> dict[str, tuple[int, int]]:
        """Read a table whose first column counts up and whose second names modes."""
        for table in self.text.document.tables:
            numbered = [row for row in table.rows if len(row.cells) > 1 and row.cells[0].strip(" .#").isdigit()]
            found: dict[str, tuple[int, int]] = {}
            for row in numbered:
                for key in names(row.cells[1]):
                    if self._is_name(key):
                        found.setdefault(key, (int(row.cells[0].strip(" .#")), row.line))
            if len(found) >= 2 and len(numbered) == len(table.rows):
                return found
        return {}

    def _is_name(self, key: str) -> bool:
        return key in self.strong or (key in KNOWN_MODES.values() and key not in HELPERS)

    def _titles(self) -> dict[str, tuple[str, int]]:
        """Return key -> (title, line): the spelling used most in lists and tables, else the key itself."""
        seen: dict[str, Counter[str]] = {}
        lines: dict[str, int] = {}
        places: list[tuple[str, int]] = [(item.text, item.line) for item in self.text.document.items]
        places += [(_name_cell(row.cells), row.line) for table in self.text.document.tables for row in table.rows]
        places += tab_rows(self.text)
        for words, line in places:
            if (
                _PATH.match(words.strip("`* "))
                or FORCE_WORDS.match(strip_marks(words))
                or NONE_WORDS.match(strip_marks(words))
            ):
                continue
            ordered = any(rank_line == line for _, rank_line in self.ranks.values())
            for key, title in titles(words):
                if self.known(key) and 0 < len(title) <= 40:
                    seen.setdefault(key, Counter())[title] += 4 if ordered else 2 if "**" in words else 1
                    lines.setdefault(key, line)
        out = {}
        for key, line in self.strong.items():
            title = max(seen[key].items(), key=lambda pair: pair[1])[0] if key in seen else key
            out[key] = (title, lines.get(key, line))
        return out

    def facts(self) -> Iterator[Fact]:
        for key, (title, line) in self.titles.items():
            yield Fact("mode", key, title, line)
        for key, (rank, line) in self.ranks.items():
            yield Fact("order", key, str(rank), line)


def _name_cell(cells: tuple[str, ...]) -> str:
    """Return the first cell of a row that is no running number."""
    return next((cell for cell in cells[:2] if not cell.strip(" .#").isdigit()), "")


def _bold_or_short(text: str) -> bool:
    return text.lstrip().startswith("**") or len(text.split()) <= 3


def bracket_list(text: str) -> list[str]:
    """Return the names in the first bracket that holds a list of at least two plain names."""
    for match in _LIST_IN_BRACKETS.finditer(text):
        parts = [strip_marks(part).strip().lower() for part in re.split(r"[,，、/]|\bor\b|\band\b", match[1])]
        parts = [part for part in parts if part]
        good = [part.replace(" ", "-") for part in parts if re.fullmatch(r"[a-z][a-z0-9 -]{2,30}", part)]
        if len(good) >= 2 and len(good) == len(parts):
            return good
    return []


def tab_rows(text: Text) -> list[tuple[str, int]]:
    """Return (first cell, line) of tables that lost their bars and kept tabs."""
    return [
        (line.split("\t", 1)[0], number)
        for number, line in enumerate(text.lines, 1)
        if "\t" in line and not line.startswith("\t") and len(line) < 2000
    ]
