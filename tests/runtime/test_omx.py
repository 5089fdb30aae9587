"""omx: no form reaches another session, and what ends looks as the product's own cancel leaves it."""

from __future__ import annotations

import pytest
from tests.runtime.conftest import Worlds
from tests.runtime.world import read

ENDED = ["ralph", "ultrawork", "ultraqa", "ralplan", "deep-interview", "autoresearch", "ultragoal"]


@pytest.mark.parametrize("flags", [["--all"], ["--force", "--all"], ["--all", "--dry-run"]])
def test_a_form_that_the_product_refuses_changes_nothing_and_says_why(world: Worlds, flags: list[str]) -> None:
    w = world("omx")
    w.record("s1", "ralph", {"active": True})
    before = w.tree()
    ran = w.run("--session-id", "s1", *flags)
    assert (ran.code, ran.out, w.tree()) == (2, "", before)
    assert "--all: every session takes a run of its own" in ran.err
    assert "refused: every session" in w.run("--help").out


def test_a_forced_run_stays_in_its_session(world: Worlds) -> None:
    w = world("omx")
    mine, other = (w.record(session, "ralph", {"active": True}) for session in ("s1", "s2"))
    ran = w.cancel("--force")
    assert ran.code == 0, ran.err
    assert read(mine)["active"] is False
    assert read(other) == {"active": True}


@pytest.mark.parametrize("record", ENDED)
def test_an_ended_mode_is_recorded_as_cancelled(world: Worlds, record: str) -> None:
    w = world("omx")
    path = w.record("s1", record, {"active": True, "current_phase": "executing", "run_outcome": "continue", "own": 1})
    assert w.cancel().code == 0
    body = read(path)
    assert body["completed_at"] == body["last_turn_at"]
    assert {name: body[name] for name in body if not name.endswith("_at")} == {
        "active": False,
        "current_phase": "cancelled",
        "run_outcome": "cancelled",
        "lifecycle_outcome": "userinterlude",
        "own": 1,
    }


def test_a_paused_autopilot_keeps_its_phase_and_is_not_recorded_as_finished(world: Worlds) -> None:
    w = world("omx")
    path = w.record("s1", "autopilot", {"active": True, "current_phase": "ralplan", "plan": "p.md"})
    assert w.cancel().code == 0
    assert read(path) == {
        "active": False,
        "current_phase": "ralplan",
        "plan": "p.md",
        "run_outcome": "cancelled",
        "lifecycle_outcome": "userinterlude",
    }


def test_a_linked_mode_ends_as_its_owner_does(world: Worlds) -> None:
    w = world("omx")
    w.record("s1", "ralph", {"active": True, "linked_mode": "ecomode", "linked_ultrawork": True})
    paths = [w.record("s1", name, {"active": True}) for name in ("ultrawork", "ecomode")]
    assert w.cancel("--mode", "ralph").code == 0
    assert [read(path)["run_outcome"] for path in paths] == ["cancelled", "cancelled"]


@pytest.mark.parametrize("variable", ["OMX_ROOT", "OMX_STATE_ROOT"])
def test_a_variable_names_the_directory_in_which_state_lies(world: Worlds, variable: str) -> None:
    """Without it the run said that nothing is active, while the product's hook went on to hold the session."""
    w = world("omx")
    path = w.record("s1", "ralph", {"active": True})
    elsewhere = w.home / "elsewhere"
    elsewhere.mkdir()
    ran = w.run("--json", "--session-id", "s1", cwd=elsewhere, **{variable: str(w.workspace)})
    assert (ran.code, ran.mode("ralph")["outcome"], read(path)["active"]) == (0, "done", False)


def test_the_variables_count_in_their_order_and_not_beside_a_workspace(world: Worlds) -> None:
    w = world("omx")
    path = w.record("s1", "ralph", {"active": True})
    nothing = str(w.home)
    assert w.cancel(OMX_TEAM_STATE_ROOT=nothing, OMX_ROOT=str(w.workspace)).modes() == []
    assert w.cancel(OMX_ROOT=nothing, OMX_STATE_ROOT=str(w.workspace)).modes() == []
    assert read(path)["active"] is True
    assert w.cancel("--workspace", str(w.workspace), OMX_ROOT=nothing).code == 0
    assert read(path)["active"] is False


def test_a_named_directory_outside_the_allowed_roots_is_refused(world: Worlds) -> None:
    w = world("omx")
    path = w.record("s1", "ralph", {"active": True})
    ran = w.run("--session-id", "s1", OMX_ROOT=str(w.workspace), OMX_MCP_WORKDIR_ROOTS="/nowhere")
    assert (ran.code, read(path)["active"]) == (2, True)
    assert "OMX_ROOT=" in ran.err and "OMX_MCP_WORKDIR_ROOTS" in ran.err


def test_an_active_mode_above_is_named_and_never_called_nothing(world: Worlds) -> None:
    w = world("omx")
    w.repository()
    w.record("s1", "ralph", {"active": True})
    below = w.workspace / "src"
    below.mkdir()
    ran = w.run("--session-id", "s1", cwd=below)
    assert ran.code == 2 and "ralph is active" in ran.err and "--workspace" in ran.err


def test_the_run_state_is_no_mode(world: Worlds) -> None:
    w = world("omx")
    w.record("s1", "ralph", {"active": True})
    run = w.record("s1", "run", {"active": True})
    ran = w.cancel()
    assert ran.report["warnings"] == []
    assert read(run) == {"active": True}


@pytest.mark.parametrize("place", ["", "s2"])
def test_the_run_state_is_no_mode_wherever_it_lies_and_claims_no_session(world: Worlds, place: str) -> None:
    w = world("omx")
    run = w.record(place, "run", {"active": True, "owner_omx_session_id": "s1"})
    below = w.workspace / "a"
    below.mkdir()
    for arguments, cwd in ((("--session-id", "s1", "--json"), w.workspace), (("--dry-run", "--json"), below)):
        ran = w.run(*arguments, cwd=cwd)
        assert ran.code == 0, ran.err
        assert "run is active" not in ran.out and 'elsewhere": []' in ran.out
    assert "nothing is active here" in w.run("status", "--session-id", "s1").out
    assert read(run)["active"] is True
