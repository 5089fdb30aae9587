"""What happens to one session's records: clear, deactivate, terminalize, links and order."""

from __future__ import annotations

import json

import pytest
from tests.runtime.conftest import Worlds
from tests.runtime.world import read


def test_an_active_record_is_removed_and_its_message_said(world: Worlds) -> None:
    w = world("pep")
    path = w.record("s1", "ultraqa", {"active": True})
    ran = w.cancel()
    assert ran.code == 0
    assert not path.exists()
    assert ran.mode("ultraqa")["message"] == "UltraQA cancelled. QA cycling workflow stopped."


def test_an_inactive_record_keeps_every_byte(world: Worlds) -> None:
    w = world("pep")
    w.record("s1", "ultraqa", '{"active":false,"n":1.50}')
    before = w.tree()
    ran = w.cancel()
    assert (ran.code, ran.report["message"]) == (0, "No active PEP modes detected.")
    assert w.tree() == before


@pytest.mark.parametrize("flag", ["true", 1, True])
def test_every_spelling_of_true_is_active(world: Worlds, flag: object) -> None:
    w = world("pep")
    path = w.record("s1", "ralph", {"active": flag})
    assert w.cancel().code == 0
    assert not path.exists()


@pytest.mark.parametrize(
    "text", ["{", "[]", "null", '"x"', "", '{"active":"yes"}', '{"active":2}', '{"active":[]}', "{} {}"]
)
def test_a_malformed_record_is_unresolved_and_stays(world: Worlds, text: str) -> None:
    w = world("pep")
    w.record("s1", "ralph", text)
    other = w.record("s1", "pipeline", {"active": True})
    before = w.tree()
    ran = w.cancel("--force") if text == "{" else w.cancel()
    assert ran.code == 1
    assert ran.mode("ralph")["outcome"] == "failed"
    assert str(w.state) in ran.mode("ralph")["detail"]
    after = w.tree()
    assert not other.exists()
    name = ".pep/state/sessions/s1/ralph-state.json"
    assert after[name] == before[name]


def test_a_deactivated_record_keeps_key_order_mode_and_numbers_and_is_printed_as_javascript_prints_it(
    world: Worlds,
) -> None:
    w = world("pep")
    body = '{"z":1,"active":true,"phase":"plan","n":1.50,"big":12345678901234567890,"e":{},"l":[],"u":"\\u00e9\\ud800"}'
    path = w.record("s1", "autopilot", body)
    path.chmod(0o640)
    ran = w.cancel()
    assert ran.mode("autopilot")["message"] == "Autopilot cancelled at phase: plan. Progress preserved for resume."
    text = path.read_text(encoding="utf-8")
    assert list(json.loads(text)) == ["z", "active", "phase", "n", "big", "e", "l", "u"]
    assert '"n": 1.50' in text
    assert '"big": 12345678901234567890' in text
    assert '"e": {},\n  "l": [],\n  "u": "é\\ud800"\n}' in text
    assert path.stat().st_mode & 0o777 == 0o640
    assert ran.report["preserved"] == [str(path)]


def test_forge_and_its_ultrawork_end_in_a_terminal_record(world: Worlds) -> None:
    w = world("rcs")
    forge = w.record("s1", "forge", {"active": True, "linked_ultrawork": "true", "iteration": 2})
    ultrawork = w.record("s1", "ultrawork", {"active": True})
    helper = w.put("sessions/s1/forge-plan-state.json", "{}")
    ran = w.cancel()
    assert [mode for mode, _, _ in ran.modes()] == ["ultrawork", "forge"]
    for path in (forge, ultrawork):
        assert read(path)["active"] is False
        assert read(path)["current_phase"] == "cancelled"
        assert read(path)["completed_at"].endswith("Z")
    assert read(forge)["iteration"] == 2
    assert not helper.exists()


def test_ultrawork_that_denies_the_link_is_cleared_on_its_own(world: Worlds) -> None:
    w = world("rcs")
    w.record("s1", "forge", {"active": True, "linked_ultrawork": True})
    ultrawork = w.record("s1", "ultrawork", {"active": True, "linked_to_forge": "false"})
    ran = w.cancel()
    assert ran.mode("ultrawork")["action"] == "clear"
    assert not ultrawork.exists()


def test_a_stale_link_is_said_and_the_mode_treated_as_standalone(world: Worlds) -> None:
    w = world("rcs")
    w.record("s1", "forge", {"active": False})
    path = w.record("s1", "ultrawork", {"active": True, "linked_to_forge": True})
    ran = w.cancel("--mode", "ultrawork")
    assert ran.code == 0
    assert "Forge" in ran.mode("ultrawork")["detail"]
    assert not path.exists()


def test_a_linked_dependant_asked_for_alone_is_refused(world: Worlds) -> None:
    w = world("rcs")
    w.record("s1", "forge", {"active": True, "linked_ultrawork": True})
    w.record("s1", "ultrawork", {"active": True})
    before = w.tree()
    ran = w.cancel("--mode", "ultrawork")
    assert ran.code == 1
    assert ran.mode("ultrawork")["outcome"] == "refused"
    assert ran.mode("ultrawork")["message"].startswith("Ultrawork is linked to Forge.")
    assert w.tree() == before


