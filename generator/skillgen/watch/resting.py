"""Find which values of a flavor rest on a fact that moved, and the edit of its file that follows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from skillgen.adopt.commands import guess_commands
from skillgen.adopt.deciding import speaks_of
from skillgen.adopt.difference import DROP, difference
from skillgen.adopt.evidence import Evidence
from skillgen.adopt.holding import holds
from skillgen.adopt.names import find_names
from skillgen.adopt.phrasing import does
from skillgen.adopt.target import find_target
from skillgen.adopt.wanted import Skill, Target
from skillgen.build.inputs import Inputs
from skillgen.model.contract import Contract
from skillgen.model.facts import Fact, Facts
from skillgen.model.fields import EACH, contract_fields
from skillgen.model.node import plain
from skillgen.model.question import BASE, LEAST, UNKNOWN
from skillgen.model.resolved import value_at
from skillgen.model.told import AS_MADE
from skillgen.model.tool_names import tool_role
from skillgen.sync.edits import FlavorEdit
from skillgen.watch.compare import Reading, Watched
from skillgen.watch.moves import Move, worded

_NAMES = frozenset({"flavor", "schema_version", "revision", "product", "plugin", "host", "front", "command"})
"""Parts of a contract that a fork gives itself; what the upstream calls itself is none of its values."""


@dataclass(frozen=True, slots=True)
class Value:
    """One value of the flavor that the newer text says otherwise; `after` is None for a mode that is gone."""

    key: str
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class Resting:
    """`values` in the order of the contract; `open`: facts of the flavor that the newer text no longer says; `patch`: for `git apply`.

    In the patch a value that decides what is removed or stopped, and that nobody says any more, is a question as `adopt` asks it:
    `asked` holds these by their paths.
    """

    values: tuple[Value, ...]
    open: tuple[Fact, ...]
    asked: Mapping[tuple[str, ...], dict[str, Any]]
    patch: tuple[str, ...]


def resting(flavor: str, contract: Contract, inputs: Inputs, watched: Watched) -> Resting:
    """Return what of the flavor has to follow; raises InputError where its file cannot be read.

    A value follows only where the newer text says it, on the line of a fact that moved. What the newer text no longer says becomes
    a question: silence is no reason to change what a flavor deletes or stops.
    """
    edit = FlavorEdit(inputs, flavor)
    skill = Skill.of(plain(edit.skill))
    old, new = (_asked(reading, contract, skill) for reading in (watched.old, watched.new))
    said = {move.after.line for move in watched.moves if move.after is not None}
    spoken = [path for path, line in new.lines.items() if line in said]
    now = contract.model_dump(mode="json")
    values: list[Value] = []
    asked: dict[tuple[str, ...], dict[str, Any]] = {}
    for path, before, after in _list_differences(difference(new.data, old.data), old.data):
        if path[0] in _NAMES or not any(path[: len(place)] == place for place in spoken):
            continue
        after = _renamed(after, watched.new.facts, contract)
        if path == ("tools",) and after is None:
            asked[path] = _tools(watched, before, contract)
        elif value_at(now, path) != after:
            edit.put(path, after)
            edit.forget_source(path)
            values.append(Value(".".join(path), before, None if after is DROP else after))
            if path[-1] == "action" and after is not DROP:
                _reword(edit, path[1], now["modes"][path[1]], after)
    gone = [move.before for move in watched.moves if move.before is not None and _needs_person(move, now)]
    asked |= _questions(gone, now, {*asked, *(tuple(value.key.split(".")) for value in values)})
    for path, question in asked.items():
        edit.put(path, question)
        edit.forget_source(path)
    return Resting(tuple(values), tuple(gone), asked, tuple(edit.diff()) if values or asked else ())


def _tools(watched: Watched, before: Any, contract: Contract) -> dict[str, Any]:
    """Return the question where the newer text calls its tools otherwise, and does not name all that a cancel needs."""
    facts = watched.new.facts
    named = [fact for fact in facts.of("tool") if tool_role(fact.value)]
    lines = ", ".join(dict.fromkeys(str(fact.line) for fact in named))
    question = f"The newer text calls {', '.join(f'`{fact.value}`' for fact in named)} (line {lines})"
    found = guess_commands(facts, before)
    if not found:
        how = f"{question}; how are records read, written, cleared and listed by them?"
        return {UNKNOWN: how, BASE: before, LEAST: None}
    tools, made = found
    program, own = made[0].partition(" ")[0] if made else "", getattr(contract.root, "directory", "").lstrip(".")
    # A fork that calls its state directory otherwise calls its program so, too.
    if (
        own
        and own != program
        and program in {one.lstrip(".").split("/")[0] for one in watched.old.facts.values("root")}
    ):
        tools = _each_text(
            tools, lambda text: f"{own} {text[len(program) + 1 :]}" if text.startswith(f"{program} ") else text
        )
        made = [f"{own} {name[len(program) + 1 :]}" for name in made]
        question += f", which are taken for those of `{own}`"
    question += (
        f"; `base` holds {' and '.join(f'`{name}`' for name in made)} made after these; does the product have them?"
    )
    return {UNKNOWN: question, BASE: tools, LEAST: None}


def _each_text(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, dict):
        return {key: _each_text(inner, change) for key, inner in value.items()}
    if isinstance(value, list):
        return [_each_text(inner, change) for inner in value]
    return change(value) if isinstance(value, str) else value


def _reword(edit: FlavorEdit, key: str, mode: dict[str, Any], action: str) -> None:
    """Let the sentence on what happens to a mode follow its action, where it is the one that `adopt` made of it."""
    if mode["does"] == does(mode):
        edit.put(("modes", key, "does"), does({**mode, "action": action}))


def _questions(
    gone: list[Fact], now: dict[str, Any], moved: set[tuple[str, ...]]
) -> dict[tuple[str, ...], dict[str, Any]]:
    """Return a question for each deciding value that rests on a fact which is gone, unless it harms least as it is."""
    found: dict[tuple[str, ...], dict[str, Any]] = {}
    for pattern, one in contract_fields().items():
        if one.decides is None or one.decides.least is AS_MADE:
            continue
        for path in _paths(pattern, now):
            least = list(one.decides.least) if isinstance(one.decides.least, tuple) else one.decides.least
            value = value_at(now, path)
            facts = [fact for fact in gone if fact.kind in one.read.facts and speaks_of(fact, path)]
            if facts and path not in moved and value not in (least, "shutdown", "global"):
                lines = ", ".join(str(line) for line in sorted({fact.line for fact in facts}))
                said = ", ".join(dict.fromkeys(worded(fact) for fact in facts))
                question = f"The newer text no longer says {said} (older line {lines}); is it still true?"
                found[path] = {UNKNOWN: question, BASE: _drop_empty(value), LEAST: least}
    return found


def _paths(pattern: tuple[str, ...], data: Any, at: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """Return the paths that a field has in a contract."""
    if not pattern:
        return [at]
    names = list(data) if isinstance(data, dict) and pattern[0] == EACH else [pattern[0]]
    return [
        path
        for name in names
        if isinstance(data, dict) and name in data
        for path in _paths(pattern[1:], data[name], (*at, name))
    ]


def _drop_empty(value: Any) -> Any:
    """Leave out of items what a flavor need not write: what is empty."""
    if isinstance(value, list):
        return [{k: v for k, v in item.items() if v} if isinstance(item, dict) else item for item in value]
    return value


def _asked(reading: Reading, contract: Contract, skill: Skill) -> Target:
    """Return the contract that a text asks for, with the flavor as its base."""
    evidence = Evidence(reading.text)
    names = find_names(reading.facts, evidence, {contract.flavor: contract})
    return find_target(reading.facts, evidence, names, contract, skill)


def _list_differences(
    found: dict[str, Any], old: dict[str, Any], path: tuple[str, ...] = ()
) -> list[tuple[tuple[str, ...], Any, Any]]:
    """Yield path, value before and value after of each smallest mapping entry that differs."""
    out = []
    for key, value in found.items():
        before = old.get(key) if isinstance(old, dict) else None
        if isinstance(value, dict) and isinstance(before, dict):
            out += _list_differences(value, before, (*path, key))
        else:
            out.append(((*path, key), before, value))
    return out


def _renamed(value: Any, facts: Facts, contract: Contract) -> Any:
    """Write the upstream's state root as the flavor calls its own."""
    root = facts.first("root").split("/")[0]
    own = getattr(contract.root, "directory", "")
    if not root.startswith(".") or not own or root == own:
        return value
    if isinstance(value, str):
        return value.replace(root, own)
    if isinstance(value, list):
        return [_renamed(inner, facts, contract) for inner in value]
    if isinstance(value, dict):
        return {key: _renamed(inner, facts, contract) for key, inner in value.items()}
    return value


def _needs_person(move: Move, now: dict[str, Any]) -> bool:
    """Whether a fact that the flavor holds is no longer said, so that only a person knows what is right now."""
    return move.behaviour and move.before is not None and move.after is None and holds(move.before, now)
