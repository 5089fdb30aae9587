"""Work out the contract that a text asks for: the base's, renamed, with what the facts say otherwise."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import replace

from skillgen.adopt.answered import take_answers
from skillgen.adopt.evidence import Evidence
from skillgen.adopt.hosts import take_host
from skillgen.adopt.links import take_links
from skillgen.adopt.modes import take_modes
from skillgen.adopt.names import Names, is_kin
from skillgen.adopt.paths import take_paths
from skillgen.adopt.places import take_places
from skillgen.adopt.products import take_product
from skillgen.adopt.records import take_records
from skillgen.adopt.renames import find_renames, one_key
from skillgen.adopt.same import flag_rule
from skillgen.adopt.scrub import scrub
from skillgen.adopt.sessions import take_sessions
from skillgen.adopt.teams import take_team
from skillgen.adopt.toolset import take_tools
from skillgen.adopt.wanted import Skill, Surroundings, Target
from skillgen.model.contract import Contract
from skillgen.model.facts import Fact, Facts
from skillgen.model.question import Answer, Path


def find_target(
    facts: Facts,
    evidence: Evidence,
    names: Names,
    base: Contract,
    skill: Skill,
    *,
    kin: bool | None = None,
    answers: Mapping[Path, Answer] | None = None,
    around: Surroundings | None = None,
) -> Target:
    """Return what the text asks for; `Target.residue` names what still speaks of the base and cannot be left out.

    `kin`: whether the text is the base's own; it tells by itself where nobody says. `answers`: what somebody said to the
    questions that the text left open; `around`: what the repository says of the product.
    """
    answers = answers or {}
    names = _answered_names(names, answers, base)
    own = is_kin(names, facts, base)
    kin = own if kin is None else kin
    renames = find_renames(names, facts, base, evidence)
    if own:
        renames.words.clear()
    facts = _answered_facts([one_key(fact, renames.keys) for fact in facts.every], answers)
    below = base.model_dump(mode="json")
    data = renames.apply(copy.deepcopy(below))
    for kept in ("flavor", "schema_version", "revision"):
        data[kept] = below[kept]
    target = Target(data, base, facts, evidence, names, renames, skill, kin, answers)
    take_host(target)
    if around is not None:
        around.take_host(target)
    take_product(target, names)
    if around is not None:
        around.take_product(target)
    take_modes(target)
    take_links(target)
    take_places(target, names)
    take_team(target)
    take_tools(target)
    take_records(target)
    take_sessions(target)
    take_paths(target)
    _flags(target)
    take_answers(target)
    _describe(target)
    target.residue = scrub(target, names)
    return target


def _answered_names(names: Names, answers: Mapping[Path, Answer], base: Contract) -> Names:
    """Return the names with the state directory that somebody gave."""
    directory, state = answers.get(("root", "directory")), answers.get(("root", "state"))
    if directory is None:
        return names
    below = getattr(base.root, "state", "") if state is None else state.value
    return replace(names, directory=directory.value, state=below, root_line=directory.line)


def _answered_facts(facts: list[Fact], answers: Mapping[Path, Answer]) -> Facts:
    """Return the facts with the answers that are facts of a text too, in place of what it said doubtfully."""
    said = [
        *(
            Fact("action", path[1], answer.value, answer.line)
            for path, answer in answers.items()
            if path[2:] == ("action",)
        ),
        *(
            Fact("scope", _FORMS[path[1]], answer.value, answer.line)
            for path, answer in answers.items()
            if path[0] == "flags" and path[1] in _FORMS
        ),
    ]
    known = {(fact.kind, fact.key) for fact in said}
    # A goal may be paused whatever becomes of the record.
    kept = [fact for fact in facts if (fact.kind, fact.key) not in known or fact.value == "pause-goal"]
    return Facts([*kept, *said])


def _flags(target: Target) -> None:
    """Let each flag select what the text says of it; another product's flag of which it says nothing selects the least."""
    facts, flags = target.facts, target.data["flags"]
    rule = next(iter(facts.of("flags")), None)
    split = rule is not None and rule.value == "split"
    if rule is not None and rule.value in ("same", "split") and rule.value != flag_rule(target.base):
        flags["force"] = {"scope": "current" if split else "all", "urgency": "forced", "refused": ""}
        flags["all"] = {"scope": "all", "urgency": "graceful" if split else "forced", "refused": ""}
        target.lines[("flags",)] = rule.line
    if not target.kin:
        _scopes(target, rule)
    _refusals(target)


def _scopes(target: Target, rule: Fact | None) -> None:
    facts, flags = target.facts, target.data["flags"]
    if target.data["identity"]["kind"] == "none":
        _without_sessions(target)
        return
    told = {key: (fact.value, fact.line) for key in _FORMS.values() for fact in _unambiguous_facts(facts, key)}
    alike = rule is not None and rule.value == "same"
    for name, key in _FORMS.items():
        other = "--all" if key == "--force" else "--force"
        scope, line = told.get(key) or (told.get(other) if alike or name == "both" else None) or ("current", 0)
        if flags[name]["scope"] != scope or line:
            flags[name] = {**flags[name], "scope": scope}
            target.lines[("flags", name, "scope")] = line
            target.lines.setdefault(("flags",), line)
    wide = [flags[name] for name in ("force", "all") if flags[name]["scope"] == "all"]
    if wide and "--force --all" not in told:
        flags["both"] = {**flags["both"], "scope": "all"}


def _refusals(target: Target) -> None:
    """Refuse the forms that the text refuses, with its reason; both flags together where it refuses one of them."""
    flags = target.data["flags"]
    refused = {fact.value: fact for fact in target.facts.denied if fact.kind == "flag"}
    for name, key in _FORMS.items():
        fact = next((refused[flag] for flag in key.split() if flag in refused), None)
        if fact is None:
            if not target.kin and flags[name].get("refused"):
                flags[name] = {**flags[name], "refused": ""}
            continue
        why = target.own(fact.detail) or f"{target.names.name} does not take it"
        flags[name] = {**flags[name], "scope": "current", "refused": why}
        target.lines[("flags", name, "refused")] = target.lines[("flags", name, "scope")] = fact.line


def _without_sessions(target: Target) -> None:
    """Where there are no sessions the widest run adds what only it removes: a flag selects it where the text has both."""
    wide = bool(target.facts.of("artifact") or target.facts.of("forced"))
    named = target.facts.values("flag")
    for name, form in _FORMS.items():
        told = form in named if name != "both" else bool(named)
        target.data["flags"][name] = {**target.data["flags"][name], "scope": "all" if wide and told else "current"}


_FORMS = {"force": "--force", "all": "--all", "both": "--force --all"}


def _unambiguous_facts(facts: Facts, flag: str) -> list[Fact]:
    """Return what the text says that a flag selects; nothing where it says both."""
    found = facts.of("scope", flag)
    return list(found[:1]) if len({fact.value for fact in found}) == 1 else []


def _describe(target: Target) -> None:
    """A description that names modes one by one holds only for exactly these."""
    old = {key: (mode.retired, mode.title) for key, mode in target.base.modes.items()}
    new = {key: (mode["retired"], mode["title"]) for key, mode in target.data["modes"].items()}
    if {key for key, _ in old.items()} != {*new} or [r for r, _ in old.values()] != [r for r, _ in new.values()]:
        target.described = target.skill.description
