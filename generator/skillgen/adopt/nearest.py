"""Find the known flavor that is nearest to the facts of a text."""

from __future__ import annotations

from collections.abc import Mapping

from skillgen.adopt.evidence import Evidence
from skillgen.adopt.same import canonical, flag_rule, own_words, relative_order, store_of
from skillgen.hosts import known_hosts
from skillgen.model.contract import Contract
from skillgen.model.facts import Facts
from skillgen.model.tools import Tools


def nearest(facts: Facts, contracts: Mapping[str, Contract], evidence: Evidence) -> str:
    """Return the id of the nearest flavor; `contracts` must not be empty, the first of equal ones wins."""
    return max(contracts, key=lambda id_: score(facts, contracts[id_], evidence))


def score(facts: Facts, contract: Contract, evidence: Evidence) -> float:
    """Return how much of the contract the facts share; what is common to nearly all texts only breaks ties."""
    total = deciding(facts, contract)
    if facts.first("store") == store_of(contract):
        total += 8
    if facts.first("flags") == flag_rule(contract):
        total += 5
    host = (contract.host.name, contract.host.name.removeprefix("GitHub "))
    if any(evidence.says(name) for name in host):
        total += 6
    elif _is_packaged(contract) and not (contract.tools and contract.tools.arguments.session in _arguments(facts)):
        total -= 10  # its packages and calls are like no other host's
    if contract.team.kind == "tmux" and "tmux" in facts.values("team"):
        total += 6 * evidence.says(f"/{contract.team.directory.partition('/{')[0]}/")
    if any(form.startswith("$") for form in facts.values("invocation")) == contract.command.form.startswith("$"):
        total += 2
    if bool(facts.of("overlay")) == hasattr(contract.team, "overlay"):
        total += 1
    return total


def _is_packaged(contract: Contract) -> bool:
    """Whether the flavor's host takes npm packages."""
    host = known_hosts().get(contract.host.id)
    return bool(host and host.manifest and host.manifest.kind == "package")


def deciding(facts: Facts, contract: Contract) -> float:
    """Return what speaks for this contract and against the others: names, modes, tools, messages, the team."""
    total = 0.0
    if facts.first("label").lower() in own_words(contract):
        total += 6
    if contract.command.form in facts.values("invocation"):
        total += 6 if ":" in contract.command.form else 1
    if any(root.removeprefix("~/").split("/")[0] == contract.root.directory for root in facts.values("root")):
        total += 6
    told = {canonical(key, contract.modes) for key in facts.modes()}
    # A text names some of the modes; how many others the flavor has speaks little against it.
    total += 9 * len(told & set(contract.modes)) / max(len(told), 1) + 3 * _measure_likeness(told, set(contract.modes))
    order = [canonical(key, contract.modes) for group in facts.order() for key in group]
    known = [key for key in order if key in contract.modes]
    if len(known) > 1:
        total += 6 * (relative_order(order, contract) == known)
        total += 2 * _measure_likeness(
            {frozenset(canonical(key, contract.modes) for key in group) for group in facts.order()},
            {frozenset(group) for group in contract.order},
        )
    if facts.first("store") == store_of(contract) == "sqlite":
        total += 4
    if contract.team.kind in facts.values("team"):
        total += 2 if contract.team.kind == "tmux" else 6  # tmux alone tells little of what workers are known by
    if contract.tools:
        total += _tools(facts, contract.tools)
    total += 3 * _measure_likeness(set(facts.values("variable")), set(getattr(contract.identity, "variables", ())))
    messages = {mode.message for mode in contract.modes.values()}
    if facts.of("message"):
        total += 4 * sum(value in messages for value in facts.values("message")) / len(facts.of("message"))
    return total


def _tools(facts: Facts, tools: Tools) -> float:
    arguments = _arguments(facts)
    total = 4.0 * (tools.arguments.session in arguments)
    total += 3 * bool(tools.arguments.workspace and tools.arguments.workspace in arguments)
    told = {name.rpartition("__")[2] for name in facts.values("tool")}
    named = {name.rpartition("__")[2] for name in tools.names.model_dump().values() if name}
    total += 6 * (tools.style == "command-line" and bool(facts.of("dialect")))
    return total + 3 * _measure_likeness(told, named)


def _arguments(facts: Facts) -> set[str]:
    return {name for fact in facts.of("call") for name in fact.value.split(",")}


def _measure_likeness(a: set, b: set) -> float:  # type: ignore[type-arg]
    return len(a & b) / len(a | b) if a | b else 0.0
