"""Find the known flavor that is nearest to the facts of a text."""

from __future__ import annotations

from collections.abc import Mapping

from skillgen.adopt.same import canonical, flag_rule, own_words, relative_order, store_of
from skillgen.model.contract import Contract
from skillgen.model.facts import Facts


def nearest(facts: Facts, contracts: Mapping[str, Contract]) -> tuple[str, float]:
    """Return the id of the nearest flavor and its score; names count less than what a rename cannot change.

    `contracts` must not be empty; the first of equal ones wins.
    """
    scores = {id_: score(facts, contract) for id_, contract in contracts.items()}
    best = max(scores, key=lambda id_: scores[id_])
    return best, scores[best]


def score(facts: Facts, contract: Contract) -> float:
    """Return how much of the contract the facts share."""
    total = 0.0
    words = own_words(contract)
    if facts.first("label").lower() in words:
        total += 6
    if contract.command.form in facts.values("invocation"):
        total += 6
    if any(root.removeprefix("~/").split("/")[0] == contract.root.directory for root in facts.values("root")):
        total += 6
    total += 12 * _alike({canonical(key, contract.modes) for key in facts.modes()}, set(contract.modes))
    order = [canonical(key, contract.modes) for group in facts.order() for key in group]
    if order:
        total += 6 * (relative_order(order, contract) == [key for key in order if key in _keys(contract)])
        total += 2 * _alike(
            {frozenset(canonical(key, contract.modes) for key in g) for g in facts.order()},
            {frozenset(g) for g in contract.order},
        )
    if facts.first("store") == store_of(contract):
        total += 8
    if facts.first("team") == contract.team.kind:
        total += 6
    if facts.first("flags") == flag_rule(contract):
        total += 5
    arguments = {name for fact in facts.of("call") for name in fact.value.split(",")}
    if contract.tools.arguments.session in arguments:
        total += 4
    if contract.tools.arguments.workspace and contract.tools.arguments.workspace in arguments:
        total += 3
    tools = set(facts.values("tool"))
    named = {name for name in contract.tools.names.model_dump().values() if name}
    total += 3 * _alike({tool.rpartition("__")[2] for tool in tools}, {name.rpartition("__")[2] for name in named})
    variables = set(facts.values("variable"))
    total += 3 * _alike(variables, set(getattr(contract.identity, "variables", ())))
    messages = {mode.message for mode in contract.modes.values()}
    if facts.of("message"):
        total += 4 * sum(value in messages for value in facts.values("message")) / len(facts.of("message"))
    if bool(facts.of("overlay")) == hasattr(contract.team, "overlay"):
        total += 1
    return total


def _keys(contract: Contract) -> set[str]:
    return set(contract.modes)


def _alike(a: set, b: set) -> float:  # type: ignore[type-arg]
    return len(a & b) / len(a | b) if a | b else 0.0
