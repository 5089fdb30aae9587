"""Say which mode a line is about: by its item, its block of bold lead, or its heading."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from skillgen.audit.reader.words import KNOWN_MODES, slug, strip_marks

if TYPE_CHECKING:
    from skillgen.audit.reader.modes import Modes
    from skillgen.audit.text import Text

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[-_ ]?[A-Za-z0-9]+)*", re.A)
_NEGATED = re.compile(
    r"\b(?:not|but not|unless|without|except|before|after)\s.*|[(（].*|(?:非|不是|未|が.*ない)[^，、]*", re.I | re.A
)
_BARE_HEADING = re.compile(
    r"^(?:if |when )?([A-Z][\w -]{1,40}?) (?:active|is active|state (?:exists|present))\b.*$", re.I | re.M | re.A
)
_SUMMARY = re.compile(r"<summary>([^<]{1,80})</summary>", re.A)
_BOLD_LINE = re.compile(r"^[ \t]*\*\*[^\n]{2,80}?\*\*[:：]?[ \t]*$", re.M | re.A)


class Places:
    """Headings (and lines that were headings once) with the mode that each is about."""

    def __init__(self, text: Text, modes: Modes) -> None:
        self.text = text
        self.modes = modes
        self._named: dict[str, list[str]] = {}
        # One of these stands in every phrase that names a mode.
        self._tokens = {name.partition("-")[0] for name, key in KNOWN_MODES.items() if modes.known(key)}
        self._tokens |= {key.partition("-")[0] for key in (*modes.strong, *modes.ranks)}
        self._marks: list[tuple[int, int, str]] = []
        """(line, level, mode or '')"""
        for heading in text.document.headings:
            self._marks.append((heading.line, heading.level, self._mode_in(heading.text)))
        known = {line for line, *_ in self._marks}
        for number in text.matching(_BOLD_LINE):
            if number in known or number in text.document.code_lines or number < text.body_line:
                continue
            line = text.lines[number - 1]
            if len(line) <= 120 and (mode := self._mode_in(line.strip(" \t*:："))):
                self._marks.append((number, 7, mode))
        for number in text.holding("<summary>"):
            if match := _SUMMARY.search(text.lines[number - 1]):
                self._marks.append((number, 7, self._mode_in(match[1])))
        for number in text.matching(_BARE_HEADING) if not text.document.headings else ():
            line = text.lines[number - 1]
            if number >= text.body_line and number not in text.document.code_lines and len(line) <= 120:
                self._marks.append((number, 7, self._mode_in(_BARE_HEADING.match(line)[1])))  # type: ignore[index]
        self._marks.sort()
        self._items = self._ranges()

    def item_at(self, line: int) -> str:
        """Return the mode of the item of the cancel order that the line stands in, its nested lists too."""
        return next((mode for start, end, mode in self._items if start <= line <= end), "")

    def in_order(self, line: int) -> bool:
        """Whether the line stands in an item of the cancel order."""
        return any(start <= line <= end for start, end, _ in self._items)

    def _ranges(self) -> list[tuple[int, int, str]]:
        ranges = []
        by_line: dict[int, list[str]] = {}
        for key, (_, line) in self.modes.ranks.items():
            by_line.setdefault(line, []).append(key)
        starts = [item.line for item in self.modes.order_items]
        for n, start in enumerate(starts):
            end = start
            limit = starts[n + 1] - 1 if n + 1 < len(starts) else len(self.text.lines)
            while end < limit and (not self.text.lines[end].strip() or self.text.lines[end][:1] in " \t"):
                end += 1
            modes = by_line.get(start, [])
            ranges.append((start, end, modes[0] if len(modes) == 1 else ""))
        return ranges

    def handlers(self) -> list[tuple[int, int, str]]:
        """Return (line, level, mode) of every heading or bold lead; the mode is '' where it names none."""
        return list(self._marks)

    def sections(self) -> list[tuple[int, int]]:
        """Return first and last line of what stands below each heading or bold lead, up to the next one."""
        starts = [line for line, *_ in self._marks]
        ends = [*(line - 1 for line in starts[1:]), len(self.text.lines)]
        return list(zip(starts, ends, strict=True)) if starts else []

    def mode_at(self, line: int) -> str:
        """Return the mode of the nearest heading above that names one; a heading of the same or a higher level ends it."""
        if inside := self.item_at(line):
            return inside
        level = 99
        for number, height, mode in reversed(self._marks):
            if number > line or height >= level:
                continue
            if mode:
                return mode
            level = height
        return ""

    def section_at(self, line: int) -> str:
        """Return the mode of the heading or bold lead directly above a line, '' when that one names none."""
        return next((mode for number, _, mode in reversed(self._marks) if number <= line), "")

    def modes_in(self, words: str) -> list[str]:
        """Return the known modes that a phrase names, in its order."""
        if words in self._named:
            return self._named[words]
        low = words.lower()
        if not any(token in low for token in self._tokens):
            return []
        found = []
        clean = strip_marks(words)
        for match in _WORD.finditer(clean):
            parts = re.split(r"[ _]", match[0])
            n = 0
            while n < len(parts):
                two = slug("-".join(parts[n : n + 2])) if n + 1 < len(parts) else ""
                one = slug(parts[n]) or parts[n].lower()
                key = KNOWN_MODES.get(two, two)
                if two and self.modes.known(key):
                    found.append(key)
                    n += 2
                    continue
                key = KNOWN_MODES.get(one, one)
                if self.modes.known(key):
                    found.append(key)
                n += 1
        self._named[words] = list(dict.fromkeys(found))
        return self._named[words]

    def _mode_in(self, heading: str) -> str:
        found = self.modes_in(_NEGATED.sub("", heading))
        return found[0] if found else ""
