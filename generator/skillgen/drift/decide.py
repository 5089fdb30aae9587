"""Decide what to do with one file of a fork from what it was, what it would be and what it is."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from skillgen.drift.states import classify
from skillgen.model.fork import State
from skillgen.model.lock import Mark


class Action(StrEnum):
    """What carrying a decision out does with the file."""

    NONE = "none"
    WRITE = "write"
    """Write the rendering, in the form (line ends, byte order mark) that the file has."""
    REPLACE = "replace"
    """Write the rendering as it is, whatever lies there."""
    MERGE = "merge"
    """Merge the rendering with the file's edits; only that tells whether they conflict."""
    REMOVE = "remove"
    WAIT = "wait"
    """Leave the file alone until somebody settled it; its base stays what it was."""


class Facts(NamedTuple):
    """What is known of one file."""

    was: Mark | None
    """As the lock recorded it; None if no build wrote it."""
    would_be: Mark | None
    """As it would be rendered now; None if it is no longer rendered."""
    now: Mark | None
    """As it lies there; None if it does not."""
    forms: Mapping[str, str] = {}
    """Digest -> words of all that the file is but for its form; empty if `now` equals either side, or is no file."""
    rendered_once: bool = False
    """Whether a revision is known to render one of `forms`; asked only where the lock cannot be trusted."""
    marker: int = 0
    """Line of the first conflict marker in it, 0 if there is none."""


class Decision(NamedTuple):
    """The state of a file and what to do about it."""

    state: State
    edited: bool
    detail: str
    action: Action
    line: int = 0
    """Of the conflict that stands in the file already."""


def decide(facts: Facts, favor: str = "") -> Decision | None:
    """Return what to do with a file; None where there is nothing to say of it.

    `favor`: the side that wins a conflict, `ours` (the fork's), `theirs` (the rendering's) or empty.
    """
    seen = classify(facts.was, facts.would_be, facts.now, facts.forms)
    if seen is None:
        return None
    state, edited, detail = seen
    if edited and facts.would_be and facts.rendered_once:
        # The lock was merged or edited and may say too much: what was rendered once is no local edit.
        state, edited, detail = State.OUTDATED, False, ""
    returns = any("CRLF" in words for words in facts.forms.values())
    if returns and facts.would_be and facts.would_be.executable and state in (State.CURRENT, State.EDITED):
        # In a text line ends are a matter of form; a script with these does not run.
        act = Action.MERGE if edited else Action.REPLACE
        return Decision(State.OUTDATED, edited, "has CRLF line ends, with which no shell takes it", act)
    if facts.marker and state in (State.EDITED, State.OUTDATED, State.CONFLICT):
        return Decision(State.CONFLICT, True, "holds conflict markers", Action.WAIT, facts.marker)
    state, action = _act(state, facts, favor, edited=edited)
    return Decision(state, edited, detail, action)


def _act(state: State, facts: Facts, favor: str, *, edited: bool) -> tuple[State, Action]:
    rendered = facts.would_be is not None
    if state in (State.OUTDATED, State.CONFLICT) and edited and rendered and facts.forms:
        return state, Action.MERGE
    if state in (State.OUTDATED, State.MISSING) and rendered:
        return state, Action.WRITE
    if state is State.CONFLICT and favor == "theirs" and rendered:
        return State.OUTDATED, Action.REPLACE
    if state is State.CONFLICT and favor == "ours":
        return State.EDITED, Action.NONE
    if state is State.CONFLICT:
        return state, Action.WAIT
    if state is State.RETIRED and (not edited or favor == "theirs"):
        return state, Action.REMOVE
    return state, Action.NONE
