"""Compare the facts of two texts: what is gone, new and changed, with both lines."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from skillgen.model.facts import Fact, Facts

GROUPS: dict[str, tuple[str, ...]] = {
    "flags": ("flag", "flags", "scope", "forced"),
    "identity": ("variable",),
    "global pass": ("artifact",),
    "protections": ("preserved",),
    "modes": ("mode", "action", "keeps"),
    "order": ("order",),
    "links": ("link",),
    "tools": ("tool", "call", "dialect", "verb", "driven"),
    "state": ("root", "store", "record"),
    "team": ("team", "timeout", "overlay"),
    "ending": ("signal", "final"),
    "messages": ("message",),
    "invocation": ("invocation", "keyword"),
    "text": ("front", "label"),
}
"""Group as `diff` names it -> the kinds of fact in it."""
_SAID_ONLY = frozenset({"messages", "invocation", "text"})
"""Groups in which only what is said differs, not what a run does."""
_SINGLE = frozenset(
    {"flags", "scope", "store", "label", "front", "action", "keeps", "message", "order", "call", "overlay", "dialect"}
)
"""Kinds with one value a key: another value is a change, not one gone and one new."""
_OF_A_MODE = frozenset({"order", "action", "keeps", "message", "link"})
"""Kinds that say more of a mode than its name."""


@dataclass(frozen=True, slots=True)
class Move:
    """One fact that moved; `before` is None for one that is new, `after` for one that is gone."""

    group: str
    behaviour: bool
    before: Fact | None
    after: Fact | None

    @property
    def state(self) -> str:
        return "new" if self.before is None else "gone" if self.after is None else "changed"


def moves(old: Iterable[Fact], new: Iterable[Fact]) -> list[Move]:
    """Return what moved, by group as in GROUPS, behaviour first; equal facts on other lines are no move."""
    one, two = ({_identity(fact): fact for fact in reversed(_spoken_of(list(facts)))} for facts in (old, new))
    gone = [fact for identity, fact in reversed(one.items()) if identity not in two and _is_sure(fact)]
    came = [fact for identity, fact in reversed(two.items()) if identity not in one and _is_sure(fact)]
    found = []
    for fact in gone:
        other = _same_key(fact, came)
        if other is not None:
            came.remove(other)
        found.append(_move(fact, other))
    found += [_move(None, fact) for fact in came]
    order = list(GROUPS)
    found = [move for move in found if not _follows(move, found)]
    return sorted(found, key=lambda move: (not move.behaviour, order.index(move.group)))


def _is_sure(fact: Fact) -> bool:
    """Whether a fact of one side only is one that moved: of what nobody can be sure only the entries of a list are."""
    return fact.stance != "unknown" or fact.kind in ("artifact", "preserved")


def spoken(facts: Facts) -> list[Fact]:
    """Return what a text says, what it forbids, and what it speaks of so that nobody can be sure."""
    return list(facts.every)


def _spoken_of(facts: list[Fact]) -> list[Fact]:
    """Return the facts without modes of which a text has nothing but the file of a record that it removes: they are retired."""
    removed = {fact.line for fact in facts if fact.kind == "artifact"}
    more = {fact.key for fact in facts if fact.kind in _OF_A_MODE}
    return [fact for fact in facts if fact.kind != "mode" or fact.key in more or fact.line not in removed]


def _identity(fact: Fact) -> tuple[str, str, str, str]:
    # The words around a number are no fact of their own, nor is the way in which a mode's name is written.
    value = fact.key if fact.kind == "mode" else fact.value
    detail = "" if fact.kind in ("timeout", "mode") else fact.detail
    return fact.kind, fact.key, value, f"denied {detail}" if fact.stance == "denied" else detail


def _same_key(fact: Fact, others: Iterable[Fact]) -> Fact | None:
    """Return the fact that says something else of the same thing."""
    for other in others:
        if other.kind == fact.kind and other.key == fact.key:
            if fact.kind in _SINGLE:
                return other
            if other.value == fact.value:
                return other
    return None


def _move(before: Fact | None, after: Fact | None) -> Move:
    fact = before or after
    assert fact is not None
    group = next(group for group, kinds in GROUPS.items() if fact.kind in kinds)
    return Move(group, group not in _SAID_ONLY, before, after)


def _follows(move: Move, found: Iterable[Move]) -> bool:
    """Whether a move says only what another one says already: a rank that shifts since a mode came or went."""
    fact = move.before or move.after
    assert fact is not None
    if fact.kind in ("call", "verb", "dialect"):
        return move.state != "changed" and any(_is_call_of(fact, other) for other in found if other is not move)
    if fact.kind != "order":
        return False
    changed = {other.before.key if other.before else other.after.key for other in found if _of_mode(other)}  # type: ignore[union-attr]
    if fact.key in changed and move.state != "changed":
        return True
    return move.state == "changed" and bool(changed) and _rank_only(found, changed)


def _is_call_of(fact: Fact, other: Move) -> bool:
    """Whether a call is of a tool that itself came, went or is called otherwise, so that the tool's move says enough."""
    named = {one.value for one in (other.before, other.after) if one is not None and one.kind == "tool"}
    if fact.kind == "verb":
        return any(f"{fact.key} {fact.value} ".startswith(f"{name} ") for name in named)
    if fact.kind == "dialect":
        return any(" " in name for name in named)
    return any(fact.key == name.rpartition("__")[2] for name in named)


def _of_mode(move: Move) -> bool:
    fact = move.before or move.after
    return fact is not None and fact.kind == "mode" and move.state != "changed"


def _rank_only(found: Iterable[Move], modes: set[str]) -> bool:
    """Whether the two orders agree once the modes that came or went are left out."""
    before: dict[int, set[str]] = {}
    after: dict[int, set[str]] = {}
    for move in found:
        for fact, ranks in ((move.before, before), (move.after, after)):
            if fact is not None and fact.kind == "order" and fact.key not in modes:
                ranks.setdefault(int(fact.value), set()).add(fact.key)
    return [before[rank] for rank in sorted(before)] == [after[rank] for rank in sorted(after)]


def worded(fact: Fact) -> str:
    """Return a fact in a few words, without its line."""
    key = f" of {fact.key}" if fact.key and fact.kind != "mode" else ""
    detail = f" ({fact.detail})" if fact.detail and fact.kind in ("link", "keeps", "keyword") else ""
    if fact.stance == "denied":
        detail += " (refused)" if fact.kind == "flag" else " (forbidden)"
    elif fact.stance == "unknown":
        detail += " (not certain)"
    if fact.kind == "mode":
        return f"mode {fact.key}" + (f" ({fact.value})" if fact.value else "")
    if fact.kind == "link":
        return f"link {fact.key} → {fact.value}{detail}"
    return f"{fact.kind}{key} {fact.value!r}{detail}"
