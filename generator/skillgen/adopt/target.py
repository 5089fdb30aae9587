"""Work out the contract that a text asks for: the base's, renamed, with what the facts say otherwise."""

from __future__ import annotations

import copy

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
from skillgen.adopt.wanted import Skill, Target
from skillgen.model.contract import Contract
from skillgen.model.facts import Fact, Facts


def find_target(
    facts: Facts,
    evidence: Evidence,
    names: Names,
    base: Contract,
    skill: Skill,
    *,
    kin: bool | None = None,
) -> Target:
    """Return what the text asks for; `Target.residue` names what still speaks of the base and cannot be left out.

    `kin`: whether the text is the base's own; it tells by itself where nobody says.
    """
    own = is_kin(names, facts, base)
    kin = own if kin is None else kin
    renames = find_renames(names, facts, base, evidence)
    if own:
        renames.words.clear()
    facts = Facts(one_key(fact, renames.keys) for fact in facts.every)
    below = base.model_dump(mode="json")
    data = renames.apply(copy.deepcopy(below))
    for kept in ("flavor", "schema_version", "revision"):
        data[kept] = below[kept]
    target = Target(data, base, facts, evidence, names, renames, skill, kin)
    take_host(target)
    take_product(target, names)
    take_modes(target)
    take_links(target)
    take_places(target, names)
    take_team(target)
    take_tools(target)
    take_records(target)
    take_sessions(target)
    take_paths(target)
    _flags(target)
    _describe(target)
    target.residue = scrub(target, names)
    return target


def _flags(target: Target) -> None:
    """Let each flag select what the text says of it; another product's flag of which it says nothing selects the least."""
    facts, flags = target.facts, target.data["flags"]
    rule = next(iter(facts.of("flags")), None)
    split = rule is not None and rule.value == "split"
    if rule is not None and rule.value in ("same", "split") and rule.value != flag_rule(target.base):
        flags["force"] = {"scope": "current" if split else "all", "urgency": "forced"}
        flags["all"] = {"scope": "all", "urgency": "graceful" if split else "forced"}
        target.lines[("flags",)] = rule.line
    if target.kin or target.data["identity"]["kind"] == "none":
        return
    told = {key: (fact.value, fact.line) for key in _FORMS.values() for fact in _certain(facts, key)}
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


_FORMS = {"force": "--force", "all": "--all", "both": "--force --all"}


def _certain(facts: Facts, flag: str) -> list[Fact]:
    """Return what the text says that a flag selects; nothing where it says both."""
    found = facts.of("scope", flag)
    return list(found[:1]) if len({fact.value for fact in found}) == 1 else []


def _describe(target: Target) -> None:
    """A description that names modes one by one holds only for exactly these."""
    old = {key: (mode.retired, mode.title) for key, mode in target.base.modes.items()}
    new = {key: (mode["retired"], mode["title"]) for key, mode in target.data["modes"].items()}
    if {key for key, _ in old.items()} != {*new} or [r for r, _ in old.values()] != [r for r, _ in new.values()]:
        target.described = target.skill.description
