"""oh-my-claudecode keeps a session's records in four places; a run looks in all of them (facts C16, C17)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.runtime.conftest import Worlds
from tests.runtime.world import World

HELD = ("autopilot", "ralph", "ultragoal", "team", "omc-teams", "ultrawork")


@pytest.fixture
def omc(world: Worlds) -> World:
    w = world("omc")
    w.repository()
    return w


def put(path: Path, body: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(body))
    return path


def home(w: World, mode: str = "ralph", **body: Any) -> Path:
    record = {"active": True, "session_id": "s1", "project_path": str(w.workspace), **body}
    return put(w.home / f".omc/state/{mode}-state.json", {key: value for key, value in record.items() if value})


@pytest.mark.parametrize("scope", [(), ("--all",), ("--all", "--force")])
@pytest.mark.parametrize("mode", HELD)
def test_a_record_in_the_home_slot_of_this_session_and_project_is_this_sessions(
    omc: World, mode: str, scope: tuple[str, ...]
) -> None:
    if mode == "ultrawork" and scope:
        pytest.skip("a retired record goes in either scope the same way")
    if mode == "team" and scope == ("--all",):
        pytest.skip("a team of a session that nobody named is confirmed by no flag")
    path = home(omc, mode)
    ran = omc.cancel("--team-confirmed", *scope, session="" if scope else "s1")
    assert ran.code == 0, ran
    key = "ultrawork" if mode == "ultrawork" else mode
    assert str(path) in ran.mode(key)["paths"]
    paused = mode == "autopilot"
    assert path.exists() == paused and (not paused or json.loads(path.read_text())["active"] is False)
    assert not list(path.parent.glob("*.lock*"))


def test_it_is_found_though_the_project_has_no_state_directory(omc: World) -> None:
    path = home(omc)
    assert not (omc.workspace / ".omc").exists()
    assert (omc.cancel().code, path.exists()) == (0, False)


@pytest.mark.parametrize(
    "body",
    [{"session_id": "s2"}, {"project_path": "/somewhere/else"}, {"project_path": ""}, {"session_id": "s2", "project_path": "/x"}],
    ids=["other session", "other project", "no project", "both"],
)  # fmt: skip
@pytest.mark.parametrize("scope", [(), ("--force",)])
def test_another_owner_or_another_project_stays_byte_for_byte(omc: World, body: Any, scope: tuple[str, ...]) -> None:
    path = home(omc, **body)
    before = path.read_bytes()
    ran = omc.cancel(*scope)
    assert ran.code == 0, ran
    assert path.read_bytes() == before
    assert ran.modes() == []


@pytest.mark.parametrize("state", [True, False], ids=["with a state directory", "without one"])
def test_what_another_session_has_active_in_the_home_slot_is_said_to_be_active_elsewhere(
    omc: World, state: bool
) -> None:
    path = home(omc)
    home(omc, "ultragoal", session_id="s3", project_path="/somewhere/else")
    if state:
        (omc.workspace / ".omc/state/sessions/s2").mkdir(parents=True)
    ran = omc.cancel(session="s2")
    assert (ran.code, ran.report["elsewhere"]) == (0, [{"session_id": "s1", "mode": "ralph"}]), ran
    assert path.exists()


def test_a_record_of_this_project_that_names_no_session_is_left_and_named(omc: World) -> None:
    path = home(omc, session_id="")
    ran = omc.cancel()
    assert (ran.code, path.exists()) == (0, True)
    assert any(str(path) in warning and "no session" in warning for warning in ran.report["warnings"])


def test_a_record_by_which_the_hook_holds_this_session_though_its_owner_is_another_is_unresolved(omc: World) -> None:
    path = home(omc, _meta={"sessionId": "s2"})
    ran = omc.cancel()
    assert (ran.code, path.exists()) == (1, True)
    assert "owned by session 's2'" in ran.mode("ralph")["detail"]


def test_behind_a_link_an_own_active_record_is_unresolved_and_the_rest_goes_on(omc: World) -> None:
    real = omc.home / "elsewhere"
    path = home(omc)
    (omc.home / ".omc").rename(real)
    (omc.home / ".omc").symlink_to(real)
    own = omc.record("s1", "pipeline", {"active": True})
    before = path.read_bytes()
    ran = omc.cancel()
    assert (ran.code, own.exists()) == (1, False), ran
    assert path.read_bytes() == before
    assert "symlink" in ran.mode("ralph")["detail"]


@pytest.mark.parametrize("body", [{"session_id": "s2"}, {"project_path": "/x"}, {"active": False}])
def test_behind_a_link_what_is_not_this_sessions_is_nothing(omc: World, body: Any) -> None:
    home(omc, **body)
    (omc.home / ".omc").rename(omc.home / "elsewhere")
    (omc.home / ".omc").symlink_to(omc.home / "elsewhere")
    assert omc.cancel().code == 0


@pytest.mark.parametrize(("owner", "taken"), [("s1", True), ("", True), ("s2", False)])
def test_a_ghost_beside_the_state_directory_goes_with_its_owner_or_without_one(
    omc: World, owner: str, taken: bool
) -> None:
    path = put(omc.workspace / ".omc/ralph-state.json", {"active": True, **({"session_id": owner} if owner else {})})
    before = path.read_bytes()
    ran = omc.cancel()
    assert ran.code == 0, ran
    assert path.exists() != taken and (taken or path.read_bytes() == before)


@pytest.mark.parametrize("mode", ["ralph", "ultrawork"])
def test_a_record_from_before_the_repository_was_made_is_found(omc: World, mode: str) -> None:
    path = put(omc.home / f".omc/state/sessions/s1/{mode}-state.json", {"active": True, "session_id": "s1"})
    other = put(omc.home / f".omc/state/sessions/s2/{mode}-state.json", {"active": True, "session_id": "s2"})
    assert omc.cancel().code == 0
    assert (path.exists(), other.exists()) == (False, True)


@pytest.mark.parametrize(("owner", "taken"), [("s1", True), ("", True), ("s2", False)])
def test_the_verification_file_at_the_root_goes_with_ralph(omc: World, owner: str, taken: bool) -> None:
    omc.record("s1", "ralph", {"active": True})
    path = omc.put("ralph-verification.json", {"pending": True, **({"session_id": owner} if owner else {})})
    assert omc.cancel().code == 0
    assert path.exists() != taken


def test_where_the_state_itself_lies_under_home_there_is_one_place_less(world: Worlds) -> None:
    w = world("omc")
    path = put(w.home / ".omc/state/sessions/s1/ralph-state.json", {"active": True})
    ran = w.cancel()
    assert (ran.code, path.exists()) == (0, False)
    assert [place for place in ran.report["places"] if place == str(w.home / ".omc/state")] == [
        str(w.home / ".omc/state")
    ]


def test_the_places_are_named(omc: World) -> None:
    places = omc.cancel().report["places"]
    assert places == [str(omc.state), str(omc.home / ".omc/state"), str(omc.workspace / ".omc")]
