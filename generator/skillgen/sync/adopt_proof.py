"""Hold an answer against the line that is to prove it: it has to stand there and, where the reader reads it, to agree."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from skillgen.adopt.evidence import Evidence, shown
from skillgen.adopt.same import words
from skillgen.adopt.wanted import Target
from skillgen.model.facts import Fact
from skillgen.model.question import Path, Question

if TYPE_CHECKING:
    from skillgen.audit.text import Text

_FORMS = {"force": "--force", "all": "--all", "both": "--force"}


@dataclass(frozen=True, slots=True)
class Proof:
    """A line of the adopted text, or of another file of its repository."""

    row: str
    line: int
    """Its line in the adopted text, 0 where it is another file's."""
    text: Text | None
    """What the reader made of the file; None for one that it does not read."""
    number: int
    """Its line in `text`."""


def refuse_value(key: Path, value: Any, question: Question) -> str:
    """Return why a value cannot stand at a key, '' where it can."""
    from pydantic import TypeAdapter, ValidationError

    from skillgen.model.fields import choices_at, type_at

    if value is None and key not in question.stands:
        return ""  # of what is asked for a section, null says that there is none
    allowed = choices_at(key)
    if allowed and value not in allowed:
        return f"{shown(value)} is none of {', '.join(map(str, allowed))}"
    try:
        TypeAdapter(type_at(key)).validate_json(json.dumps(value), strict=True)
    except ValidationError as error:
        return f"{shown(value)} does not fit: {error.errors(include_url=False)[0]['msg']}"
    return ""


def refuse_proof(key: Path, value: Any, proof: Proof, target: Target) -> str:
    """Return why a line does not prove a value, '' where it does."""
    if len(re.findall(r"[^\W\d_]", proof.row)) < 2:
        return "that line says nothing"
    if key[0] == "modes":
        return _refuse_mode(key, str(value), proof, target)
    if key[0] == "flags":
        return _refuse_scope(_FORMS[key[1]], str(value), proof)
    return "" if value in (None, "") or _names_stand(value, proof) else f"{shown(value)} does not stand on that line"


def _names_stand(value: Any, proof: Proof) -> bool:
    """Whether the names in a value stand on the line; what a list holds may stand on several lines of the text."""
    if isinstance(value, str):
        # `{mode}` stands for names.
        return all(Evidence(proof.row).on_line(1, part) for part in value.split("{mode}") if re.search(r"\w", part))
    names = (
        [item["path"] for item in value if isinstance(item, dict) and "path" in item] if isinstance(value, list) else []
    )
    if isinstance(value, dict):
        return bool(value.get("kind") == "none") or any(
            fact.value == value.get("kind") for fact in _read_line(proof, "team")
        )
    return all(Evidence(proof.text.source.text if proof.text else proof.row).says(name) for name in names)


def _refuse_mode(key: Path, value: str, proof: Proof, target: Target) -> str:
    if key[2] == "message":
        stands = words(value) in words(proof.row)
        return "" if stands else f"{shown(value)} does not stand on that line"
    mode, about = key[1], {"action": "action", "all_action": "forced", "links": "link"}.get(key[2], key[2])
    facts = [_own_key(fact, target) for fact in _read_line(proof, about) if fact.value != "pause-goal"]
    if about == "action" and (why := _refuse_action(mode, value, facts)):
        return why
    if any(fact.kind == "forced" and fact.stance == "denied" for fact in facts) and value == "remove":
        return "the reader reads there that it is forbidden"
    if value in ("clear", "remove") and not facts and _forbids(proof):
        return "that line forbids to remove something"
    named = {name for name, one in target.data["modes"].items() if _names(proof.row, name, one)}
    if named and mode not in named:
        return f"that line speaks of {', '.join(sorted(named))}"
    return ""


def _refuse_action(mode: str, value: str, facts: Sequence[Fact]) -> str:
    own = [fact for fact in facts if fact.key == mode]
    if facts and not own:
        return f"the reader reads there what ends {', '.join(sorted({fact.key for fact in facts}))}"
    for fact in own:
        if fact.stance == "denied" and fact.value == value:
            return f"the reader reads there that {value} is forbidden"
    said = {fact.value for fact in own if fact.stance == "said"}
    if said and value not in said:
        return f"the reader reads {', '.join(sorted(said))} there"
    return ""


def _refuse_scope(form: str, value: str, proof: Proof) -> str:
    if form not in proof.row:
        return f"that line does not name {form}"
    for fact in _read_line(proof, "scope"):
        if fact.key == form and fact.stance == "said" and fact.value != value:
            return f"the reader reads {fact.value} there"
    if value == "all" and any(
        fact.stance == "denied" for fact in (*_read_line(proof, "scope"), *_read_line(proof, "flag"))
    ):
        return "the reader reads there that it is forbidden"
    return ""


def _read_line(proof: Proof, kind: str) -> list[Fact]:
    """Return what the reader read on the line, whatever its stance."""
    if proof.text is None:
        return []
    return [fact for fact in proof.text.facts.every if fact.kind == kind and proof.number in (fact.line, *fact.lines)]


def _own_key(fact: Fact, target: Target) -> Fact:
    return fact._replace(key=target.renames.keys.get(fact.key, fact.key))


def _forbids(proof: Proof) -> bool:
    """Whether a clause of the line forbids a removal, of whatever it may be."""
    from skillgen.audit.reader.ordering import stances
    from skillgen.reader.clauses import Stance

    if proof.text is None:
        return False
    return any(
        clause.act == "remove" and clause.stance(clause.span[0], lenient=True) is not Stance.SAID
        for _, clause in stances(proof.text).clauses({proof.number})
    )


def _names(row: str, key: str, mode: dict[str, Any]) -> bool:
    found = Evidence(row)
    return any(
        found.mentions(word) or found.on_line(1, word)
        for word in (key, mode["title"], *mode["records"])
        if len(word) > 1
    )
