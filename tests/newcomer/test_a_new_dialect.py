"""A style of calls is one class: what the model offers is spelled, read back and described, and never spelled as another style."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from skillgen.build.contracts import resolve_all
from skillgen.build.inputs import Inputs
from skillgen.conform.printed import printed_calls
from skillgen.model.tools import Tools
from skillgen.render.calls import DIALECTS, Calls

STYLES = get_args(Tools.model_fields["style"].annotation)
LINE = {"argument": "--input", "switches": ("--json",), "needs": ""}


def _contract(style: str) -> Any:
    contract = resolve_all(Inputs((), ()), ["pep"])["pep"].contract
    assert contract.tools is not None
    tools = contract.tools.model_dump()
    tools |= {"style": style, "command_line": LINE if style == "command-line" else None}
    return contract.model_copy(update={"tools": Tools.model_validate(tools)})


def test_every_style_that_a_flavor_may_choose_has_a_dialect_of_its_own() -> None:
    assert set(STYLES) == set(DIALECTS)
    assert len(set(DIALECTS.values())) == len(DIALECTS)


@pytest.mark.parametrize("style", STYLES)
def test_what_a_style_spells_is_read_back_as_the_same_call(style: str) -> None:
    contract = _contract(style)
    calls = Calls(contract.tools.model_dump(mode="json"))
    names, words = contract.tools.names, contract.tools.arguments
    for spelled, tool in ((calls.read("ralph"), names.read), (calls.clear("ralph"), names.clear)):
        (call,) = printed_calls(f"`{spelled}`", contract)
        assert call.tool == tool
        assert call.arguments[words.mode] == "ralph"
        assert call.arguments[words.session] == "<session_id>"
    (write,) = printed_calls(f"`{calls.write('ralph', {'active': False})}`", contract)
    assert write.tool == names.write and "ralph" in write.arguments.values()


def test_a_style_that_nobody_spells_is_not_spelled_as_another() -> None:
    tools = {**_contract("keywords").tools.model_dump(mode="json"), "style": "json-rpc"}
    with pytest.raises(KeyError, match="json-rpc"):
        Calls(tools)
