"""Find what a fork renamed, and rename it in every value of a contract."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any

from skillgen.adopt.same import canonical
from skillgen.model.contract import Contract
from skillgen.model.facts import Facts

#: Values that credit or explain the base; no rename touches them.
_KEPT = frozenset({"author", "homepage", "license", "revision", "version", "kind", "pattern", "climb"})


@dataclass(slots=True)
class Renames:
    """Old word -> new word, longest first; `lines` say where the text has the new one."""

    words: dict[str, str] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    modes: dict[str, str] = field(default_factory=dict)
    """Old mode key -> new one."""
    kept: tuple[str, ...] = ()
    """Mode keys that the text keeps, though they hold an old word."""

    def apply(self, value: Any, key: str = "") -> Any:
        """Return a value with every old word replaced, mappings and lists all the way down."""
        if isinstance(value, dict):
            return {self.mode(name): self.apply(child, name) for name, child in value.items()}
        if isinstance(value, list):
            return [self.apply(child, key) for child in value]
        if not isinstance(value, str) or key in _KEPT:
            return value
        for n, word in enumerate(self.kept):
            value = value.replace(word, f"\0{n}\0")
        for old, new in sorted(self.words.items(), key=lambda pair: -len(pair[0])):
            pattern = rf"(?<![A-Za-z]){re.escape(old)}(?![a-z])(?!(?<=[A-Z])[A-Z])"
            value = re.sub(pattern, new.replace("\\", r"\\"), value)
        for n, word in enumerate(self.kept):
            value = value.replace(f"\0{n}\0", word)
        return self.mode(value)

    def mode(self, key: str) -> str:
        return self.modes.get(key, key)


def find_renames(facts: Facts, contract: Contract) -> tuple[Renames, Facts]:
    """Return the words that the text has in place of the contract's label, root, prefix, variables and modes.

    The facts come back with one key a mode: a title with the fork's label in it may stand beside the base's own key.
    """
    renames = Renames()
    label = next(iter(facts.of("label")), None)
    old_label = contract.product.name
    if label and label.value.lower() not in {old_label.lower(), contract.product.title.lower()}:
        _add(renames, old_label, label.value, label.line)
    root = next(iter(facts.of("root")), None)
    directories = [fact.value.removeprefix("~/").split("/")[0] for fact in facts.of("root")]
    old_root = contract.root.directory
    if root and old_root not in directories and directories[0].startswith("."):
        new = directories[0]
        _add(renames, old_root, new, root.line)
        _add(renames, old_root.lstrip("."), new.lstrip("."), root.line)
        _add(renames, old_root.lstrip(".").upper(), re.sub(r"\W", "_", new.lstrip(".").upper()), root.line)
    if label and old_label in renames.words:
        _add(renames, f"{old_label.upper()}_", f"{_environment(facts, renames, label.value)}_", label.line)
    _prefix(renames, facts, contract)
    facts = _one_key(facts, contract, renames)
    _modes(renames, facts, contract)
    present = {canonical(key, contract.modes) for key in facts.modes()}
    renames.kept = tuple(
        key for key in contract.modes if key in present and any(word.lower() in key for word in renames.words)
    )
    return renames, facts


def _environment(facts: Facts, renames: Renames, label: str) -> str:
    """Return what the fork's variables begin with: as a session variable does, else the root's or label's letters."""
    for name in facts.values("variable"):
        if name.endswith("_SESSION_ID") and not name.startswith(("CLAUDE", "CODEX", "SESSION")):
            return name.removesuffix("_SESSION_ID")
    root = facts.first("root").removeprefix("~/").split("/")[0].lstrip(".$")
    return re.sub(r"\W", "_", (root or label).upper())


def _one_key(facts: Facts, contract: Contract, renames: Renames) -> Facts:
    modes = facts.modes()
    same = {}
    for key, mode in contract.modes.items():
        other = re.sub(r"[^a-z0-9]+", "-", str(renames.apply(mode.title)).lower()).strip("-")
        if other != key and other in modes and key in modes:
            same[other] = key
    if not same:
        return facts
    of_modes = {"mode", "order", "action", "message", "keeps", "link"}
    return Facts(
        replace(
            fact,
            key=same.get(fact.key, fact.key),
            value=same.get(fact.value, fact.value) if fact.kind == "link" else fact.value,
        )
        if fact.kind in of_modes
        else fact
        for fact in facts
    )


def _prefix(renames: Renames, facts: Facts, contract: Contract) -> None:
    forms = facts.of("invocation")
    known = {contract.command.form, *contract.command.also}
    if not forms or known & {fact.value for fact in forms}:
        return
    spaced = next((fact for fact in forms if ":" in fact.value), forms[0])
    old_name, new_name = _namespace(contract.command.form), _namespace(spaced.value)
    if old_name and new_name and old_name != new_name:
        _add(renames, old_name, new_name, spaced.line)
        if contract.plugin.name == old_name and contract.product.title == old_name:
            _add(renames, contract.product.title, new_name, spaced.line)


def _namespace(form: str) -> str:
    return form.lstrip("/$").rpartition(":")[0]


def _modes(renames: Renames, facts: Facts, contract: Contract) -> None:
    """A mode of the contract that the text lacks, and one that the contract lacks at the same place: a rename."""
    ours = list(dict.fromkeys(key for group in contract.order for key in group))
    theirs = list(dict.fromkeys(canonical(key, contract.modes) for group in facts.order() for key in group))
    if not theirs:
        return
    present = {canonical(key, contract.modes) for key in facts.modes()} | set(theirs)
    lost = [key for key in ours if key not in present]
    new = [key for key in theirs if key not in contract.modes]
    for key in new:
        message = facts.first("message", key)
        title = facts.modes().get(key, key)
        for old in lost:
            mode = contract.modes[old]
            if title == key and mode.title[:1].isupper():
                title = key.replace("-", " ").title()
            said = re.sub(re.escape(mode.title), title.replace("\\", r"\\"), renames.apply(mode.message), flags=re.I)
            same = bool(message) and said.lower() == message.lower() != f"{title} cancelled.".lower()
            around = _neighbours(ours, old) == _neighbours(theirs, key)
            if same or (around and not message):
                renames.modes[old] = key
                _add(renames, mode.title, title, facts.of("order", key)[0].line)
                _add(renames, old, key, facts.of("order", key)[0].line)
                _add(renames, old.replace("-", "_"), key.replace("-", "_"), facts.of("order", key)[0].line)
                lost.remove(old)
                break


def _neighbours(keys: list[str], key: str) -> tuple[str, str]:
    at = keys.index(key)
    return (keys[at - 1] if at else "", keys[at + 1] if at + 1 < len(keys) else "")


def _add(renames: Renames, old: str, new: str, line: int) -> None:
    if old and new and old != new:
        renames.words.setdefault(old, new)
        renames.lines.setdefault(new, line)
