"""Answer what stands in the text that is adopted, and where."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import islice
from typing import Any


class Evidence:
    """A text by its lines, which count from 1."""

    def __init__(self, text: str, where: Callable[[int], str] = "line {}".format) -> None:
        self.where = where
        """Says in words where a line stands."""
        self._text = text
        self._lines = text.split("\n")

    def says(self, word: str) -> bool:
        """Whether a name, path or sentence stands in the text as a whole, letter for letter."""
        word = word.strip().strip("`")
        if not word or word not in self._text:
            return False
        before = r"(?<![\w.])" if word[0].isalnum() else r"(?<!\w)" if word[0] == "." else ""
        after = r"(?![A-Za-z0-9])" if word[-1].isalnum() else ""
        return re.search(before + re.escape(word) + after, self._text) is not None

    def all(self, pattern: re.Pattern[str]) -> list[str]:
        """Return all that a pattern matches, in order."""
        return [match[0] for match in pattern.finditer(self._text)]

    def first(self, pattern: re.Pattern[str]) -> tuple[str, int]:
        """Return the first group of a pattern's first match and its line; ("", 0) where it matches nowhere."""
        match = pattern.search(self._text)
        return (match[1], self._text.count("\n", 0, match.start()) + 1) if match else ("", 0)

    def finds(self, pattern: re.Pattern[str]) -> bool:
        """Whether a pattern matches anywhere in the text."""
        return pattern.search(self._text) is not None

    def mentions(self, words: str) -> bool:
        """Whether words stand in the text in any case, with any spaces or hyphens between them."""
        return f" {_spaced_words(words)} " in self._spaced_text

    def supports(self, sentence: str) -> bool:
        """Whether a sentence names something in backquotes, and nothing that the text does not name too."""
        spans = re.findall(r"`([^`]+)`", sentence)
        return bool(spans) and all(self.says(span) for span in spans)

    def retires(self, title: str) -> bool:
        """Whether the text calls a mode retired: such a word right before its name, or two words earlier."""
        pattern = rf"\b(?:legacy|retired|deprecated|旧|遗留|레거시|レガシー)\s*(?:\S+\s+){{0,2}}{re.escape(title)}\b"
        return re.search(pattern, self._text, re.I) is not None

    def on_line(self, line: int, value: Any) -> bool:
        """Whether a value stands on a line: its letters and digits in their order, whatever marks and spaces are between."""
        if not 0 < line <= len(self._lines) or isinstance(value, (dict, bool)) or value is None:
            return False
        if isinstance(value, list):
            return bool(value) and all(self.on_line(line, item) for item in value)
        wanted = _letters_only(str(value))
        return bool(wanted) and wanted in _letters_only(self._lines[line - 1])

    def is_elsewhere(self, line: int) -> bool:
        """Whether a number stands for a line of another file than the text."""
        return line > len(self._lines)

    def lines_with(self, words: Iterable[str], most: int = 8) -> tuple[int, ...]:
        """Return the first lines on which one of the words stands by itself, in any case."""
        wanted = [f" {spaced} " for word in words if (spaced := _spaced_words(word))]
        found = (n for n, row in enumerate(self._lines, 1) if any(word in f" {_spaced_words(row)} " for word in wanted))
        return tuple(islice(found, most))

    def spelled(self, letters: str) -> str:
        """Return the spelling of a name that the text uses most in its sentences, '' where it is only a path or a command."""
        wanted = _letters_only(letters)
        if len(wanted) < 2:
            return ""
        # `oh my beads` may stand as one word or as three.
        joined = r"[-_ ]?".join(re.escape(letter) for letter in wanted)
        pattern = rf"(?<![\w.:/$@~-])({joined})(?![\w:/-]|\.\w)"
        found = Counter(match[1] for match in re.finditer(pattern, self._text, re.I))
        best = max(found.items(), key=lambda pair: (pair[0] != pair[0].lower(), pair[1]), default=("", 0))
        return best[0]

    @cached_property
    def _spaced_text(self) -> str:
        return f" {_spaced_words(self._text)} "


def _letters_only(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()


def _spaced_words(text: str) -> str:
    return " ".join(re.sub(r"[\W_]+", " ", text).casefold().split())


def shown(value: Any, most: int = 100) -> str:
    """Write a value on one line for a listing, cut where it is long."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1] + "…"


def strings(data: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield every string of a contract with its path."""
    for name, value in data.items() if isinstance(data, dict) else enumerate(data):
        if isinstance(value, str):
            yield (*path, str(name)), value
        elif isinstance(value, (dict, list)):
            yield from strings(value, (*path, str(name)))
