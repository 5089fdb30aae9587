"""Find the sections that a text marks by own-line tags, `<Some_Name>` to `</Some_Name>`."""

from __future__ import annotations

import re
from dataclasses import dataclass

_TAG = re.compile(r"<(/?)([A-Za-z][\w-]*)>\s*$", re.A)
_FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})")
_ELEMENTS = frozenset(
    {
        "a", "b", "blockquote", "br", "center", "code", "details", "div", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "i",
        "img", "kbd", "li", "ol", "p", "picture", "pre", "samp", "script", "section", "span", "strong", "style", "sub",
        "summary", "sup", "table", "tbody", "td", "th", "thead", "tr", "ul",
    }
)  # fmt: skip
#: Tags deeper than this are not paired.
DEPTH = 16
#: A text of more tags is markup.
TAGS = 200


@dataclass(frozen=True, slots=True)
class Tag:
    """A section between `<Some_Name>` and `</Some_Name>`, each alone on its line; `text` is its name in words."""

    text: str
    line: int
    end: int


def find_tags(lines: list[str]) -> list[Tag]:
    """Return the pairs of own-line tags outside fences that are no HTML elements, in the order of their opening."""
    if not any(line.startswith("<") for line in lines):
        return []
    found: list[Tag] = []
    waiting: list[tuple[str, int]] = []
    fence = ""
    for number, line in enumerate(lines, 1):
        if mark := _FENCE.match(line):
            if not fence:
                fence = mark[1]
            elif mark[1].startswith(fence) and not line.strip(" `~"):
                fence = ""
        if fence or line[:1] != "<" or not (tag := _TAG.match(line)) or tag[2].lower() in _ELEMENTS:
            continue
        if not tag[1]:
            waiting.append((tag[2], number))
        elif any(name == tag[2] for name, _ in waiting[-DEPTH:]):
            while waiting[-1][0] != tag[2]:
                waiting.pop()
            found.append(Tag(re.sub(r"[_-]+", " ", tag[2]), waiting.pop()[1], number))
    return sorted(found, key=lambda tag: tag.line) if len(found) <= TAGS else []
