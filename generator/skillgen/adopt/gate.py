"""Say why a text carries no flavor."""

from __future__ import annotations

import re
from collections.abc import Mapping

from skillgen.adopt.names import Names
from skillgen.adopt.nearest import deciding
from skillgen.model.contract import Contract
from skillgen.model.facts import Facts

_STATE_TOOL = re.compile(r"(?:^|_)(?:state|modes?)(?:_|$)|(?:^|_)(?:cancel|clear)_", re.A)
_HOME = re.compile(r"~/\.[\w-]+$", re.A)
#: Below this no base is nearer than another by anything that the text says.
_LEAST = 2.0


def refusal(facts: Facts, names: Names) -> str:
    """Return what the text has and what it lacks, '' where it says enough for a flavor."""
    if driven := next(iter(facts.of("driven")), None):
        calls = sorted(
            {f"`{fact.key} {fact.value}` (line {fact.line})" for fact in facts.of("verb") if fact.key == driven.value}
        )
        return (
            f"its state is changed by its own program alone (line {driven.line}: {', '.join(calls[:4])}), and a bundle works on "
            "records or calls tools; no flavor can say that yet"
        )
    modes, missing = facts.modes(), []
    if len(modes) < 2:
        named = f" ({', '.join(modes)})" if modes else ""
        missing.append(
            f"it names {'one mode' if modes else 'no modes'}{named} where a flavor needs two or more to put in order"
        )
    roots = [fact for fact in facts.of("root") if not _HOME.match(fact.value)]
    tools = [
        fact for fact in facts.of("tool") if " " in fact.value or _STATE_TOOL.search(fact.value.rpartition("__")[2])
    ]
    if not roots and not tools:
        missing.append("it names neither a state directory nor a tool that reads or clears state")
    if not missing and not names.name:
        missing.append("it names no product: neither a label nor a command with a prefix nor a state directory")
    if not missing:
        return ""
    found = [f"{what} {value} (line {facts.of(kind)[0].line})" for kind, what in _FOUND if (value := facts.first(kind))]
    has = f"; it has {', '.join(found)}" if found else ""
    return f"no flavor can be read from it: {' and '.join(missing)}{has}"


_FOUND = (("label", "the label"), ("invocation", "the command"), ("root", "the state root"), ("keyword", "the keyword"))


def find_indecision(facts: Facts, contracts: Mapping[str, Contract]) -> str:
    """Return why no known flavor may serve as the base unasked, '' where one may."""
    if max(deciding(facts, contract) for contract in contracts.values()) >= _LEAST:
        return ""
    modes = ", ".join(list(facts.modes())[:6])
    return (
        f"nothing in it decides for a base: none of the known flavors shares its modes ({modes}), tools, root or team"
    )
