"""Take back what was changed in the form of Markdown alone, so that only what a text says can be in conflict."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import pairwise
from typing import NamedTuple

from markdown_it import MarkdownIt

from skillgen.model.markdown import comparable

_BLOCKS = MarkdownIt("commonmark").enable("table").disable("inline")
_NUMBER = re.compile(r"\A(\s*)\d+([.)])")
_DASHES = re.compile(r"-{2,}")


class Piece(NamedTuple):
    """A block, an item of a list or a row of a table."""

    body: str
    """Without the line feeds at its end."""
    gap: str
    kind: str
    """`block`, `item` or `row`."""


def settle(base: str, ours: str, theirs: str) -> tuple[str, str, str]:
    """Return the three texts with each piece in one form where not more than one side changed what it says.

    Both left it alone: in the fork's form if that is one of its own, else as it is rendered now. One left it alone: in the
    base's form there, so that the other's bytes are taken. What both changed stays as it is.
    """
    sides = [_pieces(text) for text in (base, ours, theirs)]
    bodies = [{piece.body for piece in side} for side in sides]
    common = bodies[0] & bodies[1] & bodies[2]
    keys = [[_key(piece, common) for piece in side] for side in sides]
    here, there = _matches(keys[0], keys[1]), _matches(keys[0], keys[2])
    before, mine, new = sides
    for index, piece in enumerate(before):
        one, other = here.get(index), there.get(index)
        if one is not None and other is not None:
            form = mine[one].body if mine[one].body != piece.body else new[other].body
            before[index] = piece._replace(body=form)
            mine[one], new[other] = mine[one]._replace(body=form), new[other]._replace(body=form)
        elif one is not None:
            mine[one] = mine[one]._replace(body=piece.body)
        elif other is not None:
            new[other] = new[other]._replace(body=piece.body)
    return _joined(before), _joined(mine), _joined(new)


def in_form_of(text: str, like: str) -> str:
    """Return a text with each piece that says the same as one of `like` as it stands there."""
    known = _pieces(like)
    common = {piece.body for piece in known}
    forms = {_key(piece, set()): piece.body for piece in known}
    pieces = _pieces(text)
    # A piece that stands there letter for letter needs no other form.
    return _joined([p if p.body in common else p._replace(body=forms.get(_key(p, set()), p.body)) for p in pieces])


def _pieces(text: str) -> list[Piece]:
    rows = text.split("\n")
    rows = [row + "\n" for row in rows[:-1]] + ([rows[-1]] if rows[-1] else [])
    found: list[Piece] = []
    starts = [*_starts(text), (len(rows), "block")]
    if starts[0][0]:
        starts.insert(0, (0, "block"))
    for (start, kind), (end, _) in pairwise(starts):
        whole = "".join(rows[start:end])
        body = whole.rstrip("\n")
        found.append(Piece(body, whole[len(body) :], kind))
    return found


def _starts(text: str) -> Iterator[tuple[int, str]]:
    """Yield the line on which each piece starts, and its kind."""
    seen, rows = -1, [*text.split("\n"), ""]
    for token in _BLOCKS.parse(text):
        if token.map is None or token.nesting < 0:
            continue
        kind = "item" if token.type == "list_item_open" and token.level == 1 else ""
        kind = "row" if token.type == "tr_open" and token.level == 2 else kind
        if not token.level and token.type not in ("bullet_list_open", "ordered_list_open", "table_open"):
            kind = "block"
        if kind and token.map[0] > seen:
            seen = token.map[0]
            yield seen, kind
            if kind == "row" and _is_rule(rows[seen + 1]):
                seen += 1
                yield seen, kind


def _is_rule(row: str) -> bool:
    return bool(row.strip()) and not set(row.strip()) - set("|:- ")


def _key(piece: Piece, common: set[str]) -> str:
    """Return what two pieces that say the same share; the body itself where all sides have it."""
    if piece.body in common:
        return piece.body
    if piece.kind == "row":
        cells = re.split(r"(?<!\\)\|", piece.body.strip().strip("|"))
        return "|".join(_DASHES.sub("-", cell.strip()) for cell in cells)
    body = _NUMBER.sub(r"\g<1>1\2", piece.body) if piece.kind == "item" else piece.body
    form = comparable(body)
    return piece.body if form is None else form


def _matches(one: list[str], other: list[str]) -> dict[int, int]:
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    return {a + n: b + n for a, b, size in matcher.get_matching_blocks() for n in range(size)}


def _joined(pieces: list[Piece]) -> str:
    return "".join(piece.body + piece.gap for piece in pieces)
