"""Account for every fact of a text: placed in the result, equal to what the base says anyway, or without a place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from skillgen.adopt.holding import holds
from skillgen.adopt.phrasing import pretty
from skillgen.adopt.renames import one_key
from skillgen.model.facts import Fact, Facts


@dataclass(frozen=True, slots=True)
class Ledger:
    """Each fact is in exactly one of the three; nothing is counted twice."""

    placed: tuple[Fact, ...]
    equal: tuple[Fact, ...]
    unplaced: tuple[Fact, ...]

    @property
    def total(self) -> int:
        return len(self.placed) + len(self.equal) + len(self.unplaced)


def judge(facts: Facts, keys: Mapping[str, str], result: Mapping[str, Any], base: Mapping[str, Any]) -> Ledger:
    """Hold each fact against the built contract, not against what was meant to be taken over.

    `keys`: mode key of the text to that of the contract, where they differ.
    """
    placed, equal, unplaced = [], [], []
    for fact in facts:
        same = one_key(fact, keys)
        if not holds(same, result):
            unplaced.append(fact)
        elif holds(same, base):
            equal.append(fact)
        else:
            placed.append(fact)
    return Ledger(tuple(placed), tuple(equal), tuple(unplaced))


def worded(fact: Fact) -> str:
    """Say a fact in a line of a listing."""
    key, value, detail = fact.key, fact.value, fact.detail
    by = f" by the field {detail}" if detail else ""
    said = {
        "front": f"front matter {key}: {value}",
        "label": f"the label {value}",
        "invocation": f"the command {value}",
        "flag": f"the flag {value}",
        "flags": _FLAGS.get(value, value),
        "scope": f"{key} selects {'every session' if value == 'all' else 'the current session'}",
        "forced": "a forced run removes the records",
        "keyword": f"the {'everyday word' if detail == 'plain' else 'keyword'} {value}",
        "root": f"the state root {value}",
        "store": f"state is kept in {value}",
        "variable": f"the variable {value}",
        "tool": f"the tool {value}",
        "call": f"{key} is called with {value or 'no argument'}",
        "dialect": f"state tools are commands that take JSON behind {value}",
        "verb": f"the call {key} {value} {detail}".rstrip(),
        "driven": f"only {value} may change the state",
        "mode": f"the mode {pretty(key) if value == key else value}",
        "record": f"{key} is kept in the record {value}",
        "order": f"{key} stands in place {value} of the order",
        "link": f"{key} is linked to {value}{by}",
        "action": f"{key}: {value}",
        "message": f"the message of {key}: {value}",
        "preserved": f"{value} is kept",
        "keeps": f"{key} keeps something: {value}{f' ({detail})' if detail else ''}",
        "artifact": f"{value}, which the widest scope removes",
        "team": f"workers{f' of {key}' if key else ''} are stopped by {value}",
        "timeout": f"{value} s ({detail})",
        "signal": f"the cancel signal {value}",
        "final": f"{value} goes last",
        "overlay": f"the overlay's {key}, {value}",
    }
    return said.get(fact.kind, f"{fact.kind} {key} {value}")


_FLAGS = {
    "force-only": "--force is the only flag; the build takes --all too",
    "all-only": "--all is the only flag; the build takes --force too",
    "none": "the command has no flag; the build takes --force and --all",
    "same": "--force and --all are one",
    "split": "--force and --all are two",
}
