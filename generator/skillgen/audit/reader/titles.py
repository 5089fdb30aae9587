"""Read how each mode is written: the spelling of its lists and tables, else the capitalised one of the prose."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

from skillgen.audit.reader.mentions import lines_with
from skillgen.audit.reader.paths import opens_with_path
from skillgen.audit.reader.tables import tab_rows
from skillgen.audit.reader.words import FORCE_WORDS, KNOWN_MODES, NONE_WORDS, name_cell, strip_marks, titles

if TYPE_CHECKING:
    from skillgen.audit.text import Text

#: A text with more modes is no text of a person; the rest go by their keys.
_MOST = 100


def read_titles(
    text: Text, modes: dict[str, int], ranks: dict[str, tuple[int, int]], same: dict[str, str]
) -> dict[str, tuple[str, int]]:
    """Return key -> (title, line): the spelling used most in lists and tables, then in prose, else the key itself."""
    seen: dict[str, Counter[str]] = {}
    lines: dict[str, int] = {}
    ordered = {line for _, line in ranks.values()}
    places: list[tuple[str, int]] = [(item.text, item.line) for item in text.document.items]
    places += [(name_cell(row.cells), row.line) for table in text.document.tables for row in table.rows]
    places += [(row.cells[0], row.line) for row in tab_rows(text)]
    openings = {name.partition("-")[0] for name, key in (*KNOWN_MODES.items(), *same.items()) if key in modes}
    openings |= {key.partition("-")[0] for key in modes}
    named_lines = lines_with(text, openings)
    for words, line in places:
        if line not in named_lines:
            continue
        named = [
            (key, title)
            for name, title in titles(words)
            if (key := same.get(name, name)) in modes
            and 0 < len(title) <= 40
            and not (title == key and f"{key}-state" in words)
        ]
        if not named or opens_with_path(words) or _is_scope(words):
            continue
        for key, title in named:
            seen.setdefault(key, Counter())[title] += 4 if line in ordered else 2 if "**" in words else 1
            lines.setdefault(key, line)
    out = {}
    for key, line in modes.items():
        if key in seen:
            title = max(seen[key].items(), key=lambda pair: pair[1])[0]
            out[key] = (title, lines.get(key, line))
        else:
            out[key] = (_in_prose(text, key) if len(out) < _MOST else None) or (key, line)
    return out


@lru_cache(maxsize=4096)
def _is_scope(words: str) -> bool:
    bare = strip_marks(words[:300])
    return bool(FORCE_WORDS.match(bare) or NONE_WORDS.match(bare))


def _in_prose(text: Text, key: str) -> tuple[str, int] | None:
    """Return the capitalised spelling that the sentences use most, with its first line."""
    if key not in text.low and key.replace("-", " ") not in text.low:
        return None
    pattern = re.compile(rf"(?<![\w./`:$@-]){'[ -]'.join(map(re.escape, key.split('-')))}(?![\w/`-]|\.\w)", re.I | re.A)
    spellings: Counter[str] = Counter()
    first: dict[str, int] = {}
    for match in pattern.finditer(text.source.text):
        if match[0] != match[0].lower() and match[0] != match[0].upper():
            line = text.line_at(match.start())
            if line in text.document.code_lines:
                continue
            spellings[match[0]] += 1
            first.setdefault(match[0], line)
    if not spellings:
        return None
    title = max(spellings, key=lambda word: spellings[word])
    return title, first[title]
