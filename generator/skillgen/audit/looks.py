"""Find the lines on which a costly pattern is worth a try."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from skillgen.audit.hits import LONG_LINE

if TYPE_CHECKING:
    from skillgen.audit.text import Text


def scan_where(
    text: Text, pattern: re.Pattern[str], *looks: re.Pattern[str], code: bool = True
) -> Iterator[tuple[int, re.Match[str]]]:
    """Yield every match in the body with its line, as `scan` does, on lines where one of the looks finds something.

    A look starts with one character, and the rest of it asks what stands around: that runs over a text many times as fast as
    a pattern that starts with a set of characters, a choice or the border of a word. It matches within one line what the
    pattern matches, or more.
    """
    fenced = set() if code else text.document.code_lines
    for number in sorted({number for look in looks for number in text.matching(look)}):
        line = text.lines[number - 1]
        if number >= text.body_line and number not in fenced and len(line) <= LONG_LINE:
            for match in pattern.finditer(line):
                yield number, match
