"""Ask for the values that decide what is removed or stopped, where neither the text nor an answer says them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from skillgen.adopt.holding import holds
from skillgen.adopt.inherited import is_said
from skillgen.adopt.paths import state_prefix
from skillgen.adopt.records import names_record
from skillgen.adopt.teams import drop_team
from skillgen.adopt.toolset import without_tools
from skillgen.adopt.wanted import Target
from skillgen.model.facts import Fact
from skillgen.model.fields import EACH, Field, contract_fields
from skillgen.model.question import Path, Question
from skillgen.model.resolved import value_at
from skillgen.model.told import AS_MADE, Decides


@dataclass(slots=True)
class Decided:
    """What is open, and what was set to the least without a question, since the text does not speak of the matter."""

    questions: list[Question] = field(default_factory=list)
    least: dict[Path, Any] = field(default_factory=dict)


def decide(target: Target) -> Decided:
    """Set each deciding value that nobody says to what harms least, and ask for those that matter.

    A text of the base's own product leaves the base's values standing: they are known of that very product.
    """
    decided = Decided()
    if target.kin:
        return decided
    below = target.renames.apply(target.base.model_dump(mode="json"))
    # What no call can be made without comes first: whether there are tools, and so a team, decides what else is asked.
    for whole in (True, False):
        asked: dict[tuple[str, bool], list[_Open]] = {}
        for one in _open_values(target, below, whole):
            if one.matters(value_at(target.data, one.path)):
                asked.setdefault((one.decides.asks, one.doubted), []).append(one)
            elif one.decides.least is not AS_MADE and value_at(target.data, one.path) != _as_plain(one.decides.least):
                decided.least[one.path] = _as_plain(one.decides.least)
                _set_at(target.data, one.path, decided.least[one.path])
        decided.questions += [_question(target, asks, group) for (asks, _), group in asked.items()]
    return decided


def _open_values(target: Target, below: Mapping[str, Any], whole: bool) -> Iterator[_Open]:
    """Yield the deciding values that neither the text nor an answer says, or of which it says something doubtful."""
    for pattern, one in _policies():
        assert one.decides is not None
        if bool(one.decides.whole) is not whole:
            continue
        for path in list(_expand(pattern, target.data)):
            if any(path[:n] in target.answers for n in range(1, len(path) + 1)):
                continue
            value = value_at(target.data, path)
            if value in ("shutdown", "global"):
                continue  # the driver of the team, or what shows the mode, decides
            lines, mentioned, doubted = _lines_about(target, path, one)
            if doubted or not _is_said(target, path, pattern, one, value):
                yield _Open(path, one.decides, _base(target, below, path), lines, mentioned, doubted)


@dataclass(frozen=True, slots=True)
class _Open:
    """One value that nobody says."""

    path: Path
    decides: Decides
    base: Any
    lines: tuple[int, ...]
    """Lines that speak of the matter."""
    mentioned: bool
    """The text speaks of the matter itself, and not just of the mode."""
    doubted: bool
    """Something is said of it, and nobody can be sure what."""

    def matters(self, value: Any) -> bool:
        if not self.decides.asks:
            return False
        if self.decides.always or self.doubted:
            return True
        least = value if self.decides.least is AS_MADE else _as_plain(self.decides.least)
        return self.mentioned and self.base != least


def _question(target: Target, asks: str, group: list[_Open]) -> Question:
    """Join what one answer decides, and let the least stand in its place."""
    keys = tuple(one.path for one in group)
    stands: dict[Path, None] = {}
    base: dict[Path, Any] = {}
    least: dict[Path, Any] = {}
    for one in group:
        whole = (one.decides.whole,) if one.decides.whole else one.path
        stands[whole] = None
        if one.decides.whole:
            least[one.path] = None
            base[whole] = value_at(target.data, whole) if value_at(target.data, whole) is not None else base.get(whole)
            _drop(target, one.decides.whole)
            least[whole] = None
        elif one.decides.least is AS_MADE:
            least[one.path] = value_at(target.data, one.path)
        else:
            least[one.path] = _as_plain(one.decides.least)
            _set_at(target.data, one.path, least[one.path])
        base[one.path] = one.base
    modes = [path[1] for path in keys if path[0] == "modes"] or _workers(target)
    titles = _listed([target.data["modes"][key]["title"] for key in modes])
    forms = _listed(
        [f"`--{path[1]}`" if path[1] != "both" else "`--force --all`" for path in keys if path[0] == "flags"]
    )
    text = asks.replace("{titles}", titles).replace("{forms}", forms)
    lines = tuple(sorted({line for one in group for line in one.lines if line}))
    return Question(text, keys, tuple(stands), base, least, lines)


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else "the modes"


def _workers(target: Target) -> list[str]:
    return [key for key, mode in target.data["modes"].items() if mode["workers"] or mode["action"] == "shutdown"]


def _drop(target: Target, section: str) -> None:
    """Leave a section out whose calls nobody knows; the team that is stopped by them goes with it."""
    if section == "tools" and target.data["tools"] is not None:
        drop_team(target)
        without_tools(target)


@cache
def _policies() -> tuple[tuple[Path, Field], ...]:
    """Return the deciding fields that say what harms least in their place, sections behind what lies in them."""
    found = [
        (path, one)
        for path, one in contract_fields().items()
        if one.decides is not None and (one.decides.asks or one.decides.least is not AS_MADE)
    ]
    return tuple(sorted(found, key=lambda pair: -len(pair[0])))


def _expand(pattern: Path, data: Any, at: Path = ()) -> Iterator[Path]:
    """Yield the paths that a field has in a contract; none where the contract has another kind there."""
    if not pattern:
        yield at
    elif isinstance(data, dict):
        for name in list(data) if pattern[0] == EACH else [pattern[0]]:
            if name in data:
                yield from _expand(pattern[1:], data[name], (*at, name))


def _base(target: Target, below: Mapping[str, Any], path: Path) -> Any:
    """Return what the base says, in the text's names; of a mode that it does not have, what the skill says of one."""
    if path[0] == "modes" and path[1] not in below["modes"]:
        own = {**target.skill.mode, **target.skill.pool.get(path[1], {})}
        return own.get(path[2])
    # Where the base itself keeps its state, not where that would be under the text's name.
    return value_at(target.base.model_dump(mode="json") if path[0] == "root" else below, path)


