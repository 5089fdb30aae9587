"""Merge texts in which every line stands for itself, so that changes of two neighbours are no conflict."""

from __future__ import annotations

import re

from skillgen.model.fork import Lines

BETWEEN = b"\x01"
_WITHIN = b"\x02"
RESERVED = (BETWEEN, _WITHIN)
"""No text that is merged so may hold one of these."""
_SENTENCE = re.compile(rb"(?<=[.;:!?\"]) (?=\S)")

_TORN = re.compile(rb"\x02\n(?:\n|\Z)")
"""A sentence that goes on where its paragraph ends."""


def merge_sentences(lines: Lines, base: bytes, ours: bytes, theirs: bytes) -> tuple[bytes, int]:
    """Merge prose, a paragraph or a list item a line: sentence by sentence where that leaves no conflict."""
    # A conflict has to stand on lines of its own, so that only a clean merge may go below them.
    split = [_SENTENCE.sub(b" " + _WITHIN + b"\n", text) for text in (base, ours, theirs)]
    merged, conflicts = merge_apart(lines, split[0], split[1], split[2])
    if not conflicts and not _TORN.search(merged):
        return merged.replace(b" " + _WITHIN + b"\n", b" "), 0
    return merge_apart(lines, base, ours, theirs)


def merge_apart(lines: Lines, base: bytes, ours: bytes, theirs: bytes) -> tuple[bytes, int]:
    """Merge paragraphs, list items or JSON values, one a line; returns the text and the number of conflicts."""
    # Git takes changes that touch for one change; a line between any two keeps them apart.
    merged, conflicts = lines(_widen(base), _widen(ours), _widen(theirs))
    return merged.replace(BETWEEN + b"\n", b""), conflicts


def _widen(text: bytes) -> bytes:
    if text and not text.endswith(b"\n"):
        text += b"\n"
    return text.replace(b"\n", b"\n" + BETWEEN + b"\n")
