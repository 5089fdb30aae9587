"""Write a flavor as YAML, each value with the line of the text that it was read from."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from skillgen.adopt.difference import DROP

_PLAIN = re.compile(r"[A-Za-z/.][\w/.-]*$")
#: What a link says anyway.
_FIRST = ("first", "dependant")
_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})


def write_flavor(
    base: str,
    revision: str,
    values: Mapping[str, Any],
    lines: Mapping[tuple[str, ...], int],
    source: str,
    *,
    unplaced: Iterable[tuple[int, str]] = (),
    fixed: Iterable[tuple[int, str]] = (),
    check: Iterable[str] = (),
) -> str:
    """Return the text of the flavor file; `source` names the text that was read."""
    out = [
        f"# Read from {source}. Only what differs from {base} stands here; a comment gives the line of that text.",
        "# What every key means: skillgen schema. What the base says: skillgen explain " + base,
        f"base: {base}",
        f"revision: {scalar(revision)}",
    ]
    for key, value in values.items():
        out.append("")
        out += _entry(key, value, (key,), lines, 0)
    inherited = sorted(check)
    if inherited:
        out += ["", "# Taken over from the base under your names; check that it is true of your product:"]
        out += [f"#   {key}" for key in inherited]
    out += _listing("Could not be placed; decide by hand:", unplaced)
    out += _listing("Not carried over, since the base does it right:", fixed)
    return "\n".join(out) + "\n"


def scalar(value: Any) -> str:
    """Write a scalar or flow value; JSON is YAML."""
    if isinstance(value, str) and _PLAIN.match(value) and value.lower() not in _WORDS:
        return value
    return json.dumps(value, ensure_ascii=False)


def _entry(key: str, value: Any, path: tuple[str, ...], lines: Mapping[tuple[str, ...], int], depth: int) -> list[str]:
    pad = "  " * depth
    note = _note(path, value, lines)
    if value is DROP:
        return [f"{pad}{scalar(key)}: null"]
    if isinstance(value, dict) and value:
        out = [f"{pad}{scalar(key)}:{note}"]
        for name, child in value.items():
            out += _entry(str(name), child, (*path, str(name)), lines, depth + 1)
        return out
    if isinstance(value, list) and value and (len(value) > 4 or any(isinstance(item, (dict, list)) for item in value)):
        return [f"{pad}{scalar(key)}:{note}", *(f"{pad}  - {_item(item, path == ('order',))}" for item in value)]
    return [f"{pad}{scalar(key)}: {_item(value)}{note}"]


def _item(value: Any, grouped: bool = False) -> str:
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], str) and grouped:
        return scalar(value[0])
    if isinstance(value, dict):
        value = {name: child for name, child in value.items() if child not in (None, False) and (name, child) != _FIRST}
        return "{" + ", ".join(f"{scalar(k)}: {_item(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_item(item) for item in value) + "]"
    return scalar(value)


def _note(path: tuple[str, ...], value: Any, lines: Mapping[tuple[str, ...], int]) -> str:
    line = lines.get(path)
    if line is None and isinstance(value, str):
        line = next((at for (first, *rest), at in lines.items() if first == "" and rest and rest[0] in value), None)
    return f"  # line {line}" if line else ""


def _listing(title: str, rows: Iterable[tuple[int, str]]) -> list[str]:
    found = sorted(set(rows))
    if not found:
        return []
    return ["", f"# {title}", *(f"#   line {line}: {' '.join(what.split())}" for line, what in found)]
