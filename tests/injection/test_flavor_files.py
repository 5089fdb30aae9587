"""What a flavor file says arrives in the contract as it was written, or is refused with its place."""

from __future__ import annotations

import json

import pytest
from hostile import Field, contracts, fields, get, load, put, texts, value_for
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from skillgen.render.bundle import contract_bytes

quick = settings(
    max_examples=25, deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)


@st.composite
def values(draw: st.DrawFn) -> tuple[str, dict[Field, str]]:
    flavor = draw(st.sampled_from(sorted(contracts())))
    chosen = draw(st.lists(st.sampled_from(fields(flavor)), min_size=1, max_size=8, unique=True))
    return flavor, {field: draw(value_for(field.kind)) for field in chosen}


@quick
@given(values())
def test_the_contract_holds_what_the_file_says(given_values: tuple[str, dict[Field, str]]) -> None:
    flavor, chosen = given_values
    data = contracts()[flavor].model_dump(mode="json")
    for field, value in chosen.items():
        put(data, field.path, value)
    contract, problems = load(flavor, data)
    # Some strings must agree with others, such as a link's fields; a refusal names the file and the line.
    if contract is None:
        assert problems
        assert all(problem.path == f"flavors/{flavor}.yaml" and problem.line for problem in problems), problems
    assume(contract is not None)
    assert contract
    written = json.loads(contract_bytes(contract.model_dump(mode="json")))
    for field, value in chosen.items():
        assert get(written, field.path) == value


@pytest.mark.parametrize("flavor", sorted(contracts()))
def test_a_flavor_file_that_spells_everything_out_gives_the_same_contract(flavor: str) -> None:
    contract, problems = load(flavor, contracts()[flavor].model_dump(mode="json"))
    assert problems == []
    assert contract == contracts()[flavor]


@quick
@given(texts)
def test_a_key_of_the_front_matter_is_a_plain_word_or_refused(key: str) -> None:
    data = contracts()["rcs"].model_dump(mode="json")
    data["front"]["metadata"] = {key: "x"}
    contract, problems = load("rcs", data)
    plain = all(part and part.isascii() and part.isalnum() and part == part.lower() for part in key.split("-"))
    assert (contract is not None) == (plain and len(key) <= 64)
    assert contract or problems


@pytest.mark.parametrize("control", ["\x00", "\x1b", "\r", "\x7f"])
def test_a_control_character_is_refused_with_its_place(control: str) -> None:
    data = contracts()["rcs"].model_dump(mode="json")
    data["messages"]["force"] = f"a{control}b"
    contract, problems = load("rcs", data)
    assert contract is None
    assert any(problem.line for problem in problems)
