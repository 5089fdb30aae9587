"""Say what the variables of a piece of shell hold, where it says so itself: literal assignments and loops over words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from skillgen.audit.shell import Fragment

_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))", re.A)
#: No person loops over more words, or nests deeper.
_MOST, _DEEPEST = 40, 4


class Loop(NamedTuple):
    """One `for name in words`; `line` counts from 1."""

    name: str
    words: tuple[str, ...]
    line: int


@lru_cache(maxsize=256)
def loops(fragment: Fragment) -> tuple[Loop, ...]:
    """Return the loops over words that hold no variable."""
    found = []
    for node in fragment.nodes("for_statement"):
        names = [child for child in node.named_children if child.type == "variable_name"]
        words = [
            fragment.source(child) for child in node.named_children if child.type in ("word", "string", "raw_string")
        ]
        if names and words and not any("$" in word or "*" in word for word in words):
            plain = tuple(word.strip("\"'") for word in words[:_MOST])
            found.append(Loop(fragment.source(names[0]), plain, fragment.place(node.start_byte)[0]))
    return tuple(found)


@lru_cache(maxsize=256)
def _assigned(fragment: Fragment) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {loop.name: loop.words for loop in loops(fragment)}
    for node in fragment.nodes("variable_assignment"):
        name, equals, value = fragment.source(node).partition("=")
        if equals and "`" not in value and "$(" not in value:
            found.setdefault(name, (value.strip("\"'"),))
    return found


def expanded(fragment: Fragment, word: str) -> Iterator[str]:
    """Yield what a word of the fragment can be; itself where it holds nothing that is known."""
    words = [word]
    for _ in range(_DEEPEST):
        words = [more for one in words for more in _once(fragment, one)][:_MOST]
    yield from dict.fromkeys(words)


def _once(fragment: Fragment, word: str) -> list[str]:
    match = next((m for m in _VARIABLE.finditer(word) if (m[1] or m[2]) in _assigned(fragment)), None)
    if match is None:
        return [word]
    return [word[: match.start()] + value + word[match.end() :] for value in _assigned(fragment)[match[1] or match[2]]]
