"""Put what moved into words: text for a screen, Markdown for an issue, workflow commands, JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from skillgen.model.visible import annotation, escaped
from skillgen.watch.blocks import Block
from skillgen.watch.compare import Watched
from skillgen.watch.moves import Move, worded
from skillgen.watch.resting import Resting

_TOGETHER = 3
"""From so many facts of one kind that came or went, they stand in one line."""
_SHOWN = 12
"""Blocks and package differences that are shown; the rest is counted."""


def whole(watched: Watched, flavor: str | None, rests: Resting | None, form: str) -> str:
    """Return everything, in the form `text`, `markdown` or `github`."""
    versions = " → ".join(version or "?" for version in watched.versions) if any(watched.versions) else ""
    head = f"{watched.old.path} → {watched.new.path}" + (f" ({versions})" if versions else "")
    said = told(watched.moves, head, form, [] if watched.moved else ["Nothing moved in meaning."])
    if form == "github":
        return said
    lines: list[str] = []
    lines += [f"{_mark(form)}note: {note}" for note in watched.notes]
    rest = watched.rest
    if rest.changed:
        lines += ["", _head("Text that no fact explains", form)]
        more = f"; {rest.same} more hold only facts that stand in both texts" if rest.same else ""
        lines.append(f"{rest.blank} of {rest.changed} changed lines hold nothing that the reader knows{more}.")
        if rest.moved:
            lines.append(f"{len(rest.moved)} blocks moved and say the same.")
        for sign, blocks in (("-", rest.gone), ("+", rest.came)):
            lines += _quoted(sign, blocks, form)
    if watched.shifts:
        lines += ["", _head("The packages", form)]
        lines += _shifts(watched, form)
    if rests is not None:
        lines += ["", _head(f"What of {flavor} rests on it", form), *_rests(rests, form)]
    return said + _lines(lines)


def told(moves: Sequence[Move], head: str, form: str, below: Sequence[str] = ()) -> str:
    """Return the moved facts, behaviour first, by group; `below` stands under the head on a screen."""
    if form == "github":
        rows = [annotation("warning" if move.behaviour else "notice", _said(move), title=move.group) for move in moves]
        return "\n".join([annotation("notice", head), *rows]) + "\n"
    if form == "json":
        import json

        return (
            json.dumps({"head": head, "moves": [move_json(move) for move in moves]}, indent=2, ensure_ascii=False)
            + "\n"
        )
    lines = [_head(head, form) if form == "markdown" else head, *below]
    group = ""
    for move in _joined(moves):
        if move[0] != group:
            group = move[0]
            lines += ["", _head(group[:1].upper() + group[1:], form)]
        lines.append(f"{_mark(form)}{move[1]}")
    if moves:
        count = sum(move.behaviour for move in moves)
        lines += ["", f"{len(moves)} facts moved, {count} of them (!) in behaviour"]
    return _lines(lines)


def _lines(lines: Iterable[str]) -> str:
    """Return lines as a text; what a stranger's name or value holds begins no line of its own."""
    return "".join(escaped(line) + "\n" for line in lines)


def _joined(moves: Sequence[Move]) -> Iterable[tuple[str, str]]:
    """Yield group and line; many facts of one kind that came or went together stand in one line."""
    done: set[int] = set()
    for at, move in enumerate(moves):
        if at in done:
            continue
        fact = move.before or move.after
        assert fact is not None
        same = [
            (index, other)
            for index, other in enumerate(moves)
            if index not in done and other.state == move.state and (other.before or other.after).kind == fact.kind  # type: ignore[union-attr]
        ]
        sign = "!" if move.behaviour else "·"
        if move.state != "changed" and len(same) > _TOGETHER:
            done |= {index for index, _ in same}
            facts = [other.before or other.after for _, other in same]
            what = ", ".join(worded(each).removeprefix(f"{fact.kind} ") for each in facts if each)
            lines = [each.line for each in facts if each]
            yield move.group, f"{sign} {move.state}: {fact.kind} {what} (lines {min(lines)} to {max(lines)})"
        else:
            yield move.group, f"{sign} {_said(move)}"


