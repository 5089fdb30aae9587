"""What `cancel.py status` says."""

from __future__ import annotations

from tests.runtime.conftest import Worlds


def test_status_lists_every_session_and_changes_nothing(world: Worlds) -> None:
    w = world("rcs")
    w.record(
        "s1",
        "forge",
        {"active": "true", "current_phase": "fixing", "linked_ultrawork": True, "started_at": "2020-01-01T00:00:00Z"},
    )
    w.record("s2", "pipeline", {"active": False})
    w.record("", "ultraqa", {"active": True})
    w.put("swarm-active.marker", "")
    before = w.tree()
    ran = w.run("status", "--json")
    assert ran.code == 0
    assert ran.report["root"] == str(w.state)
    found = {(e["session_id"], m["mode"]): m for e in ran.report["sessions"] for m in e["modes"]}
    assert set(found) == {("s1", "forge"), ("s2", "pipeline"), ("", "ultraqa"), ("", "swarm")}
    forge = found["s1", "forge"]
    assert (forge["active"], forge["phase"], forge["stale"], forge["links"]) == (True, "fixing", True, ["ultrawork"])
    assert forge["age_s"] > 7200
    assert found["s2", "pipeline"]["active"] is False
    assert found["s2", "pipeline"]["stale"] is False
    assert found["", "swarm"]["active"] is True
    assert w.tree() == before
    assert "s1  forge: active, phase fixing" in w.run("status").out


def test_a_record_that_cannot_be_read_makes_exit_1(world: Worlds) -> None:
    w = world("pep")
    path = w.record("s1", "ralph", "{")
    w.record("s2", "ralph", {"active": True, "session_id": "s9"})
    ran = w.run("status", "--json", "--session-id", "s1")
    assert ran.code == 1
    (mode,) = ran.report["sessions"][0]["modes"]
    assert (mode["mode"], mode["active"], mode["path"]) == ("ralph", False, str(path))
    assert "JSON" in mode["error"]
    assert w.run("status", "--json", "--session-id", "s2").code == 0


def test_status_needs_no_identity_and_no_root(world: Worlds) -> None:
    for flavor in ("omc", "omd", "omni", "omx", "pep", "rcs"):
        ran = world(flavor).run("status", "--json")
        assert (ran.code, ran.report["sessions"]) == (0, []), ran.err
