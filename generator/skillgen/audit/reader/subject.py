"""Say whether a text speaks of modes of work at all, or of builds, orders and other things that can be cancelled."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import TYPE_CHECKING

from skillgen.audit.reader.words import KNOWN_KEYS, ORDINARY

if TYPE_CHECKING:
    from skillgen.audit.text import Text

_MODES = re.compile(
    r"(?<!failure )(?<!error )(?<!permission )(?<!output )(?<!transport )(?<!payment )\bmodes\b|\b(?:active|current|running|each|every|which|that|its) (?:[\w-]+ )?mode\b|\bmode\s*=\s*[\"']|[<\[{(]modes?\s*[:=]|모드|模式|モード",
    re.I | re.A,
)
_TOOL = re.compile(r"\bstate_(?:clear|read|write|delete|set|list_active|get_status)\b", re.A)
#: Who works by himself, beside builds and orders.
_LOOPS = re.compile(
    r"\b(?:loops?|autonomous\w*|stop[- ]hooks?|sub-?agents?|workflows?)\b|循环|自主|루프|자율|ループ|自律|훅|钩子|フック",
    re.I | re.A,
)
_OFF = re.compile(r"\bactive[`\"']*\s*[:=]\s*[`\"']*false", re.A)
_FILE = "-state.json"


def speaks_of_modes(text: Text) -> bool:
    """Whether the text has a word for modes or a call of a tool for their state."""
    whole = text.source.text
    return bool(_MODES.search(whole) or ("state_" in whole and _TOOL.search(whole)))


def are_modes(text: Text, keys: Collection[str]) -> bool:
    """Whether what was found by name and shape can be modes: one is well known, or the text speaks of them otherwise."""
    if any(key in KNOWN_KEYS and key not in ORDINARY for key in keys) or speaks_of_modes(text):
        return True
    whole = text.source.text
    recorded = any(f"{key}{_FILE}" in whole for key in keys)
    return recorded and bool(_LOOPS.search(whole) or _OFF.search(whole))
