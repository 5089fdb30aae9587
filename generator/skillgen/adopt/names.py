"""Find what the product of a text calls itself, its commands and its state directory."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from skillgen.adopt.evidence import Evidence
from skillgen.adopt.same import hyphenate, own_words
from skillgen.model.contract import Contract
from skillgen.model.facts import Fact, Facts

_STOP = re.compile(r"-(?:cancel|stop|abort)[\w-]*$", re.A)


@dataclass(frozen=True, slots=True)
class Names:
    """Each name with the line that says it, 0 where it was derived; all but `name` may be empty."""

    name: str
    line: int
    namespace: str
    """What stands before the colon of the command, or before `-cancel`."""
    form: str
    form_line: int
    directory: str
    state: str
    """State directory below `directory`; empty where the text keeps records in `directory` itself or does not say."""
    root_line: int

    @property
    def title(self) -> str:
        return self.namespace or self.name

    @property
    def slug(self) -> str:
        return slug(self.namespace or self.name)


def find_names(facts: Facts, evidence: Evidence, known: Mapping[str, Contract]) -> Names:
    """Return the names; `name` is empty where the text has neither label, namespace nor state root.

    A label of one of the `known` products is left over from it where the command is another's.
    """
    root = _root(facts)
    directory, _, state = root.value.partition("/") if root else ("", "", "")
    forms = facts.of("invocation")
    form = next((fact for fact in forms if ":" in fact.value), forms[0] if forms else None)
    namespace = (_namespace(form.value) if form else "") or _plugin(facts, known)
    label, left = next(iter(facts.of("label")), None), ""
    letters = directory.lstrip(".")
    if label and namespace and any(_left_over(label.value, namespace, contract) for contract in known.values()):
        left, label = label.value.lower(), None
    name = label.value if label else ""
    for word in (namespace, letters):
        spelled = evidence.spelled(word)
        # In small letters it may be a command's or a directory's name.
        name = name or (spelled if spelled.lower() not in (spelled, left) else "")
    return Names(
        name=name or namespace or letters,
        line=label.line if label else 0,
        namespace=namespace,
        form=form.value if form else "",
        form_line=form.line if form else 0,
        directory=directory,
        state=state.rstrip("/"),
        root_line=root.line if root else 0,
    )


def _left_over(label: str, namespace: str, contract: Contract) -> bool:
    if label.lower() == "".join(word[0] for word in re.findall(r"[a-z]+", namespace.lower())):
        return False  # the letters of its own name
    words = own_words(contract)
    space = contract.command.form.lstrip("/$").rpartition(":")[0].lower()
    return label.lower() in words and namespace.lower() not in {*words, space}


def _root(facts: Facts) -> Fact | None:
    """The project's state directory that the text uses most; one of the home only for want of another."""
    roots = [fact for fact in facts.of("root") if fact.value.startswith(".")]
    if roots:
        return roots[0]
    home = next((fact for fact in facts.of("root") if fact.value.startswith("~/.")), None)
    if home is None:
        return None
    return Fact("root", "", home.value.removeprefix("~/"), home.line)


def _namespace(form: str) -> str:
    word = form.lstrip("/$@")
    return word.rpartition(":")[0] if ":" in word else _STOP.sub("", word) if _STOP.search(word) else ""


_SERVER = re.compile(r"mcp__plugin_([A-Za-z0-9]+(?:-[A-Za-z0-9]+)*)_[A-Za-z0-9-]+__")


def _plugin(facts: Facts, known: Mapping[str, Contract]) -> str:
    """The plugin that a state tool's full name gives, as Claude Code builds it; not one that another product left there."""
    others = {contract.plugin.name for contract in known.values()}
    found = [match[1] for value in facts.values("tool") if (match := _SERVER.match(value)) and match[1] not in others]
    return found[0] if found else ""


def slug(text: str) -> str:
    """Return a key made of a name; `cancel` where nothing of it can stand in one."""
    return hyphenate(text)[:64].strip("-") or "cancel"


def is_kin(names: Names, facts: Facts, contract: Contract) -> bool:
    """Whether the text speaks of the contract's own product: two of label, command and root say so, and none another."""
    signs = []
    if facts.of("label"):
        signs.append(names.name.lower() in own_words(contract))
    if names.form:
        known = {contract.command.form, *contract.command.also, *contract.command.upstream}
        signs.append(bool(known & set(facts.values("invocation"))))
    if names.directory:
        signs.append(names.directory == contract.root.directory)
    return len(signs) >= 2 and all(signs)
