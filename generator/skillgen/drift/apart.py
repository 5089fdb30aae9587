"""Merge texts in which every line stands for itself, so that changes of two neighbours are no conflict."""

from __future__ import annotations

from skillgen.model.fork import Lines

BETWEEN = b"\x01"
"""No text that is merged so may hold it."""


def merge_apart(lines: Lines, base: bytes, ours: bytes, theirs: bytes) -> tuple[bytes, int]:
    """Merge paragraphs, list items or JSON values, one a line; returns the text and the number of conflicts."""
    # Git takes changes that touch for one change; a line between any two keeps them apart.
    merged, conflicts = lines(_widened(base), _widened(ours), _widened(theirs))
    return merged.replace(BETWEEN + b"\n", b""), conflicts


def _widened(text: bytes) -> bytes:
    if text and not text.endswith(b"\n"):
        text += b"\n"
    return text.replace(b"\n", b"\n" + BETWEEN + b"\n")
