"""Know the modes of one text: which names are modes, their titles, lines, records and the order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from skillgen.audit.reader.corroborated import corroborated_modes
from skillgen.audit.reader.mode_lists import listed_modes
from skillgen.audit.reader.mode_names import named_modes, state_files
from skillgen.audit.reader.order import read_order
from skillgen.audit.reader.records import owners, record_key
from skillgen.audit.reader.subject import are_modes
from skillgen.audit.reader.titles import read_titles
from skillgen.audit.reader.words import HELPER_SUFFIXES, HELPERS, KNOWN_KEYS, KNOWN_MODES, names
from skillgen.model.facts import Fact

if TYPE_CHECKING:
    from skillgen.audit.document import Item
    from skillgen.audit.text import Text

#: What a record's name adds to that of its mode: `ralph-loop.local.md`.
_RUN = re.compile(r"-(?:loop|mode|session|run|active)$")
_KEY = re.compile(r"[a-z][a-z0-9-]*$", re.A)


class Modes:
    """The modes of one text: which names are modes, with titles and lines, and the order."""

    def __init__(self, text: Text) -> None:
        self.text = text
        self.strong: dict[str, int] = {}
        """Key -> first line, from evidence that names modes and nothing else."""
        self.records = owners(text)
        """Stem of a record -> (its mode, line), where the text says whose record it is."""
        self._same: dict[str, str] = {}
        self._collect()
        self.ranks: dict[str, tuple[int, int]]
        self.order_items: list[Item]
        self.ranks, self.order_items = read_order(text, self._is_name, self.same)
        for key, (_, line) in self.ranks.items():
            self.strong.setdefault(key, line)
        if self.strong and not are_modes(text, self.strong, self.sure):
            self.strong, self.ranks, self.order_items = {}, {}, []
        self.titles = read_titles(text, self.strong, self.ranks, self._same)

    def known(self, key: str) -> bool:
        return key in self.strong or key in self.ranks

    def owner(self, stem: str) -> str:
        """Return the mode whose record has this stem, '' when it is no mode's."""
        key = self.records[stem][0] if stem in self.records else KNOWN_MODES.get(stem, stem)
        if not self.known(key):
            key = _RUN.sub("", key)
        return key if self.known(key) else ""

    def _add(self, name: str, line: int) -> None:
        key = KNOWN_MODES.get(name, name)
        if key not in HELPERS and not key.endswith(HELPER_SUFFIXES) and _KEY.match(key):
            self.strong.setdefault(key, line)

    def _collect(self) -> None:
        """Take names that are modes for certain, then what stands in one list with them."""
        for name, line in state_files(self.text):
            owner = self.records.get(name)
            self._add(owner[0] if owner else name, line)
        self.sure = dict(corroborated_modes(self.text))
        for found in (named_modes(self.text), self.sure.items(), listed_modes(self.text, self._is_name)):
            for name, line in found:
                if name not in self._same:  # else it came up before
                    self._add(self.same(name), line)
        self._unprefix()

    def _unprefix(self) -> None:
        """Give a record that only adds the product's name to a mode's (`zed-ralph-state.json`) to that mode."""
        for key in [key for key in self.strong if key not in KNOWN_KEYS and "-" in key]:
            prefix, _, rest = key.partition("-")
            mode = KNOWN_MODES.get(rest, rest)
            own = f".{prefix}/" in self.text.low or f"/{prefix}:" in self.text.low or f"${prefix}:" in self.text.low
            # `ZED Teams` is a mode of its own, not the mode Team.
            own = own and f"{prefix} {rest}" not in self.text.low
            if own and f"{key}-state.json" in self.text.source.text and (mode in KNOWN_KEYS or mode in self.strong):
                line = self.strong.pop(key)
                self.strong[mode] = min(line, self.strong.get(mode, line))
                self.records.setdefault(key, (mode, line))
                self._same[key] = mode

    def same(self, key: str) -> str:
        """Return the key under which a name goes: that of its record, where the title has another product's prefix."""
        own = self._same.get(key)
        if own is None:
            own = self._same[key] = record_key(self.text, key) if len(self._same) < 200 else key
        return own

    def keys(self, words: str) -> list[str]:
        """Return the known modes that open an item, a cell or a phrase."""
        found = [self._same.get(name, name) for name in names(words)]
        return [key for key in found if key in self.strong]

    def _is_name(self, key: str) -> bool:
        return key in self.strong or (key in KNOWN_KEYS and key not in HELPERS)

    def facts(self) -> Iterator[Fact]:
        for key, (title, line) in self.titles.items():
            yield Fact("mode", key, title, line)
        for stem, (mode, line) in self.records.items():
            if stem != mode and self.known(mode):
                yield Fact("record", mode, stem, line)
        for key, (rank, line) in self.ranks.items():
            yield Fact("order", key, str(rank), line)
