"""A step of any text at hand that is forbidden, in whatever way, is no fact any more."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from forbidding import WAYS

from skillgen.audit.views import make_text
from skillgen.model.facts import Fact
from skillgen.model.subject import Kind, Source

AUDIT = Path(__file__).parents[1] / "audit"
TEXTS = sorted([*AUDIT.glob("corpus/*.md"), *AUDIT.glob("far/*.md"), *AUDIT.glob("fixtures/*/cancel/SKILL.md")])
#: A step that is one deed: what stands behind ", then" is another.
STEP = re.compile(
    r"(\s*(?:(?:[-*+]|\d+[.)])\s+)?(?:[^.:;|]{0,40}[:—–]\s+)?)(remove|delete|call|run|clear|erase|drop|unlink|discard|use)\s((?:(?!, then|\. ).)*?)[.;]?$",
    re.I,
)
GING = {
    "run": "running",
    "drop": "dropping",
    "use": "using",
    "remove": "removing",
    "delete": "deleting",
    "erase": "erasing",
}


def destroying(lines: list[str], number: int) -> set[tuple[str, str, str]]:
    """Return what a line says that removes something, if the text says it nowhere else."""
    facts: tuple[Fact, ...] = make_text(Source("SKILL.md", "\n".join(lines), Kind.SKILL)).facts.all
    return {
        fact[:3]
        for fact in facts
        if fact.line == number
        and (fact.kind in ("artifact", "forced") or (fact.kind, fact.value) == ("action", "clear"))
    }


def steps() -> Iterator[tuple[str, list[str], int, re.Match[str]]]:
    for path in TEXTS:
        lines = path.read_text(encoding="utf-8").split("\n")
        for number, line in enumerate(lines, 1):
            code = (
                make_text(Source("SKILL.md", "\n".join(lines), Kind.SKILL)).document.code_lines
                if STEP.match(line)
                else ()
            )
            if (match := STEP.match(line)) and number not in code and destroying(lines, number):
                yield f"{path.stem}-{number}", lines, number, match


STEPS = list(steps())


def test_the_texts_hold_steps_that_remove_something() -> None:
    assert len(STEPS) >= 10


@pytest.mark.parametrize(("lines", "number", "step"), [one[1:] for one in STEPS], ids=[one[0] for one in STEPS])
def test_a_step_that_is_forbidden_in_any_way_gives_no_fact(lines: list[str], number: int, step: re.Match[str]) -> None:
    verb, rest = step[2].lower(), step[3]
    for way in WAYS["en"]:
        words = way.format(base=f"{verb} {rest}", ging=f"{GING.get(verb, f'{verb}ing')} {rest}")
        forbidden = [*lines[: number - 1], step[1] + words, *lines[number:]]
        assert not destroying(forbidden, number), step[1] + words
