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
