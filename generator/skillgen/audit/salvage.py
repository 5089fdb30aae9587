"""Cut a front matter that does not parse into its keys."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator

_KEY = re.compile(r"([A-Za-z][\w-]*):(?:\s+(.*))?$", re.A)
_ASSIGNMENT = re.compile(r"[A-Za-z][\w-]*\s*=\s*\S", re.A)
#: So many keys are looked at; each costs a run of the parser.
MOST = 100


def blocks(lines: list[str]) -> Iterator[tuple[str, str, int, int]]:
    """Yield (name, its text on one line, first line, line behind the last) of each key at the left edge, from 0."""
    starts = [n for n, line in enumerate(lines) if _KEY.match(line)][:MOST]
    for n, stop in zip(starts, [*starts[1:], len(lines)], strict=True):
        match = _KEY.match(lines[n])
        assert match
        value = " ".join([(match[2] or "").strip(), *(row.strip() for row in lines[n + 1 : stop])])
        yield match[1], value.strip().strip("\"'"), n, stop


def toml_keys(lines: list[str]) -> list[tuple[str, str | list[object] | dict[str, object], int]]:
    """Return (name, value, line from 0) of the keys where the lines are TOML, else nothing."""
    first = next((line for line in lines if line.strip() and not line.startswith("#")), "")
    if not _ASSIGNMENT.match(first):
        return []
    try:
        data = tomllib.loads("\n".join(lines))
    except (tomllib.TOMLDecodeError, RecursionError):
        return []
    found = []
    for name, value in data.items():
        line = next((n for n, row in enumerate(lines) if re.match(rf"\[?\s*\"?{re.escape(name)}\b", row)), 0)
        found.append((name, value if isinstance(value, (str, list, dict)) else str(value), line))
    return found
