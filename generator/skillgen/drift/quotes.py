"""Find what was said between quotation marks and was replaced there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

_QUOTED = re.compile(r'"((?:[^"\\]|\\.)+)"')


def changed_quotes(before: str, now: str) -> Iterator[tuple[int, str, str]]:
    """Yield line number in `now`, old and new text for each quotation that differs in a line that else is the same."""
    old, new = before.split("\n"), now.split("\n")
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "replace" or b - a != d - c:
            continue
        for number, (one, other) in enumerate(zip(old[a:b], new[c:d], strict=True), c + 1):
            if _QUOTED.sub('""', one) == _QUOTED.sub('""', other):
                for was, is_ in zip(_QUOTED.findall(one), _QUOTED.findall(other), strict=True):
                    if was != is_:
                        yield number, was, is_
