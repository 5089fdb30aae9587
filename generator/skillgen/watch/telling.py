"""Put what moved into words: text for a screen, Markdown for an issue, workflow commands, JSON."""

from __future__ import annotations

import os.path
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from skillgen.model.visible import annotation, escaped
from skillgen.watch.blocks import Block
from skillgen.watch.compare import Watched
from skillgen.watch.moves import Move, worded
from skillgen.watch.resting import Resting, Value

_SHOWN = 12
"""Blocks and package differences that Markdown shows; the rest is counted."""
_WIDTH = 118
"""Columns of a line of the form `text`, which is meant for one screen; the other forms hold everything."""
_BLOCKS = 3
"""Blocks that the form `text` quotes of each side."""


def whole(watched: Watched, flavor: str | None, rests: Resting | None, form: str) -> str:
    """Return everything, in the form `text`, `markdown` or `github`; `text` is what fits on a screen, the patch comes last."""
    versions = " → ".join(version or "?" for version in watched.versions) if any(watched.versions) else ""
    head = f"{watched.old.path} → {watched.new.path}" + (f" ({versions})" if versions else "")
    said = told(watched.moves, head, form, [] if watched.moved else ["Nothing moved in meaning."])
    if form == "github":
        return said + "".join(line + "\n" for line in _annotations(watched, flavor, rests))
    lines: list[str] = []
    lines += [f"{_mark(form)}note: {note}" for note in watched.notes]
    rest = watched.rest
    if rest.changed:
        lines += ["", _head("Text that no fact explains", form)]
        lines.append(_counted(watched))
        for sign, blocks in (("-", rest.gone), ("+", rest.came)):
            lines += _quoted(sign, blocks, form)
    if watched.shifts:
        lines += ["", _head("The packages", form)]
        lines += _tell_shifts(watched, form)
    if rests is not None:
        lines += ["", _head(f"What of {flavor} rests on it", form), *_tell_resting(rests, form)]
    return said + _lines(lines)


def _counted(watched: Watched) -> str:
    rest = watched.rest
    more = f"; {rest.same} more hold only facts that stand in both texts" if rest.same else ""
    moved = f" {len(rest.moved)} blocks moved and say the same." if rest.moved else ""
    return f"{rest.blank} of {rest.changed} changed lines hold nothing that the reader knows{more}.{moved}"


def _annotations(watched: Watched, flavor: str | None, rests: Resting | None) -> list[str]:
    """Return what the facts do not show as annotations: text that no fact explains, notes, what of the flavor rests on it."""
    out = [annotation("notice", note) for note in watched.notes]
    if watched.rest.gone or watched.rest.came:
        out.append(annotation("notice", _counted(watched), title="text that no fact explains"))
    for value in rests.values if rests else ():
        out.append(annotation("warning", _valued(value), title=f"{flavor} rests on it"))
    out += [
        annotation("warning", question, title=f"{flavor} rests on it")
        for question in (questions(rests) if rests else ())
    ]
    return out


def told(moves: Sequence[Move], head: str, form: str, below: Sequence[str] = ()) -> str:
    """Return the moved facts, behaviour first, by group; `below` stands under the head on a screen."""
    if form == "github":
        rows = [
            annotation("warning" if move.behaviour else "notice", _say_move(move), title=move.group) for move in moves
        ]
        return "\n".join([annotation("notice", head), *rows]) + "\n"
    if form == "json":
        import json

        return (
            json.dumps({"head": head, "moves": [move_json(move) for move in moves]}, indent=2, ensure_ascii=False)
            + "\n"
        )
    lines = [_head(head, form) if form == "markdown" else head, *below]
    if form == "text" and moves:
        lines.append("")
    group = ""
    margin = max((len(move.group) for move in moves), default=0) + 2
    for name, move in _joined(moves, _WIDTH - margin if form == "text" else 0):
        said = name[:1].upper() + name[1:] if name != group else ""
        if form == "text":
            lines.append(said.ljust(margin) + move)
        else:
            lines += ["", _head(said, form)] if said else []
            lines.append(_mark(form) + move)
        group = name
    if moves:
        count = sum(move.behaviour for move in moves)
        whole = (
            "; --format markdown names them all"
            if form == "text" and any(line.find(" more (line") > 0 for line in lines)
            else ""
        )
        lines += ["", f"{len(moves)} facts moved, {count} of them (!) in behaviour{whole}"]
    return _lines(lines)


def _lines(lines: Iterable[str]) -> str:
    """Return lines as a text; what a stranger's name or value holds begins no line of its own."""
    return "".join(escaped(line) + "\n" for line in lines)


def _joined(moves: Sequence[Move], width: int) -> Iterable[tuple[str, str]]:
    """Yield group and line; facts of one kind with which the same happened stand in one line, of at most `width` columns (0: any)."""
    done: set[int] = set()
    for at, move in enumerate(moves):
        if at in done:
            continue
        same = [
            (index, other)
            for index, other in enumerate(moves)
            if index not in done and other.state == move.state and _kind(other) == _kind(move)
        ]
        sign = "!" if move.behaviour else "·"
        if len(same) > 1 and (move.state != "changed" or (width and len(same) > 2)):
            done |= {index for index, _ in same}
            yield move.group, _together(sign, [other for _, other in same], width)
        else:
            yield move.group, _cut(f"{sign} {_say_move(move)}", width)


def _kind(move: Move) -> str:
    fact = move.before or move.after
    assert fact is not None
    return fact.kind


