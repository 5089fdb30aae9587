"""Merge front matter as data, key by key, each in the words of the side that it is taken from."""

from __future__ import annotations

import io
import re
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from skillgen.drift.merge_values import ABSENT, Clash, merge_values, ordered, same
from skillgen.model.fork import Lines, Merged

_FENCE = re.compile(r"---[ \t]*\n(?:(.*?)\n)?---[ \t]*(?:\n|\Z)", re.DOTALL)
_KEY = re.compile(r"([^\s#:'\"-][^:#\n]*?)[ \t]*:(?:[ \t].*)?")
Blocks = dict[str, str]
"""Key -> its lines, comments above it included."""


def split_front(text: str) -> tuple[str, str]:
    """Return front matter with its fences, empty if there is none, and the body."""
    match = _FENCE.match(text)
    return (match[0], text[match.end() :]) if match else ("", text)


def front_values(text: str) -> dict[str, Any]:
    """Return a text's front matter as data; nothing if it has none or it cannot be read."""
    match = _FENCE.match(text)
    try:
        found = _load(match[1] or "") if match else None
    except YAMLError:
        return {}
    return found if isinstance(found, dict) else {}


def merge_front(
    base: str,
    ours: str,
    theirs: str,
    lines: Lines,
    favor: str,
) -> Merged:
    """Return the merged front matter; a conflict stands in it with markers around the one key."""
    if ours in (base, theirs):
        return Merged(theirs.encode())
    if theirs == base:
        return Merged(ours.encode())
    sides = [_blocks(side) for side in (base, ours, theirs)]
    if any(side is None for side in sides):
        return Merged(*lines(base.encode(), ours.encode(), theirs.encode()))
    text, conflicts = b"", 0
    blocks = [side or {} for side in sides]
    for key in ordered(list(blocks[1]), list(blocks[2])):
        old, mine, new = (side.get(key, "") for side in blocks)
        block, more = _merge_key(key, old, mine, new, lines, favor)
        text += block
        conflicts += more
    return Merged(b"---\n" + text + b"---\n" if text else b"", conflicts)


def _merge_key(
    key: str,
    base: str,
    ours: str,
    theirs: str,
    lines: Lines,
    favor: str,
) -> tuple[bytes, int]:
    old, mine, new = (_value(block, key) for block in (base, ours, theirs))
    try:
        merged = merge_values(old, mine, new, favor)
    except Clash:
        return lines(base.encode(), ours.encode(), theirs.encode())
    if merged is ABSENT:
        return b"", 0
    # Of two blocks that mean the same, the one that says it in other words than before was written on purpose.
    for value, block in sorted(((mine, ours), (new, theirs)), key=lambda side: side[1] == base):
        if same(value, merged):
            return block.encode(), 0
    return _dump({key: merged}), 0


def _blocks(front: str) -> Blocks | None:
    """Split front matter at its top keys; None if that would not be its meaning."""
    match = _FENCE.match(front)
    if match is None:
        return {} if not front else None
    found: Blocks = {}
    waiting = ""
    key = ""
    for line in (match[1] or "").split("\n"):
        if named := _KEY.fullmatch(line):
            key = named[1]
            if key in found:
                return None
            found[key] = waiting + line + "\n"
            waiting = ""
        elif not line.strip() or line.startswith("#"):
            waiting += line + "\n"
        elif key:
            found[key] += waiting + line + "\n"
            waiting = ""
        else:
            return None
    if waiting.strip():
        return None
    try:
        whole = _load(match[1] or "") or {}
        parts = {key: _value(block, key) for key, block in found.items()}
    except YAMLError:
        return None
    return found if isinstance(whole, dict) and same(whole, parts) else None


def _value(block: str, key: str) -> Any:
    return (_load(block) or {}).get(key, ABSENT) if block else ABSENT


def _load(text: str) -> Any:
    return YAML(typ="safe", pure=True).load(text)


def _dump(value: Any) -> bytes:
    yaml = YAML()
    yaml.width = 10_000
    stream = io.BytesIO()
    yaml.dump(value, stream)
    return stream.getvalue()
