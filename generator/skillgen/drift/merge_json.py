"""Merge JSON files as data, in the form that the fork's file has."""

from __future__ import annotations

import json
import re
from typing import Any

from skillgen.drift.apart import merge_apart
from skillgen.drift.merge_values import Clash, merge_values, same
from skillgen.model.fork import Lines, Merged
from skillgen.model.json_text import parse_json


def merge_json(base: bytes, ours: bytes, theirs: bytes, lines: Lines, favor: str) -> Merged:
    """Return the merge; a conflict is left to `lines`, so that it stands in the text with markers."""
    by_lines, conflicts = merge_apart(lines, base, ours, theirs)
    try:
        merged = merge_values(_parse(base), _parse(ours), _parse(theirs), favor)
    except (Clash, ValueError):
        # Lines that merge into broken JSON, or settle what the data say is a conflict, settle nothing.
        return Merged(by_lines, conflicts) if conflicts else Merged(*_merge_whole(ours, theirs, lines))
    if not conflicts and same(_parsed(by_lines), merged):
        return Merged(by_lines)
    indent = re.search(rb"^([ \t]+)\S", ours, re.MULTILINE)
    text = json.dumps(merged, indent=indent[1].decode() if indent else None, ensure_ascii=False)
    return Merged(text.encode() + (b"\n" if ours.endswith(b"\n") else b""))


def _merge_whole(ours: bytes, theirs: bytes, lines: Lines) -> tuple[bytes, int]:
    return merge_apart(lines, b"", ours, theirs)


def _parse(data: bytes) -> Any:
    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(items)
        if len(found) != len(items):
            raise ValueError("a key stands twice")
        return found

    return parse_json(data, pairs)


def _parsed(data: bytes) -> Any:
    try:
        return _parse(data)
    except ValueError:
        return None