def _together(sign: str, moves: Sequence[Move], width: int) -> str:
    kind = _kind(moves[0])
    facts = [[each for each in (move.before, move.after) if each] for move in moves]
    said = [[worded(each).removeprefix(f"{kind} ") for each in pair] for pair in facts]
    numbers = [pair[-1].line for pair in facts]
    where = f" (lines {min(numbers)} to {max(numbers)})" if len({*numbers}) > 1 else f" (line {numbers[0]})"
    begin = f"{sign} {moves[0].state}: {kind} "
    names = _bare([pair[0] for pair in said]) if len(facts[0]) == 1 else [" → ".join(pair) for pair in said]
    left = width - len(begin) - len(where)
    return begin + _cut(_listed(names, left if width else 0), left if width else 0) + where


def _bare(names: list[str]) -> list[str]:
    """Take off the directory that quoted paths have in common: it stands with the first of them."""
    paths = [name.strip("'").rstrip("/").rpartition("/")[0] for name in names]
    if not all(name.startswith("'") for name in names) or not all(paths) or any(path[:1] == "/" for path in paths):
        return names
    top = os.path.commonpath(paths)
    return [names[0], *(f"'{name[len(top) + 2 :]}" if top else name for name in names[1:])]


def _listed(names: Sequence[str], width: int) -> str:
    """Return names with commas, as many as the width takes (0: all), and how many more there are."""
    shown: list[str] = []
    for name in names:
        if width and shown and len(", ".join([*shown, name])) > width - len(" and 99 more"):
            return f"{', '.join(shown)} and {len(names) - len(shown)} more"
        shown.append(name)
    return ", ".join(shown)


def _cut(text: str, width: int) -> str:
    return text if not width or len(text) <= width else text[: width - 1] + "…"


def _say_move(move: Move) -> str:
    one, two = move.before, move.after
    if one is None:
        assert two is not None
        return f"new: {worded(two)} (line {two.line})"
    if two is None:
        return f"gone: {worded(one)} (line {one.line} of the older)"
    return f"changed: {worded(one)} (line {one.line}) → {worded(two)} (line {two.line})"


def _quoted(sign: str, blocks: Sequence[Block], form: str) -> list[str]:
    out = []
    most = _SHOWN
    if form == "text":
        # A heading says less than what stands below it.
        blocks = sorted(blocks, key=lambda block: block.said.startswith("#"))
        most = _BLOCKS
    for block in blocks[:most]:
        text = _cut(block.said, 160 if form != "text" else _WIDTH - 12)
        out.append(f"{_mark(form)}{sign} {block.line}: " + (f"`` {text} ``" if form == "markdown" else text))
    if len(blocks) > most:
        out.append(f"{_mark(form)}{sign} and {len(blocks) - most} more blocks")
    return out


def _tell_shifts(watched: Watched, form: str) -> list[str]:
    out = []
    for kind in dict.fromkeys(shift.kind for shift in watched.shifts):
        for state in ("added", "removed", "stub", "changed"):
            some = [shift for shift in watched.shifts if shift.kind == kind and shift.state == state]
            if some:
                names = [
                    shift.name + (f" ({shift.detail})" if shift.detail and len(some) <= 4 else "") for shift in some
                ]
                word = "turned into a stub" if state == "stub" else state
                begin = f"{_mark(form)}{kind} {word}: "
                if form != "text" and len(names) > _SHOWN:
                    names = [*names[: _SHOWN - 1], f"{names[_SHOWN - 1]} and {len(names) - _SHOWN} more"]
                out.append(begin + _listed(names, _WIDTH - len(begin) if form == "text" else 0))
    return out


def _valued(value: Value) -> str:
    import json

    before, after = (json.dumps(each, ensure_ascii=False, default=str) for each in (value.before, value.after))
    return f"{value.key}: {_shorten(before)} → {_shorten(after)}"


def _tell_resting(rests: Resting, form: str) -> list[str]:
    width = _WIDTH - 2 if form == "text" else 0
    out = [f"{_mark(form)}{_cut(_valued(value), width)}" for value in rests.values]
    if form != "text":
        out += [f"{_mark(form)}? {question}" for question in questions(rests)]
    elif rests.open or rests.asked:
        begin = f"{_mark(form)}? to answer in the patch: "
        if rests.asked:
            out.append(begin + _listed([".".join(path) for path in rests.asked], _WIDTH - len(begin)))
        begin = f"{_mark(form)}? no longer said; is it still true? "
        kinds = Counter(fact.kind for fact in rests.open)
        names = [f"{kind} ({number})" if number > 1 else kind for kind, number in kinds.items()]
        if names:
            out.append(begin + _listed(names, _WIDTH - len(begin)))
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
        out.append(f"{kind}: the newer text no longer says {_shorten(what)} (older line {where}); is it still true?")
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
        "asked": {".".join(path): question for path, question in rests.asked.items()} if rests else {},
        "patch": list(rests.patch) if rests else [],
    }


def move_json(move: Move) -> dict[str, Any]:
    """Return a move as JSON: group, state, behaviour, and both facts."""
    facts = {name: fact._asdict() if fact else None for name, fact in (("before", move.before), ("after", move.after))}
    return {"group": move.group, "state": move.state, "behaviour": move.behaviour, **facts}


def _shorten(text: str) -> str:
    return text if len(text) <= 120 else text[:117] + "…"


def _head(text: str, form: str) -> str:
    return f"### {text}" if form == "markdown" else text


def _mark(form: str) -> str:
    return "- " if form == "markdown" else "  "
