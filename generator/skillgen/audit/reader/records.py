"""Say whose record a file is: `<mode>-state.json`, `<mode>.json`, or what a row `path → Mode` says."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from skillgen.audit.reader.words import KNOWN_MODES, names

if TYPE_CHECKING:
    from skillgen.audit.text import Text

#: A row that gives a record's owner: `.x/state/old-state.json` → Plan detected.
_OWNED = re.compile(
    r"([a-z][a-z0-9-]*?)(?:-state)?\.json[`\"']*[ \t]*(?:→|->|=>|➜|⇒)[ \t]*[*`\"]*([A-Za-z][\w /+-]{1,40})", re.A
)
_DETECTED = re.compile(r"\s(?:detected|active|is active|found)\s*$", re.A)
_RECORD = re.compile(
    r"(?:^|[/\"'\s])([a-z][a-z0-9-]*?)(-state)?\.(?:json|db|sqlite3?|local\.md|md|marker|ya?ml|toml|state)\b", re.A
)


def owners(text: Text) -> dict[str, tuple[str, int]]:
    """Return stem of a record -> (mode that the text says it belongs to, line)."""
    found: dict[str, tuple[str, int]] = {}
    for number in text.holding("→", "->", "=>", "➜", "⇒"):
        line = text.lines[number - 1]
        if len(line) > 2000 or ".json" not in line:
            continue
        for match in _OWNED.finditer(line):
            keys = names(match[2])
            if len(keys) == 1 and (keys[0] in KNOWN_MODES.values() or _DETECTED.search(match[2])):
                found.setdefault(match[1], (keys[0], number))
    return found


def record_key(text: Text, key: str) -> str:
    """Return the stem of the one record that differs from a product's own mode only in the product: `zed-teams` for OMZ Teams."""
    parts = key.split("-")
    # `Bright Pan Teams` keeps `brightpan-teams-state.json`.
    if len(parts) > 2 and (joined := f"{parts[0]}{'-'.join(parts[1:])}") and f"{joined}-state.json" in text.source.text:
        return joined if f"{key}-state.json" not in text.source.text else key
    label, _, tail = key.partition("-")
    if not tail or "-" in tail or key in KNOWN_MODES or f"-{tail}-state.json" not in text.source.text:
        return key
    if f"{key}-state.json" in text.source.text or not re.search(
        rf"\b{label.upper()} {tail}\b", text.source.text, re.A | re.I
    ):
        return key
    if f"{label.upper()} " not in text.source.text:
        return key
    stems = set(re.findall(rf"(?<![\w-])([a-z][a-z0-9]*-{tail})-state\.json", text.source.text, re.A))
    return next(iter(stems)) if len(stems) == 1 else key


def record_stem(path: str) -> tuple[str, bool]:
    """Return the stem of a record's file name and whether it ends in `-state`; ('', False) for any other path."""
    match = next(reversed(list(_RECORD.finditer(path))), None)
    return (match[1], bool(match[2])) if match else ("", False)
