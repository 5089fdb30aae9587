"""Hold what a law came to, for one mode in one scenario."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

State = Literal["proven", "broken", "not proven"]

LAWS = {
    "gone": "what the report calls complete is gone for the product",
    "hook": "the product's stop hook held the session before, and lets go after",
    "untouched": "nothing else changed, byte for byte, between start and end of our script",
    "again": "a second run finds nothing and changes nothing",
    "identity": "the session is known by its variable, and without one nothing changes",
    "subdirectory": "from a subdirectory the run ends the mode or says that it did not",
    "worktree": "in a linked worktree the run ends the mode or says that it did not",
    "link": "what is linked ends with its owner",
    "corrupt": "an unreadable record stays and is reported, and the others end; one of another session stops nothing",
    "foreign": "another session's record stays as it is",
    "lock": "while the product holds its lock our script writes nothing and calls nothing complete, and the other way round",
    "workers": "a team that is called stopped has no live worker",
    "all": "every session of the product ends",
    "calls": "the calls that SKILL.md prints end the mode",
    "tool": "what the text says of a tool is what the tool does",
    "claim": "what the product says of its own deed is so",
}
"""Law -> what it says, in the order of the report's columns."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """`mode` is "" for a law about the product as a whole; `why` says what was seen, or why nothing could be."""

    scenario: str
    mode: str
    law: str
    state: State
    why: str = ""


def cell(verdicts: Iterable[Verdict]) -> State | None:
    """Return what several verdicts come to: broken if one is, proven only where all are; None where there is none."""
    states = {verdict.state for verdict in verdicts}
    for state in ("broken", "not proven", "proven"):
        if state in states:
            return state
    return None


def exit_code(verdicts: Iterable[Verdict]) -> int:
    """Return 0 if no law is broken and one at least is proven, 1 if one is broken, 2 if none could be tried."""
    states = {verdict.state for verdict in verdicts if verdict.law != "claim"}
    if "broken" in states:
        return 1
    return 0 if "proven" in states else 2
