"""The shipped texts say what their contracts say, read back as documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from bundles import CHECKS, DIST, build, contract, flavors, problems, shipped
from checks_tools import reaches_others
from skill_text import Bundle

from skillgen.model.contract import Contract
from skillgen.render.bundle import contract_bytes

#: Bytes of SKILL.md at most: every agent pays for it, and Codex cuts at 8,000.
BUDGET = {"rcs": 7500, "omx": 7500, "omni": 7500, "pep": 7900, "omc": 7999, "omd": 7000}

#: The cancel order as the products' own texts number it.
ORDER = {
    "rcs": "Autopilot|Forge|Ultrawork|Ecomode|UltraQA|Swarm|Ultrapilot|Pipeline|Team|Plan Consensus",
    # The text's own ten, then those that the program runs beside them (OMX1).
    "omx": (
        "Autopilot|Ralph|Ultrawork|Ecomode|UltraQA|Swarm|Ultrapilot|Pipeline|Team|Ralplan|Deep Interview|Autoresearch|Ultragoal"
    ),
    "omni": "Autopilot|Ralph|Ultrawork|UltraQA|Swarm|Ultrapilot|Pipeline|Team|Plan Consensus|Self-Improve",
    "pep": "Autopilot|Ralph|Ultrawork|Ecomode|UltraQA|Swarm|Ultrapilot|Pipeline|Team|Plan Consensus",
    "omc": (
        "Autopilot|Ralph|Legacy Ultrawork, Legacy UltraQA|Ultragoal|Swarm|Ultrapilot, Pipeline|Team|OMC Teams"
        "|Plan Consensus, Self-Improve"
    ),
    "omd": "team|autopilot|ralph|ralplan|deep-interview|autoresearch",
}


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("flavor", flavors())
def test_the_text_says_what_the_contract_says(flavor: str, check: Callable[[Bundle, Contract], Iterator[str]]) -> None:
    assert list(check(shipped(flavor), contract(flavor))) == []


@pytest.mark.parametrize("flavor", flavors())
def test_the_order_is_the_one_of_the_product(flavor: str) -> None:
    assert "|".join(", ".join(item.titles) for item in shipped(flavor).order) == ORDER[flavor]


@pytest.mark.parametrize("flavor", flavors())
def test_the_skill_is_short_enough_to_be_read_whole(flavor: str) -> None:
    assert len(shipped(flavor).main.source.encode()) <= BUDGET[flavor]


@pytest.mark.parametrize("flavor", flavors())
def test_only_of_what_can_be_resumed_the_text_has_phase_and_path_told_as_the_script_does(flavor: str) -> None:
    every = {mode.all_action for mode in contract(flavor).modes.values()}
    told = "say a resumable one's phase and path first" in " ".join(shipped(flavor).main.source.split())
    assert told == (every == {"remove"} and reaches_others(contract(flavor)))
    assert "its phase and path" not in shipped(flavor).main.source


@pytest.mark.parametrize("flavor", flavors())
def test_the_contract_in_the_bundle_is_the_resolved_one(flavor: str) -> None:
    data = (shipped(flavor).skill / "contract.json").read_bytes()
    assert data == contract_bytes(contract(flavor).model_dump(mode="json"))


def test_every_current_flavor_ships() -> None:
    assert {path.name for path in DIST.iterdir() if path.is_dir()} == set(flavors()) == set(BUDGET)


def test_the_older_omx_tells_its_own_facts(tmp_path: Path) -> None:
    older = build("omx-0-20", tmp_path)
    assert problems(older, contract("omx-0-20")) == []
    assert len(older.main.source.encode()) <= BUDGET["omx"]
    found = problems(older, contract("omx"))
    for check in ("every_form_says_what_it_selects", "short_words_are_defined_as_the_tools_take_them"):
        assert any(what.startswith(check) for what in found), found


def test_an_older_revision_tells_its_own_facts(tmp_path: Path) -> None:
    older = build("omc-20260824", tmp_path)
    assert problems(older, contract("omc-20260824")) == []
    assert len(older.main.source.encode()) <= BUDGET["omc"]
    found = problems(older, contract("omc"))
    assert any(what.startswith("every_form_says_what_it_selects") for what in found), found
    assert any(what.startswith("the_session_is_found_as_the_contract_says") for what in found), found
