"""Put a fork's names in place of the base's, in every value of a contract."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from skillgen.adopt.evidence import Evidence
from skillgen.adopt.names import Names
from skillgen.adopt.same import canonical, hyphenate
from skillgen.model.contract import Contract
from skillgen.model.facts import Fact, Facts

#: Values that explain the base or are no words; no rename touches them.
_KEPT = frozenset({"license", "revision", "version", "kind", "pattern", "climb"})
_OF_MODES = frozenset({"mode", "order", "action", "message", "keeps", "link", "team", "record"})
#: A variable, or a name with hyphens: the text's own spelling of such a one wins over any rename.
_VARIABLE = re.compile(r"[A-Z][A-Z0-9]*_[A-Z0-9_]*", re.A)
_WHOLE = re.compile(r"[A-Z][A-Z0-9_]+|[\w.]+-[\w.-]*", re.A)


@dataclass(slots=True)
class Renames:
    """Old word -> new word, and the mode keys that changed."""

    evidence: Evidence
    words: dict[str, str] = field(default_factory=dict)
    modes: dict[str, str] = field(default_factory=dict)
    """Old mode key -> new one."""
    keys: dict[str, str] = field(default_factory=dict)
    """Key of the text -> the base's key of the same mode: a title with the fork's label in it may stand beside it."""

    def apply(self, value: Any, key: str = "") -> Any:
        """Return a value with every old word replaced, mappings and lists all the way down."""
        if isinstance(value, dict):
            return {self.modes.get(name, name): self.apply(child, name) for name, child in value.items()}
        if isinstance(value, list):
            return [self.apply(child, key) for child in value]
        if not isinstance(value, str) or key in _KEPT:
            return value
        if value in self.modes:
            return self.modes[value]
        return re.sub(r"[A-Za-z0-9_.:/~$-]+", lambda match: self._token(match[0]), value)

    def _token(self, token: str) -> str:
        if _WHOLE.fullmatch(token) and token not in self.words and self.evidence.says(token):
            return token
        for old, new in sorted(self.words.items(), key=lambda pair: -len(pair[0])):
            if _VARIABLE.fullmatch(token):
                new = re.sub(r"\W", "_", new, flags=re.A).upper()
            elif "_" in token:
                new = new.replace("-", "_")
            pattern = rf"(?<![A-Za-z]){re.escape(old)}(?![a-z])(?!(?<=[A-Z])[A-Z])"
            changed = re.sub(pattern, new.replace("\\", r"\\"), token)
            if changed != token:
                return changed
        return token

    def add(self, old: str, new: str) -> None:
        if old and new and old != new:
            self.words.setdefault(old, new)


def find_renames(names: Names, facts: Facts, contract: Contract, evidence: Evidence) -> Renames:
    """Return the words that the text has in place of the contract's."""
    renames = Renames(evidence)
    label, title, plugin = contract.product.name, contract.product.title, contract.plugin.name
    if names.name.lower() not in {label.lower(), title.lower()}:
        renames.add(label, names.name)
        renames.add(label.upper() + "_", environment(facts, names) + "_")
    space = contract.command.form.lstrip("/$").rpartition(":")[0] or plugin
    if names.namespace:
        renames.add(space, names.namespace)
        renames.add(title, names.namespace)
    elif label in renames.words:
        renames.add(space, names.slug)
        renames.add(title, names.name)
    if contract.plugin.package:
        renames.add(contract.plugin.package, f"{names.slug}-cancel")
    root = contract.root.directory
    if names.directory != root:
        # A text that names no directory gets one by its name; the file says that nobody told it.
        directory = names.directory or f".{names.slug}"
        renames.add(root, directory)
        renames.add(root.lstrip("."), directory.lstrip("."))
        renames.add(root.lstrip(".").upper(), environment(facts, names))
    renames.keys = _keys(facts, contract, renames)
    _modes(renames, Facts(one_key(fact, renames.keys) for fact in facts), contract)
    return renames


def environment(facts: Facts, names: Names) -> str:
    """Return what the fork's variables begin with: as a session variable does, else the root's or label's letters."""
    for name in facts.values("variable"):
        if name.endswith("_SESSION_ID") and not name.startswith(("CLAUDE", "CODEX", "SESSION")):
            return name.removesuffix("_SESSION_ID")
    return re.sub(r"\W", "_", (names.directory.lstrip(".") or names.name).upper(), flags=re.A).strip("_") or "PRODUCT"


def _keys(facts: Facts, contract: Contract, renames: Renames) -> dict[str, str]:
    """Return key of the text -> key of the contract, where one mode has two."""
    modes = facts.modes()
    same = {}
    for key, mode in contract.modes.items():
        other = hyphenate(str(renames.apply(mode.title)))
        if other != key and other in modes and key in modes:
            same[other] = key
    # A record's name is the key of its mode only where the text uses the mode's title too.
    known = [key for key, mode in contract.modes.items() if key in modes or renames.evidence.mentions(mode.title)]
    same |= {key: other for key in modes if (other := canonical(key, known)) != key}
    for key, title in modes.items():
        titled = hyphenate(title)
        if title.isascii() and titled and not {key, titled} & {*contract.modes, *same} and titled not in modes:
            # The order and the messages call it by its title; the key is a record's.
            same[key] = titled
    return same


def one_key(fact: Fact, keys: Mapping[str, str]) -> Fact:
    """Return a fact about a mode under the key that the contract knows it by."""
    if fact.kind not in _OF_MODES:
        return fact
    value = keys.get(fact.value, fact.value) if fact.kind == "link" or fact.value == fact.key else fact.value
    return fact._replace(key=keys.get(fact.key, fact.key), value=value)


def _modes(renames: Renames, facts: Facts, contract: Contract) -> None:
    """A mode of the contract that the text lacks, and one that the contract lacks at the same place: a rename."""
    ours = [key for group in contract.order for key in group]
    theirs = list(dict.fromkeys(key for group in facts.order() for key in group))
    present = set(facts.modes()) | set(theirs)
    lost = [key for key in ours if key not in present]
    for key in (key for key in theirs if key not in contract.modes):
        message = facts.first("message", key)
        for old in lost:
            mode = contract.modes[old]
            title = facts.modes().get(key, key)
            if title == key and mode.title[:1].isupper():
                title = key.replace("-", " ").title()
            said = re.sub(re.escape(mode.title), title.replace("\\", r"\\"), renames.apply(mode.message), flags=re.I)
            same = bool(message) and said.lower() == message.lower() != f"{title} cancelled.".lower()
            around = _find_neighbours(ours, old) == _find_neighbours(theirs, key)
            if same or (around and not message):
                renames.modes[old] = key
                renames.add(mode.title, title)
                renames.add(old, key)
                renames.add(old.replace("-", "_"), key.replace("-", "_"))
                lost.remove(old)
                break


def _find_neighbours(keys: list[str], key: str) -> tuple[str, str]:
    at = keys.index(key)
    return (keys[at - 1] if at else "", keys[at + 1] if at + 1 < len(keys) else "")
