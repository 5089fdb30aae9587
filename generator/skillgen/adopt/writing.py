"""Write a flavor as YAML, each value with the line of the text on which it stands."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from skillgen.adopt.difference import DROP
from skillgen.adopt.evidence import Evidence

_PLAIN = re.compile(r"[A-Za-z/.][\w/.-]*$", re.A)
#: What a link says anyway.
_FIRST = ("first", "dependant")
_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})


@dataclass(frozen=True, slots=True)
class Listing:
    """Comments at the end of the file: a title, and rows in their order."""

    title: str
    rows: tuple[str, ...]


class Notes:
    """Says behind a value where it comes from."""

    def __init__(
        self,
        lines: Mapping[tuple[str, ...], int],
        evidence: Evidence,
        base: str,
        derived: Mapping[tuple[str, ...], str],
        marks: Mapping[tuple[str, ...], str],
    ) -> None:
        self._lines = lines
        self._evidence = evidence
        self._base = f"  # from {base}, renamed"
        self._derived = derived
        self._marks = marks

    def of(self, path: tuple[str, ...], value: Any) -> str:
        """Return a comment, or ''; a mode's own line stands behind its key."""
        if path in self._marks:
            return f"  # {self._marks[path]}"
        line = self._lines.get(path, 0)
        if isinstance(value, dict):
            return self._name_path(path)
        if line and (self._evidence.is_elsewhere(line) or self._evidence.on_line(line, value)):
            return f"  # {self._evidence.where(line)}"
        if line:
            return f"  # as {self._evidence.where(line)} has it"
        return self._base if value and self._derived.get(path) == value else ""

    def item(self, path: tuple[str, ...], item: Any) -> str:
        """Return a comment for one item of a list, or for the mode that a key names."""
        name = item["path"] if isinstance(item, dict) and "path" in item else item
        if not isinstance(name, str):
            return ""
        line = self._lines.get((*path, name), 0)
        proven = self._evidence.is_elsewhere(line) or self._evidence.on_line(line, name)
        return f"  # {self._evidence.where(line)}" if line and proven else ""

    def _name_path(self, path: tuple[str, ...]) -> str:
        line = self._lines.get(path, 0) if path[0] == "modes" else 0
        return f"  # {self._evidence.where(line)}" if line and self._evidence.on_line(line, path[-1]) else ""


def write_flavor(
    base: str, revision: str, values: Mapping[str, Any], source: str, notes: Notes, listings: Iterable[Listing]
) -> str:
    """Return the text of the flavor file; `source` names the text that was read."""
    out = [
        f"# Read from {source}. Only what differs from {base} stands here; `# line` gives the line of that text on which a value stands.",
        "# What every key means: skillgen schema. What the base says: skillgen explain " + base,
        f"base: {base}",
        f"revision: {scalar(revision)}",
    ]
    for key, value in values.items():
        out.append("")
        out += _entry(key, value, (key,), notes, 0)
    for listing in listings:
        if listing.rows:
            out += ["", f"# {listing.title}", *(f"#   {' '.join(row.split())}" for row in listing.rows)]
    return seal("\n".join(out) + "\n")


_SEAL = "# As adopted: "


def seal(text: str) -> str:
    """Add a line by which a later adopt knows that nobody has edited the file since."""
    first, _, rest = text.partition("\n")
    return f"{first}\n{_SEAL}{_digest(first + rest)}; once edited, no adopt writes over it.\n{rest}"


def is_sealed(text: str) -> bool:
    """Whether a flavor file is byte for byte as an adopt wrote it."""
    first, _, rest = text.partition("\n")
    line, _, rest = rest.partition("\n")
    return line.startswith(_SEAL) and line[len(_SEAL) :].partition(";")[0] == _digest(first + rest)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def scalar(value: Any) -> str:
    """Write a scalar or flow value; JSON is YAML."""
    if isinstance(value, str) and _PLAIN.match(value) and value.lower() not in _WORDS:
        return value
    return json.dumps(value, ensure_ascii=False)


def _entry(key: str, value: Any, path: tuple[str, ...], notes: Notes, depth: int) -> list[str]:
    pad = "  " * depth
    if value is DROP:
        return [f"{pad}{scalar(key)}: null"]
    if isinstance(value, dict) and value:
        out = [f"{pad}{scalar(key)}:{notes.of(path, value)}"]
        for name, child in value.items():
            out += _entry(str(name), child, (*path, str(name)), notes, depth + 1)
        return out
    if (
        isinstance(value, list)
        and value
        and any(isinstance(item, (dict, list)) for item in value)
        and notes.of(path, {})
    ):
        out = [f"{pad}{scalar(key)}:{notes.of(path, {})}"]
        return [*out, *(f"{pad}  - {_item(item)}" for item in value)]
    marked = isinstance(value, list) and any(notes.item(path, _unwrap_single(item)) for item in value)
    if (
        isinstance(value, list)
        and value
        and (len(value) > 4 or marked or any(isinstance(x, (dict, list)) for x in value))
    ):
        out = [f"{pad}{scalar(key)}:"]
        for item in value:
            if path == ("order",) and isinstance(item, list) and len(item) > 1:
                out.append(f"{pad}  - {_item(item)}{_group(path, item, notes)}")
            else:
                out.append(f"{pad}  - {_item(item, path == ('order',))}{notes.item(path, _unwrap_single(item))}")
        return out
    return [f"{pad}{scalar(key)}: {_item(value)}{notes.of(path, value)}"]


def _unwrap_single(item: Any) -> Any:
    return item[0] if isinstance(item, list) and len(item) == 1 else item


def _group(path: tuple[str, ...], keys: list[str], notes: Notes) -> str:
    """A group has a line only where all of it stands on one."""
    found = {notes.item(path, key) for key in keys}
    return found.pop() if len(found) == 1 else ""


def _item(value: Any, grouped: bool = False) -> str:
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], str) and grouped:
        return scalar(value[0])
    if isinstance(value, dict):
        value = {name: child for name, child in value.items() if child not in (None, False) and (name, child) != _FIRST}
        return "{" + ", ".join(f"{scalar(k)}: {_item(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_item(item) for item in value) + "]"
    return scalar(value)
