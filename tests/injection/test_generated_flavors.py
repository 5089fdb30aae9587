"""Whatever a flavor file may hold, the rendered bundle stays the text, the data and the scripts that it was."""

from __future__ import annotations

import itertools

import pytest
from hostile import Case, apart, case, contracts, fields, hostile_cases
from hypothesis import HealthCheck, given, settings
from pieces import HIDDEN, PIECES
from properties import check

quick = settings(
    max_examples=40, deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
# The same cases in every run: a run of CI says something of the change, not of chance.
thorough = settings(
    max_examples=400, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)


@quick
@given(hostile_cases())
def test_hostile_values_change_nothing_but_themselves(found: Case) -> None:
    check(found)


@pytest.mark.slow
@thorough
@given(hostile_cases())
def test_many_more_hostile_values_change_nothing_but_themselves(found: Case) -> None:
    check(found)


def every_field(flavor: str, shift: int) -> Case:
    """Put a piece into every free string of a flavor at once; over all shifts each field meets each piece."""
    pieces = itertools.islice(itertools.cycle(PIECES), shift, None)
    values = {}
    for field in fields(flavor):
        value = next(pieces)
        if field.kind in ("file", "path"):
            value = "".join(char for char in value if char not in "/\\" and char.isprintable())[:200] or "word"
            value = value if value not in (".", "..") and not value.startswith("~") else "x" + value
        values[field.path] = apart(field, value if value.strip() else "x" + value)
    found = case(flavor, values)
    assert found
    return found


@pytest.mark.parametrize("hidden", HIDDEN, ids=ascii)
def test_no_free_string_of_a_flavor_may_hold_what_nobody_sees(hidden: str) -> None:
    for field in fields("omc"):
        assert case("omc", {field.path: f"a{hidden}b"}) is None, field


@pytest.mark.parametrize("flavor", sorted(contracts()))
@pytest.mark.parametrize("shift", range(3))
def test_every_field_may_be_hostile_at_once(flavor: str, shift: int) -> None:
    check(every_field(flavor, shift * 23))


@pytest.mark.slow
@pytest.mark.parametrize("flavor", sorted(contracts()))
def test_every_field_may_hold_every_hostile_piece(flavor: str) -> None:
    for shift in range(len(PIECES)):
        check(every_field(flavor, shift))


def test_a_value_that_begins_a_live_block_is_broken_up_wherever_it_stands_alone() -> None:
    for field in fields("omc"):
        if field.kind in ("text", "said") and (found := case("omc", {field.path: "```!"})):
            check(found)
