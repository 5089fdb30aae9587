"""Name one change of meaning between two contracts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

GROUPS = (
    "flags",
    "identity",
    "global pass",
    "protections",
    "modes",
    "order",
    "links",
    "tools",
    "state",
    "team",
    "ending",
    "messages",
    "invocation",
    "text",
    "release",
)


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that the second contract says differently."""

    group: str
    """One of GROUPS."""
    key: str
    """Where it stands in the contract, such as `flags.force`."""
    text: str
    """The change in words."""
    behaviour: bool
    """Whether a run does something else; else only what is said differs."""
    before: Any
    """JSON value in the first contract; None where it has none."""
    after: Any
