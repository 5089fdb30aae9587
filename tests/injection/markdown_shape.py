"""See a Markdown text as its blocks and as what its lines do beside being read."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

#: What makes an inline text more than words and code.
_LIVE = ("link_open", "image", "html_inline", "em_open", "strong_open", "s_open", "softbreak", "hardbreak")


def parser() -> MarkdownIt:
    return MarkdownIt("commonmark").enable(["table", "strikethrough"])


def split(text: str) -> tuple[str, str]:
    """Return the front matter without its marks ("" if there is none) and the body."""
    if not text.startswith("---\n"):
        return "", text
    front, mark, body = text[4:].partition("\n---\n")
    assert mark, "the front matter has no end"
    return front + "\n", body


@lru_cache(maxsize=64)
def tokens(text: str) -> list[Token]:
    return parser().parse(split(text)[1])


def blocks(text: str) -> list[tuple[str, str, int, str]]:
    """Return type, tag, depth and language of every block; of an ordered item its number."""
    return [(token.type, token.tag, token.level, token.info) for token in tokens(text)]


def living(text: str) -> list[Counter[str]]:
    """Return for each inline text how many links, images, tags, emphases and breaks it has."""
    return [
        Counter(child.type for child in token.children or () if child.type in _LIVE)
        for token in tokens(text)
        if token.type == "inline"
    ]


def targets(text: str) -> list[str]:
    """Return where the links and images lead."""
    found = []
    for token in tokens(text):
        for child in token.children or ():
            if child.type in ("link_open", "image"):
                found.append(str(child.attrs.get("href", child.attrs.get("src", ""))))
    return found