def _lines_about(target: Target, path: Path, one: Field) -> tuple[tuple[int, ...], bool, bool]:
    """Return the lines that speak of the matter, whether any is of it itself, and whether one says what nobody can be sure of."""
    assert one.decides is not None
    facts = target.facts
    kinds = {*one.read.facts, *one.decides.mention}
    found = [fact for fact in (*facts.all, *facts.unsure) if fact.kind in kinds and speaks_of(fact, path)]
    doubts = {*one.decides.doubt} or ({*one.read.facts} if one.decides.always else set())
    doubted = any(fact.stance == "unknown" and fact.kind in doubts for fact in found)
    if one.decides.doubt and not one.decides.mention:
        found = [fact for fact in found if fact.stance == "unknown"]
    lines = [line for fact in found for line in (fact.lines or (fact.line,))]
    mentioned = bool(lines and one.decides.mention)
    if path[0] == "modes" and not lines:
        # Whatever the text says of the mode may say it in words that nobody here reads.
        mode = target.data["modes"][path[1]]
        lines = list(target.evidence.lines_with({path[1], mode["title"], *mode["records"]}))
    return tuple(lines), mentioned, doubted


def _is_said(target: Target, path: Path, pattern: Path, one: Field, value: Any) -> bool:
    """Whether the text, or the host, says the value."""
    if target.lines.get(path):
        return True
    if path[0] == "flags" and target.data["identity"]["kind"] == "none":
        # There are no sessions to choose from; what the widest run adds is the list of what only it removes.
        return value == "current" or bool(target.facts.of("artifact") or target.facts.of("forced"))
    if path in _EVIDENCE:
        return _EVIDENCE[path](target, value)
    assert one.decides is not None
    if one.decides.words:
        return any(target.evidence.mentions(word) for word in one.decides.words)
    facts = target.facts
    held = [
        fact for fact in facts if fact.kind in one.read.facts and speaks_of(fact, path) and holds(fact, target.data)
    ]
    if pattern == ("modes", EACH, "action"):
        return _is_ended(target, path[1], str(value), held)
    if pattern == ("modes", EACH, "all_action"):
        # Where the plain run removes the record already, force adds nothing; what must not be removed stays.
        ended = target.data["modes"][path[1]]["action"] in ("clear", "global", "shutdown")
        return value == "remove" or ended or _is_forbidden(target, path[1])
    if held:
        return True
    return (
        not one.decides.always and isinstance(value, (list, dict)) and bool(value) and is_said(value, target.evidence)
    )


