"""Nothing that decides comes from a base unasked: over any base a text gives the same deeds, or the same questions."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from skillgen.build.inputs import Inputs
from skillgen.errors import UsageError
from skillgen.model.fields import EACH, contract_fields
from skillgen.model.told import AS_MADE
from skillgen.sync.adopt_text import Adopted, adopt_text

AUDIT = Path(__file__).parent.parent / "audit"
TEXTS = sorted([*AUDIT.glob("corpus/[0-9]*.md"), *AUDIT.glob("far/*.md")])
BASES = ("pep", "rcs", "omc", "omd")
OWN = sorted(AUDIT.glob("fixtures/*/cancel/SKILL.md"))


@cache
def inputs() -> Inputs:
    return Inputs((), ())


@cache
def adopted(path: Path, base: str = "") -> Adopted | None:
    try:
        return adopt_text(str(path), "fork", inputs(), base or None)
    except UsageError:
        return None


def _all_said(value: Any, text: str) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(name, str) and name in text for name in value)


def deciding(contract: dict[str, Any]) -> dict[str, Any]:
    """Return the values of a contract that decide over removing and stopping and are chosen, not named.

    A base that falls back to records outside all sessions is agreed with by a text that names some.
    """
    found: dict[str, Any] = {}
    stopped = {key for key, mode in contract["modes"].items() if mode["action"] == "shutdown"}
    for pattern, one in contract_fields().items():
        if one.decides is None or one.decides.least is AS_MADE or isinstance(one.decides.least, dict):
            continue
        if pattern[0] == "modes":
            for key, mode in contract["modes"].items():
                if key not in stopped:
                    value = mode[pattern[2]]
                    found[".".join(("modes", key, pattern[2]))] = (
                        sorted(link["to"] for link in value) if pattern[2] == "links" else value
                    )
        elif EACH not in pattern and pattern not in (("tools",), ("identity", "missing")):
            at: Any = contract
            for step in pattern:
                at = at.get(step) if isinstance(at, dict) else None
            found[".".join(pattern)] = at
    return found


@pytest.mark.slow
@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_whatever_the_base_a_text_makes_the_same_deeds(path: Path) -> None:
    made = {base: found for base in BASES if (found := adopted(path, base))}
    kinds = {
        base: (found.contract["store"]["kind"], found.contract["team"]["kind"], found.contract["identity"]["kind"])
        for base, found in made.items()
    }
    for one, first in made.items():
        for other, second in made.items():
            if kinds[one] != kinds[other] or one >= other:
                continue
            left, right = deciding(first.contract), deciding(second.contract)
            text = path.read_text(encoding="utf-8")
            # Names that a base knows are taken where they stand in the text.
            apart = {
                key: (value, right[key])
                for key, value in left.items()
                if key in right
                and right[key] != value
                and not _all_said(value, text)
                and not _all_said(right[key], text)
            }
            assert apart == {}, (one, other)


@pytest.mark.parametrize("path", [*TEXTS, *OWN], ids=lambda path: f"{path.parent.parent.name}-{path.stem}")
def test_every_fact_and_every_open_or_least_value_is_accounted_for(path: Path) -> None:
    found = adopted(path)
    if found is None:
        return
    ledger = found.ledger
    parts = [*ledger.placed, *ledger.equal, *ledger.unplaced]
    assert sorted(parts) == sorted(found.reading.text.facts)
    for fact in ledger.unplaced:
        assert f"#   {found.reading.whole.where(fact.line)}: " in found.text
    for question in found.questions:
        for key in question.stands:
            assert f"unknown: {_quoted(question.text)}" in found.text, key
    assert found.text.count("unknown: ") == sum(len(question.stands) for question in found.questions)
    for key in found.least:
        assert f"#   {'.'.join(key)}: " in found.text
    # What is neither behind a line nor in a list is what the base says, and then it is listed as that.
    listed = re.findall(r"^#   ([a-z_]+\.[\w.-]+): ", found.text, re.M)
    assert len(listed) == len(set(listed))


def _quoted(text: str) -> str:
    import json

    return json.dumps(text, ensure_ascii=False)


def test_few_texts_ask_much() -> None:
    counts = [len(found.questions) for path in TEXTS if (found := adopted(path))]
    assert len(counts) >= 25
    assert max(counts) <= 4 and sum(counts) / len(counts) <= 1.5, counts


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.parent.parent.name)
def test_a_products_own_text_asks_nothing(path: Path) -> None:
    found = adopted(path)
    assert found is not None and not found.questions
