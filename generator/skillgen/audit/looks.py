"""Find the lines on which a costly pattern is worth a try."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from skillgen.audit.hits import LONG_LINE

if TYPE_CHECKING:
    from skillgen.audit.text import Text


def scan_where(
    text: Text, pattern: re.Pattern[str], *looks: re.Pattern[str] | str, code: bool = True
) -> Iterator[tuple[int, re.Match[str]]]:
    """Yield every match in the body with its line, as `scan` does, on lines where one of the looks finds something.

    A look is a piece or a pattern that starts with one character and asks then what stands around it: that runs over a text many
    times as fast as a pattern that starts with a set of characters, a choice or the border of a word. Together the looks find
    every line on which the pattern matches.
    """
    fenced = set() if code else text.document.code_lines
    numbers = set(text.holding(*(look for look in looks if isinstance(look, str))))
    numbers.update(*(text.matching(look) for look in looks if not isinstance(look, str)))
    for number in sorted(numbers):
        line = text.lines[number - 1]
        if number >= text.body_line and number not in fenced and len(line) <= LONG_LINE:
            for match in pattern.finditer(line):
                yield number, match
