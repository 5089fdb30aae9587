"""Work out the contract that a text asks for: the base's, renamed, with what the facts say otherwise."""

from __future__ import annotations

import copy
import re
from typing import Any

from skillgen.adopt.modes import take_links, take_messages, take_modes
from skillgen.adopt.names import Renames, find_renames
from skillgen.adopt.places import list_elsewhere, take_paths, take_team
from skillgen.adopt.same import flag_rule, words
from skillgen.adopt.wanted import Target
from skillgen.model.contract import Contract
from skillgen.model.facts import Facts

#: Set by Claude Code in a shell; the others are not, so it stands before them (facts C1).
HOST_VARIABLES = ("CLAUDE_CODE_SESSION_ID", "CLAUDE_SESSION_ID", "CLAUDECODE_SESSION_ID")
SAFE_PATTERN = "^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$"


def find_target(facts: Facts, contract: Contract, skill_mode: dict[str, Any]) -> Target:
    """Return what the text asks for. `skill_mode` are the skill's defaults of a mode."""
    renames, facts = find_renames(facts, contract)
    base = contract.model_dump(mode="json")
    data = renames.apply(copy.deepcopy(base))
    for kept in ("flavor", "schema_version", "revision"):
        data[kept] = base[kept]
    target = Target(data, renames)
    for word, line in renames.lines.items():
        target.lines[("", word)] = line
    for new in renames.modes.values():
        target.lines[("modes", new)] = renames.lines[new]
    target.check = _inherited(base, renames)
    _names(target, facts, contract)
    _identity(target, facts)
    _flags(target, facts, contract)
    take_modes(target, facts, skill_mode)
    take_messages(target, facts)
    take_links(target, facts)
    take_paths(target, facts)
    take_team(target, facts)
    _front(target, facts)
    list_elsewhere(target, facts, contract)
    if renames.words and not facts.of("root"):
        target.check.add(
            f"root (the text names none; {contract.root.directory} is the state root of {contract.flavor})"
        )
    return target


def _inherited(base: dict[str, Any], renames: Renames) -> set[str]:
    told = {
        "product",
        "plugin",
        "command",
        "front",
        "modes",
        "order",
        "messages",
        "global_pass",
        "verdicts",
        "identity",
    }
    found = set()
    for key, value in base.items():
        if key in told or value == renames.apply(value, key):
            continue
        if isinstance(value, dict):
            found |= {f"{key}.{name}" for name, child in value.items() if child != renames.apply(child, name)}
        else:
            found.add(key)
    return found - {"root.directory"}


def _names(target: Target, facts: Facts, contract: Contract) -> None:
    data = target.data
    if label := next(iter(facts.of("label")), None):
        known = {data["product"]["name"].lower(), data["product"]["title"].lower()}
        if label.value.lower() not in known:
            target.set(("product", "name"), label.value, label.line)
    renamed = bool(target.renames.words)
    if renamed:
        data["product"]["title"] = (
            data["product"]["name"] if data["product"]["title"] == contract.product.title else data["product"]["title"]
        )
        data["plugin"]["name"] = (
            _key(data["plugin"]["name"])
            if data["plugin"]["name"] != contract.plugin.name
            else _key(
                next((_space(f.value) for f in facts.of("invocation") if ":" in f.value), "") or data["product"]["name"]
            )
        )
        data["plugin"]["marketplace"] = data["plugin"]["marketplace"] if data["plugin"]["marketplace"] else "skillgen"
        data["plugin"]["description"] = (
            f"Cancels the active {data['product']['name']} mode of this session, in the right order and without touching other sessions."
        )
        data["plugin"]["display_name"] = f"{data['product']['name']} cancel"
        data["plugin"]["keywords"] = sorted({"agent-skills", "cancel", "modes", data["plugin"]["name"]})
    forms = facts.of("invocation")
    if forms and not {fact.value for fact in forms} & {data["command"]["form"], *data["command"]["also"]}:
        first = next((fact for fact in forms if ":" in fact.value), forms[0])
        target.set(("command", "form"), first.value, first.line)
        target.set(
            ("command", "also"), [f.value for f in forms if f.value != first.value and f.value[0] != "$"], first.line
        )
    said = facts.of("keyword")
    if said and {fact.value for fact in said} != set(contract.command.keywords):
        target.set(("command", "keywords"), list(dict.fromkeys(fact.value for fact in said)), said[0].line)
        target.set(("command", "matching"), "", said[0].line)
    elif said:
        data["command"]["keywords"] = list(contract.command.keywords)


def _space(form: str) -> str:
    return form.lstrip("/$").rpartition(":")[0]


def _key(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:64] or "cancel"


def _identity(target: Target, facts: Facts) -> None:
    said = list(facts.of("variable"))
    identity = target.data["identity"]
    known = set(identity.get("variables", ()))
    own = [fact for fact in said if fact.value not in known]
    if not own:
        names = {fact.value for fact in said}
        if names & set(HOST_VARIABLES[1:]) and HOST_VARIABLES[0] in known - names:
            target.fixed.append((said[0].line, f"{HOST_VARIABLES[0]}, which the host sets, is read before the others"))
        return
    chain = [fact.value for fact in said]
    if target.data["host"]["id"] == "claude-code" and HOST_VARIABLES[0] not in chain:
        at = next((n for n, name in enumerate(chain) if name in HOST_VARIABLES), len(chain))
        chain.insert(at, HOST_VARIABLES[0])
        target.fixed.append((said[0].line, f"{HOST_VARIABLES[0]}, which the host sets, is added to the chain"))
    if "variables" in identity:
        target.set(("identity", "variables"), chain, own[0].line)
    else:
        value = {"kind": "environment", "variables": chain, "pattern": SAFE_PATTERN, "missing": "refuse", "note": ""}
        target.set(("identity",), value, own[0].line)


def _flags(target: Target, facts: Facts, contract: Contract) -> None:
    rule = next(iter(facts.of("flags")), None)
    if rule is None or rule.value not in ("same", "split") or rule.value == flag_rule(contract):
        return
    split = rule.value == "split"
    target.set(("flags", "force"), {"scope": "current" if split else "all", "urgency": "forced"}, rule.line)
    target.set(("flags", "all"), {"scope": "all", "urgency": "graceful" if split else "forced"}, rule.line)


def _front(target: Target, facts: Facts) -> None:
    front = target.data["front"]
    for fact in facts.of("front"):
        if fact.key in (
            "description",
            "when-to-use",
            "when_to_use",
            "license",
            "compatibility",
            "allowed-tools",
            "metadata",
            "triggers",
            "keywords",
        ):
            continue
        if fact.key == "name":
            if fact.value != front["name"] and re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", fact.value):
                target.set(("front", "name"), fact.value, fact.line)
            continue
        known = {**front["metadata"], **front["host_keys"]}
        if fact.key in known:
            where = "metadata" if fact.key in front["metadata"] else "host_keys"
            if words(known[fact.key]) != words(fact.value):
                target.set(("front", where, fact.key), fact.value, fact.line)
        elif re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", fact.key) and fact.value:
            target.set(("front", "metadata", fact.key), fact.value, fact.line)
