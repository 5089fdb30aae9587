"""What is told of a field stands at the field, and every value of a contract has one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from skillgen.build.contracts import resolve_all
from skillgen.build.inputs import Inputs
from skillgen.drift.change import GROUPS
from skillgen.drift.meaning import json_changes
from skillgen.model.facts import KINDS
from skillgen.model.fields import EACH, contract_fields, find_field

Path = tuple[str | int, ...]


def paths(value: Any, path: Path = ()) -> Iterator[Path]:
    yield path
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, child in children:
        yield from paths(child, (*path, step))


@pytest.mark.parametrize("flavor", ["rcs", "omni", "omd", "pep", "omc"])
def test_every_value_of_a_contract_has_a_field(flavor: str) -> None:
    contract = resolve_all(Inputs((), ()), [flavor])[flavor].contract.model_dump(mode="json")
    known = contract_fields()
    for path in paths(contract):
        named = tuple(step for step in path if isinstance(step, str))
        if named[:1] == ("modes",):
            named = ("modes", *(EACH for _ in named[1:2]), *named[2:])
        if named[:2] in (("front", "metadata"), ("front", "host_keys")):
            named = (*named[:2], *(EACH for _ in named[2:]))
        assert not named or named in known, path
        assert not named or find_field(path) is known[named]


def test_what_is_told_is_told_in_a_group_that_there_is() -> None:
    for path, field in contract_fields().items():
        assert field.told.group in ("", *GROUPS), path
        assert set(field.read.facts) <= set(KINDS), path


def test_a_mode_is_acted_upon_whatever_it_is_called() -> None:
    contract = resolve_all(Inputs((), ()), ["rcs"])["rcs"].contract.model_dump(mode="json")
    one = {**next(iter(contract["modes"].values())), "action": "clear"}
    # `report`, `keeps` and `note` are names of fields that are only said.
    for name in ("report", "keeps", "note"):
        before = {**contract, "modes": {**contract["modes"], name: one}}
        after = {**before, "modes": {**before["modes"], name: {**one, "action": "deactivate"}}}
        (change,) = json_changes(before, after)
        assert change.behaviour


def test_what_a_contract_of_another_time_holds_is_told_by_its_key() -> None:
    contract = resolve_all(Inputs((), ()), ["rcs"])["rcs"].contract.model_dump(mode="json")
    before = {**contract, "identity": {**contract["identity"], "of_old": "x"}}
    (change,) = json_changes(before, contract)
    assert (change.group, change.text) == ("identity", "`identity.of_old`: from `x` to nothing")
