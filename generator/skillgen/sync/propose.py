"""Offer a fork's local edits back as a change to the flavor's YAML, so that they survive as data."""

from __future__ import annotations

import os
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from ruamel.yaml.scalarstring import LiteralScalarString

from skillgen.drift.fold import fold
from skillgen.drift.merge_front import front_values
from skillgen.drift.quotes import changed_quotes
from skillgen.load.files import read
from skillgen.model.fork import State
from skillgen.model.json_text import parse_json
from skillgen.model.node import plain
from skillgen.model.resolved import value_at
from skillgen.sync.ahead import known_of
from skillgen.sync.edits import FlavorEdit
from skillgen.sync.examine import Examiner
from skillgen.sync.fork import Fork
from skillgen.sync.house import Side, house_rules

NAMES = (("product", "name"), ("root", "directory"), ("command", "form"), ("front", "name"))
"""What a flavor's other values are written with, as placeholders; changed first, so that these follow."""
Path = tuple[str, ...]


@dataclass(slots=True)
class Fact:
    """One value that a fork's text says otherwise."""

    key: Path
    value: Any
    where: str
    """Path and line in the fork."""


@dataclass(slots=True)
class Proposal:
    """A change to a flavor's file."""

    file: str
    facts: list[Fact] = field(default_factory=list)
    diff: list[str] = field(default_factory=list)
    """Unified diff of the flavor's file, without line ends."""
    problems: list[str] = field(default_factory=list)
    """Why the change cannot be used as it is."""
    survives: int = 0
    """Lines of the fork's own that the changed flavor renders."""
    own: int = 0
    """Lines of the fork's own in all."""


def propose(fork: Fork, examiner: Examiner) -> Proposal:
    """Return what the reader of `adopt` understands of the fork's edits, as a change to its flavor."""
    edit = FlavorEdit(examiner.targets.inputs, fork.target.id)
    made = Proposal(edit.shown)
    current = edit.contract()
    wanted = deepcopy(current)
    for file in fork.files:
        if not file.edited or file.state not in (State.EDITED, State.OUTDATED, State.CONFLICT):
            continue
        sides = _read_sides(fork, file.path, examiner)
        if sides is None:
            continue
        before, now = sides
        lines: dict[Path, int] = {}
        if file.path.endswith("/contract.json"):
            change = _json_change(before, now)
        elif file.path.endswith(".md"):
            change, lines = _text_change(before, now, edit)
            _add_quoted(change, lines, before, now, current)
        else:
            continue
        made.facts += [
            Fact(path, value, f"{file.path}:{_line(path, lines)}" if _line(path, lines) else file.path)
            for path, value in _list_leaves(change)
        ]
        _lay_over(wanted, change)
    rules, where = house_rules(fork.root, _ahead_sides(fork, examiner), str(current.get("house_rules", "")))
    if rules:
        wanted["house_rules"] = rules
        made.facts.append(Fact(("house_rules",), rules, where))
    if not made.facts:
        return made
    _apply(edit, current, wanted, made)
    made.diff = edit.diff()
    made.problems = edit.problems()
    made.own = sum(len(lines) for lines in fork.ahead.values())
    if not made.problems:
        rendered = edit.lines(fork.target.id)
        own = [line for found in fork.ahead.values() for _, line in found]
        made.survives = sum(line.strip().replace('"', "") in rendered for line in own)
    return made


def _apply(edit: FlavorEdit, current: dict[str, Any], wanted: dict[str, Any], made: Proposal) -> None:
    from skillgen.adopt.difference import difference

    for name in NAMES:
        value = value_at(wanted, name)
        if value is not None and value != value_at(current, name):
            edit.put(name, value)
    # What follows from the names is there now; only the rest has to be said.
    for path, value in _list_leaves(difference(wanted, edit.contract() if not edit.problems() else current)):
        edit.put(path, LiteralScalarString(value) if path == ("house_rules",) else value)


