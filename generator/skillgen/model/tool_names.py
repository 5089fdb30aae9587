"""Say by a tool's name what it does with the state of modes."""

from __future__ import annotations

import re
from functools import lru_cache

#: What a tool does, by the verb in its name; the first that the name holds counts.
_ROLES = (
    ("clear", frozenset({"clear", "delete", "remove", "reset", "purge", "drop"})),
    ("write", frozenset({"write", "set", "update", "save", "store", "put", "patch"})),
    ("status", frozenset({"status"})),
    ("list", frozenset({"list", "active", "all"})),
    ("read", frozenset({"read", "get", "load", "show", "view", "fetch"})),
)
_OF_STATE = frozenset({"state", "states", "mode", "modes"})
_PARTS = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])", re.A)


@lru_cache(maxsize=1024)
def tool_role(name: str) -> str:
    """Return what a tool does with the state of modes (clear, write, status, list, read), '' where its name says nothing of it.

    `state_clear`, `x_state_clear`, `mode_clear`, `clearModeState`: the words of the name count, not their order.
    """
    words = [word.lower() for word in _PARTS.findall(name.rpartition("__")[2])]
    if _OF_STATE.isdisjoint(words) or len(words) > 5:
        return ""
    return next((role for role, verbs in _ROLES if not verbs.isdisjoint(words)), "")


_ENDS = frozenset(
    {"clear", "delete", "remove", "reset", "purge", "end", "stop", "cancel", "abort", "kill", "terminate", "finish"}
)


@lru_cache(maxsize=1024)
def ends_by_name(name: str) -> bool:
    """Whether the words of a tool's name say that it ends or removes what it is given: `endSession`, `loch_end`."""
    words = [word.lower() for word in _PARTS.findall(name.rpartition("__")[2])]
    return 1 < len(words) <= 5 and not _ENDS.isdisjoint(words)
