"""Bring Markdown into a form in which it says the same whatever its table widths, list numbers and wraps."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

_EXTENSIONS = ("gfm", "tables")
#: Every wrap and every list number is one; only for comparing.
_COMPARED: Mapping[str, Any] = {"wrap": "no"}
#: As the shipped templates are written.
_WRITTEN: Mapping[str, Any] = {"number": True, "plugin": {"tables": {"compact_tables": True}}}
_LONGEST_LIST = 9
"""Items; the numbers of a longer list would be padded with zeros."""
_TAG = re.compile(r"</?\w+")
_PRE = re.compile(r"(<pre>.*?</pre>)", re.DOTALL)


@lru_cache(maxsize=1 << 14)
def comparable(text: str) -> str | None:
    """Return the form of a block in which it is compared; None where that does not render to the same HTML.

    What was asked for once is remembered: the blocks of a bundle stand in every fork of it.
    """
    return _format(text, _COMPARED)


@lru_cache(maxsize=1 << 10)
def normal(text: str) -> str:
    """Return a text without front matter in its normal form, as far as that renders to the same HTML."""
    parts = [part if kept else _format(part, _WRITTEN) or part for part, kept in _around_long_lists(text)]
    return "".join(parts)


def same_shape(one: str, other: str) -> bool:
    """Whether two texts render to the same elements in the same order, whatever words stand in them."""
    return _TAG.findall("".join(_html(one))) == _TAG.findall("".join(_html(other)))


def headings(text: str) -> list[tuple[int, str]]:
    """Return level and words of every heading, also of those in lists and quotations."""
    from markdown_it import MarkdownIt

    tokens = MarkdownIt("commonmark").parse(text)
    return [
        (int(token.tag[1:]), tokens[n + 1].content) for n, token in enumerate(tokens) if token.type == "heading_open"
    ]


def _format(text: str, options: Mapping[str, Any]) -> str | None:
    # Its import takes longer than a build of bundles that need none of it.
    import mdformat

    try:
        made = mdformat.text(text, options=options, extensions=set(_EXTENSIONS))
    except (ValueError, RecursionError):
        return None
    end = text[len(text.rstrip("\n")) :]
    made = made.rstrip("\n") + end if text.strip() else text
    return made if _html(made) == _html(text) else None


def _html(text: str) -> list[str]:
    """Return what a text renders to; white space counts only where it is shown."""
    from markdown_it import MarkdownIt

    whole = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(text)
    return [part if part.startswith("<pre>") else " ".join(part.split()) for part in _PRE.split(whole)]


def _around_long_lists(text: str) -> Iterable[tuple[str, bool]]:
    """Split a text at its long numbered lists; each part with whether it is one, which stays as it is."""
    from markdown_it import MarkdownIt

    rows = text.splitlines(keepends=True)
    tokens = MarkdownIt("commonmark").disable("inline").parse(text)
    at = 0
    for index, token in enumerate(tokens):
        if token.type != "ordered_list_open" or token.level or token.map is None:
            continue
        close = next(
            n for n in range(index, len(tokens)) if tokens[n].type == "ordered_list_close" and not tokens[n].level
        )
        items = sum(one.type == "list_item_open" and one.level == 1 for one in tokens[index:close])
        if items > _LONGEST_LIST:
            yield "".join(rows[at : token.map[0]]), False
            yield "".join(rows[token.map[0] : token.map[1]]), True
            at = token.map[1]
    yield "".join(rows[at:]), False