def _said(move: Move) -> str:
    one, two = move.before, move.after
    if one is None:
        assert two is not None
        return f"new: {worded(two)} (line {two.line})"
    if two is None:
        return f"gone: {worded(one)} (line {one.line} of the older)"
    return f"changed: {worded(one)} (line {one.line}) → {worded(two)} (line {two.line})"


def _quoted(sign: str, blocks: Sequence[Block], form: str) -> list[str]:
    if not blocks:
        return []
    out = []
    for block in blocks[:_SHOWN]:
        text = block.said if len(block.said) <= 160 else block.said[:157] + "…"
        out.append(f"{_mark(form)}{sign} {block.line}: " + (f"`` {text} ``" if form == "markdown" else text))
    if len(blocks) > _SHOWN:
        out.append(f"{_mark(form)}{sign} and {len(blocks) - _SHOWN} more blocks")
    return out


def _shifts(watched: Watched, form: str) -> list[str]:
    out = []
    for kind in dict.fromkeys(shift.kind for shift in watched.shifts):
        for state in ("added", "removed", "stub", "changed"):
            some = [shift for shift in watched.shifts if shift.kind == kind and shift.state == state]
            if some:
                names = [
                    shift.name + (f" ({shift.detail})" if shift.detail and len(some) <= 4 else "") for shift in some
                ]
                more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
                word = "turned into a stub" if state == "stub" else state
                out.append(f"{_mark(form)}{kind} {word}: {', '.join(names[:_SHOWN])}{more}")
    return out


def _rests(rests: Resting, form: str) -> list[str]:
    import json

    out = []
    for value in rests.values:
        before, after = (json.dumps(each, ensure_ascii=False, default=str) for each in (value.before, value.after))
        out.append(f"{_mark(form)}{value.key}: {_short(before)} → {_short(after)}")
    out += [f"{_mark(form)}? {question}" for question in questions(rests)]
    if not out:
        return ["Nothing."]
    if rests.patch:
        fence = ["```diff"] if form == "markdown" else []
        out += ["", *fence, *(line.rstrip("\n") for line in rests.patch), *(["```"] if fence else [])]
    return out


def questions(rests: Resting) -> list[str]:
    """Return a question for each kind of fact that the flavor holds and the newer text no longer says."""
    out = []
    for kind in dict.fromkeys(fact.kind for fact in rests.open):
        facts = [fact for fact in rests.open if fact.kind == kind]
        what = ", ".join(worded(fact).removeprefix(f"{kind} ") for fact in facts)
        where = ", ".join(dict.fromkeys(str(fact.line) for fact in facts))
        out.append(f"{kind}: the newer text no longer says {_short(what)} (older line {where}); is it still true?")
    return out


def as_json(watched: Watched, flavor: str | None, rests: Resting | None) -> dict[str, Any]:
    """Return everything as one JSON object."""
    return {
        "old": {"path": watched.old.path, "version": watched.versions[0]},
        "new": {"path": watched.new.path, "version": watched.versions[1]},
        "moved": watched.moved,
        "moves": [move_json(move) for move in watched.moves],
        "unexplained": asdict(watched.rest),
        "packages": [asdict(shift) for shift in watched.shifts],
        "notes": list(watched.notes),
        "flavor": flavor,
        "values": [{"key": v.key, "before": v.before, "after": v.after} for v in rests.values] if rests else [],
        "questions": questions(rests) if rests else [],
        "patch": list(rests.patch) if rests else [],
    }


def move_json(move: Move) -> dict[str, Any]:
    """Return a move as JSON: group, state, behaviour, and both facts."""
    facts = {name: fact._asdict() if fact else None for name, fact in (("before", move.before), ("after", move.after))}
    return {"group": move.group, "state": move.state, "behaviour": move.behaviour, **facts}


def _short(text: str) -> str:
    return text if len(text) <= 120 else text[:117] + "…"


def _head(text: str, form: str) -> str:
    return f"### {text}" if form == "markdown" else text


def _mark(form: str) -> str:
    return "- " if form == "markdown" else "  "
