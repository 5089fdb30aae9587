"""Read front matter, the product's label, invocations, flags and keywords."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from skillgen.audit.reader.flags import read_flags
from skillgen.audit.reader.invocations import read_invocations
from skillgen.audit.reader.keywords import read_keywords
from skillgen.audit.reader.label import read_label
from skillgen.model.facts import Fact
from skillgen.model.subject import Kind

if TYPE_CHECKING:
    from skillgen.audit.reader.modes import Modes
    from skillgen.audit.text import Text

_LOST_KEY = re.compile(r"([a-z][a-z-]{2,30})\t(\S.*)$")


def read_names(text: Text, modes: Modes) -> Iterator[Fact]:
    yield from _front(text)
    yield from read_label(text, modes)
    yield from read_invocations(text)
    yield from read_flags(text)
    yield from read_keywords(text)


def _front(text: Text) -> Iterator[Fact]:
    for key in text.front.keys:
        value = key.value
        if isinstance(value, list):
            value = ", ".join(str(item) for item in value)
        if isinstance(value, str) and key.name != "prompt":
            yield Fact("front", key.name, value, key.line)
    if not text.front.line and text.kind is Kind.TEXT:
        for number, line in enumerate(text.lines[:14], 1):
            if match := _LOST_KEY.match(line):
                yield Fact("front", match[1], match[2].strip(), number)