def test_mode_takes_only_that_mode_and_its_dependants(world: Worlds) -> None:
    w = world("rcs")
    w.record("s1", "forge", {"active": True, "linked_ultrawork": True})
    w.record("s1", "ultrawork", {"active": True})
    w.record("s1", "pipeline", {"active": True})
    skill = w.record("s1", "skill-active", {"active": True, "active_skills": []})
    ran = w.cancel("--mode", "forge")
    assert [mode for mode, _, _ in ran.modes()] == ["ultrawork", "forge"]
    assert read(skill)["active"] is True
    assert read(w.state / "sessions/s1/pipeline-state.json")["active"] is True


def test_an_owner_waits_for_a_dependant_that_cannot_be_read(world: Worlds) -> None:
    w = world("pep")
    w.record("s1", "ralph", {"active": True, "linked_ultrawork": True})
    w.record("s1", "ultrawork", "{")
    w.record("s1", "pipeline", {"active": True})
    ran = w.cancel()
    assert ran.code == 1
    assert ran.modes() == [
        ("ultrawork", "clear", "failed"),
        ("ralph", "clear", "refused"),
        ("pipeline", "clear", "done"),
    ]
    assert (w.state / "sessions/s1/ralph-state.json").exists()


def test_a_record_of_another_owner_is_never_touched(world: Worlds) -> None:
    w = world("pep")
    w.record("s1", "ralph", {"active": True, "session_id": "s2"})
    before = w.tree()
    ran = w.cancel()
    assert (ran.code, ran.modes()) == (0, [])
    assert "is owned by session 's2'" in ran.report["warnings"][0]
    assert w.tree() == before


def test_an_active_record_of_an_unlisted_mode_is_warned_about(world: Worlds) -> None:
    w = world("pep")
    path = w.record("s1", "deep-interview", {"active": True})
    ran = w.cancel()
    assert ran.code == 0
    assert any("deep-interview" in warning for warning in ran.report["warnings"])
    assert path.exists()


def test_a_shared_mode_is_only_named_in_the_default_scope(world: Worlds) -> None:
    w = world("rcs")
    marker = w.put("swarm-active.marker", "")
    ran = w.cancel()
    assert ran.code == 0
    assert any("Swarm" in warning and "--all" in warning for warning in ran.report["warnings"])
    assert w.cancel("--mode", "swarm").mode("swarm")["outcome"] == "refused"
    assert marker.exists()
    assert w.cancel("--all").code == 0
    assert not marker.exists()


def test_entries_of_the_session_leave_the_shared_record_last(world: Worlds) -> None:
    w = world("rcs")
    w.record("s1", "pipeline", {"active": True})
    entries = [{"skill": "a", "session_id": "s1"}, {"skill": "b", "session_id": "s2"}]
    root = w.put("skill-active-state.json", {"active": True, "active_skills": entries, "more": 1})
    own = w.record("s1", "skill-active", {"active": True, "active_skills": entries[:1]})
    ran = w.cancel()
    assert ran.modes()[-1] == ("skill-active", "deactivate", "done")
    assert read(root) == {"active": True, "active_skills": entries[1:], "more": 1}
    assert read(own) == {"active": False, "active_skills": []}


def test_omd_clears_its_hidden_record_last_and_says_what_becomes_of_a_goal(world: Worlds) -> None:
    w = world("omd")
    w.record("s1", "autopilot", {"active": True, "current_phase": "build", "_meta": {"sessionId": "s1"}})
    w.record("s1", "deep-interview", {"active": True, "spec_path": "x.md"})
    w.record("s1", "cancel", {"active": False})
    ran = w.cancel()
    assert ran.code == 0
    assert [mode for mode, _, _ in ran.modes()] == ["autopilot", "deep-interview", "cancel"]
    assert ran.mode("deep-interview")["message"] == "Deep interview cancelled. Spec preserved."
    assert any("goal" in warning for warning in ran.report["warnings"])
    assert list((w.state / "sessions/s1").iterdir()) == []


def test_only_the_hidden_record_is_no_active_mode(world: Worlds) -> None:
    w = world("omd")
    path = w.record("s1", "cancel", {"active": True})
    ran = w.cancel()
    assert ran.report["message"] == "No active omd modes detected."
    assert not path.exists()


def test_a_directory_in_the_place_of_a_helper_stays_and_is_named(world: Worlds) -> None:
    w = world("rcs")
    w.record("s1", "forge", {"active": True})
    precious = w.put("sessions/s1/forge-plan-state.json/precious", "x")
    ran = w.cancel()
    assert ran.code == 1
    assert precious.read_text() == "x"
    assert any("forge-plan-state.json is a directory" in mode["detail"] for mode in ran.report["sessions"][0]["modes"])
