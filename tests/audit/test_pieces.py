"""What is derived from a pattern passes over no line on which the pattern finds something."""

from __future__ import annotations

import inspect
import re
from types import ModuleType

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skillgen.audit import scope
from skillgen.audit.pieces import may_match, pieces_of
from skillgen.audit.rules import all_rules
from skillgen.audit.text import Text
from skillgen.audit.views import make_text
from skillgen.model.subject import Kind, Source

RULES = all_rules()
MODULES = [scope, *filter(inspect.ismodule, RULES)]


def patterns_in(value: object) -> list[re.Pattern[str]]:
    if isinstance(value, re.Pattern):
        return [value]
    return [one for item in value for one in patterns_in(item)] if isinstance(value, tuple) else []


def looked_for(module: ModuleType) -> set[str]:
    """Return the names in a module that hold a pattern for which lines are chosen before they are searched."""
    calls = re.findall(r"\b(?:scan\(subject, |lines_for\(|may_match\()(\w+)", inspect.getsource(module))
    tuples = {"pattern": ("_REMNANTS", "_PATTERNS")}
    return {name for call in calls for name in tuples.get(call, (call,)) if hasattr(module, name)}


PATTERNS = {
    f"{module.__name__.rpartition('.')[2][:5]}{name}{number}": pattern
    for module in MODULES
    for name in sorted(looked_for(module))
    for number, pattern in enumerate(patterns_in(getattr(module, name)))
}
PATTERNS |= {
    f"{rule.CODE}asks{number}": re.compile(asked.lines, re.A)
    for rule in RULES
    for number, asked in enumerate(getattr(rule, "asks", ()))
    if asked.lines
}


def text_of(*lines: str) -> Text:
    return make_text(Source("SKILL.md", "".join(f"{line}\n" for line in lines), Kind.SKILL))


@pytest.mark.parametrize("name", PATTERNS)
@settings(max_examples=10, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_no_line_with_a_match_is_passed_over(name: str, data: st.DataObject) -> None:
    pattern = PATTERNS[name]
    line = data.draw(st.from_regex(pattern)).replace("\n", " ")
    if not pattern.search(line):
        return
    assert may_match(pattern, line)
    # `İ` is two letters when it is made small, so that places in the two texts differ.
    assert 3 in text_of("İstanbul", "words", line, "more").lines_for(pattern)


@pytest.mark.parametrize(
    ("pattern", "pieces"),
    [
        (re.compile(r"\bstates? (?:is|are) kept\b", re.A), ("state",)),
        (re.compile(r"(?:preserved|kept)"), ("kept", "preserved")),
        (re.compile(r"Preserved", re.I | re.A), ("preserved",)),
        # Long s is an s without regard to case, and no s in small letters.
        (re.compile(r"Preserved", re.I), ("erved",)),
        (re.compile(r"(?i:kept) by"), (" by",)),
        (re.compile(r"必"), ("必",)),
        (re.compile(r"#\d+"), ("#",)),
    ],
)
def test_pieces_are_what_every_match_holds(pattern: re.Pattern[str], pieces: tuple[str, ...]) -> None:
    found = pieces_of(pattern)
    assert found is not None
    assert found.texts == pieces


@pytest.mark.parametrize("pattern", [r"\d+", r"a?b*", r"(?:kept|\d)", r"x", r"(?!kept)\w"])
def test_where_nothing_is_sure_every_line_is_searched(pattern: str) -> None:
    assert pieces_of(re.compile(pattern)) is None
    assert list(text_of("one", "two").lines_for(re.compile(pattern))) == [1, 2]