def _ahead_sides(fork: Fork, examiner: Examiner) -> list[Side]:
    """Return the edited texts that say more than the canonical ones, with what is known there."""
    places = {fork.place(path): path for path in fork.target.files}
    rendered = examiner.targets.render(fork.target.id)[1]
    return [
        Side(place, *known_of(fork, examiner, places[place]), rendered[places[place]].data.decode("utf-8", "replace"))
        for place in sorted(fork.ahead)
    ]


def _read_sides(fork: Fork, place: str, examiner: Examiner) -> tuple[str, str] | None:
    path = next((path for path in fork.target.files if fork.place(path) == place), None)
    target = os.path.join(fork.root, place)
    old = fork.recorded.files.get(path or "")
    if path is None or old is None or not os.path.isfile(target) or os.path.islink(target):
        return None
    base = examiner.bases.find(old.digest, path, fork.recorded, fork.root)
    if base is None:
        return None
    return base.decode("utf-8", "replace"), fold(read(target)).data.decode("utf-8", "replace")


def _json_change(before: str, now: str) -> dict[str, Any]:
    from skillgen.adopt.difference import difference

    try:
        old, new = parse_json(before), parse_json(now)
    except ValueError:
        return {}
    return difference(new, old) if isinstance(new, dict) and isinstance(old, dict) else {}


def _text_change(before: str, now: str, edit: FlavorEdit) -> tuple[dict[str, Any], dict[Path, int]]:
    """Return what the facts of one text say otherwise than those of its base, and on which lines."""
    from skillgen.adopt.difference import difference
    from skillgen.adopt.evidence import Evidence
    from skillgen.adopt.names import find_names
    from skillgen.adopt.target import find_target
    from skillgen.adopt.wanted import Skill
    from skillgen.audit.views import make_text
    from skillgen.model.subject import Kind, Source

    skill = Skill.of(plain(edit.skill))
    contract = edit.resolved().contract
    targets = []
    for text in (before, now):
        facts, evidence = make_text(Source("SKILL.md", text, Kind.SKILL)).facts, Evidence(text)
        names = find_names(facts, evidence, {})
        targets.append(find_target(facts, evidence, names, contract, skill, kin=True))
    change = difference(targets[1].data, targets[0].data)
    fronts = [front_values(text) for text in (before, now)]
    said = fronts[1].get("description")
    if isinstance(said, str) and said != fronts[0].get("description"):
        change.setdefault("front", {})["description"] = said
        targets[1].lines[("front", "description")] = 1 + next(
            (n for n, line in enumerate(now.split("\n")) if line.startswith("description:")), 0
        )
    return change, targets[1].lines


def _add_quoted(change: dict[str, Any], lines: dict[Path, int], before: str, now: str, current: dict[str, Any]) -> None:
    """Add what stands between quotation marks and was replaced there, if just one value of the contract says it."""
    said: dict[str, list[Path]] = {}
    for path, value in _list_leaves(current):
        if isinstance(value, str):
            said.setdefault(value, []).append(path)
    for line, old, new in changed_quotes(before, now):
        paths = said.get(old, [])
        if len(paths) == 1 and value_at(change, paths[0]) is None:
            _lay_over(change, _nest(paths[0], new))
            lines[paths[0]] = line


def _nest(path: Path, value: Any) -> dict[str, Any]:
    for step in reversed(path):
        value = {step: value}
    return dict(value)


def _line(path: Path, lines: dict[Path, int]) -> int:
    while path:
        if path in lines:
            return lines[path]
        path = path[:-1]
    return 0


def _list_leaves(change: dict[str, Any], path: Path = ()) -> list[tuple[Path, Any]]:
    found = []
    for key, value in change.items():
        at = (*path, key)
        # A mode that is new, and a union of another kind, is one value.
        if isinstance(value, dict) and value and "kind" not in value and not (len(at) == 2 and "records" in value):
            found += _list_leaves(value, at)
        else:
            found.append((at, value))
    return found


def _lay_over(wanted: dict[str, Any], change: dict[str, Any]) -> None:
    from skillgen.adopt.difference import DROP

    for path, value in _list_leaves(change):
        at = wanted
        for step in path[:-1]:
            at = at.setdefault(step, {})
        if value is DROP:
            at.pop(path[-1], None)
        else:
            at[path[-1]] = value
