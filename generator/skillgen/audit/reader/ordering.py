"""Make the stances of a text once: what it orders, forbids or leaves open, place by place."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from skillgen.audit.reader.label import read_label
from skillgen.audit.reader.reading import reading
from skillgen.reader.blocks import read_blocks
from skillgen.reader.stances import Stances

if TYPE_CHECKING:
    from skillgen.audit.text import Text

_WORD = re.compile(r"[a-z][a-z-]*", re.A)
_NAMES = re.compile(r"(?<![\w.])(?:[/$]([a-z][\w-]*)(?::([a-z][\w-]*))?|\.([a-z][\w-]*)/)", re.A)
#: `TeamDelete`: no word of a language.
_CAMEL = re.compile(r"(?<![\w-])[A-Z][a-z]+[A-Z]\w*", re.A)


def stances(text: Text) -> Stances:
    """Return what the text makes of each place."""
    return text.once(_stances)


def _stances(text: Text) -> Stances:
    blocks = read_blocks(text.document.tokens, text.lines, text.body_line)
    return Stances(blocks, text.source.text, known_names(text))


def known_names(text: Text) -> frozenset[str]:
    """Return in small letters the words that name a mode, the product, a command or a directory of the text."""
    modes, _ = reading(text)
    titles = [title for title, _ in modes.titles.values()]
    phrases = [*modes.strong, *titles, *(fact.value for fact in read_label(text, modes)), text.front.string("name")]
    words = {word for phrase in phrases for word in _WORD.findall(phrase.lower())}
    words |= {phrase.lower() for phrase in phrases}
    words |= {word.lower() for word in _CAMEL.findall(text.source.text)}
    words |= {name for match in _NAMES.findall(text.low) for name in match if name}
    return frozenset(words)