def _is_ended(target: Target, key: str, action: str, held: list[Fact]) -> bool:
    """Whether the text says an action; what pauses a goal says nothing of the record."""
    if action in ("shutdown", "global") or any(fact.value == action for fact in held):
        return True
    if action == "clear":
        return "no" in target.facts.values("keeps", key)
    return action == "deactivate" and _is_forbidden(target, key)


def _is_forbidden(target: Target, key: str) -> bool:
    """Whether the text forbids to remove a mode's record."""
    held = target.facts.held("action", key).get("clear")
    return held is not None and held.stance == "denied"


def _knows_record(target: Target, value: Any) -> bool:
    """Tools know the files themselves; and where the directory is not known, nobody asks for what lies in it."""
    if target.data["tools"] is not None or not target.lines.get(("root", "directory")):
        return True
    return names_record(target, str(value))


def _knows_missing(target: Target, value: Any) -> bool:
    """Records that belong to no session are there where the text tells of old ones, or names one outside all sessions."""
    words = contract_fields()[("identity", "missing")].decides
    if value == "refuse" or (words and any(map(target.evidence.mentions, words.words))):
        return True
    before, pattern = state_prefix(target.data), str(target.data["store"].get("record", "{mode}-state.json"))
    names = [name for mode in target.data["modes"].values() for name in mode["records"]]
    return any(target.evidence.says(before + pattern.replace("{mode}", name)) for name in names)


def _knows_session(target: Target, value: Any) -> bool:
    """A text whose calls name no session asks for more than a call that does: nothing is lost by naming one."""
    calls = target.facts.of("call")
    clear = target.data["tools"]["names"]["clear"].rpartition("__")[2]
    named = any(value in fact.value.split(",") for fact in calls)
    return named or any(fact.key.rpartition("__")[2] == clear for fact in calls)


def _knows_state(target: Target, value: Any) -> bool:
    return bool(target.lines.get(("root", "directory")))


def _knows_both(target: Target, value: Any) -> bool:
    """Two flags together select what the wider one does."""
    flags = target.data["flags"]
    return bool(value in (flags["force"]["scope"], flags["all"]["scope"]))


#: Values that a text says in ways of their own.
_EVIDENCE: dict[Path, Callable[[Target, Any], bool]] = {
    ("flags", "both", "scope"): _knows_both,
    ("root", "state"): _knows_state,
    ("store", "record"): _knows_record,
    ("identity", "missing"): _knows_missing,
    ("tools", "arguments", "session"): _knows_session,
    ("tools",): lambda target, value: True,
    # A driver is taken over only where the text knows what it works with.
    ("team",): lambda target, value: bool(value["kind"] != "none"),
}


_FORMS = {"force": "--force", "all": "--all", "both": "--force --all"}


def speaks_of(fact: Fact, path: Path) -> bool:
    """Whether a fact whose kind bears on a field bears on this value of it."""
    if path[0] == "flags":
        return _FORMS.get(path[1]) == (fact.value if fact.kind == "flag" else fact.key)
    # A text that has messages for some modes speaks of messages.
    told = fact.kind == "message" and path[-1] == "message" and fact.key not in ("none", "force")
    of_all = fact.kind in ("flag", "forced") or told
    return path[0] != "modes" or of_all or fact.key == path[1]


def _set_at(data: Any, path: Path, value: Any) -> None:
    for step in path[:-1]:
        data = data[step]
    data[path[-1]] = value


def _as_plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else dict(value) if isinstance(value, dict) else value
