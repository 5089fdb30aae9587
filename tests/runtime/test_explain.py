"""`cancel.py explain` says of each record why it would be taken or left, and changes nothing."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

import pytest
from tests.runtime.conftest import Worlds
from tests.runtime.world import ROOT, World


def records(w: World, *arguments: str, code: int = 0) -> dict[str, dict[str, Any]]:
    """Entry by record's name; the run changed nothing."""
    before = w.tree()
    ran = w.run("explain", "--json", *arguments)
    assert (ran.code, ran.err) == (code, ""), ran
    assert w.tree() == before
    told = json.loads(ran.out)
    assert set(told) == {"flavor", "places", "sessions", "notes"}
    found = [record for session in told["sessions"] for record in session["records"]]
    keys = {"mode", "record", "path", "place", "owner", "activity", "links", "fate", "why", "rule"}
    assert all(set(record) == keys and record["why"] and record["rule"] for record in found)
    text = (ROOT / "dist" / w.flavor / "skills/cancel/references/state.md").read_text()
    (row,) = [line for line in text.splitlines() if line.startswith("| `explain")]
    assert all(f"`{key}`" in row for key in {*keys, "flavor", "places", "notes"})
    return {record["record"]: record for record in found}


def test_each_record_has_its_reason(world: Worlds) -> None:
    w = world("pep")
    w.record("s1", "ralph", {"active": True, "linked_ultrawork": True})
    w.record("s1", "ultrawork", {"active": True, "linked_to_ralph": True})
    w.record("s1", "pipeline", {"active": False})
    w.record("s1", "ultraqa", {"active": True, "session_id": "s2"})
    w.record("s1", "unheard-of", {"active": True})
    found = records(w, "--session-id", "s1")
    assert {name: entry["fate"] for name, entry in found.items()} == {
        "ralph": "taken", "ultrawork": "taken", "pipeline": "left", "ultraqa": "left", "unheard-of": "left",
    }  # fmt: skip
    assert found["ralph"]["links"] == ["owner of ultrawork"] and "after ultrawork" in found["ralph"]["why"]
    assert found["ultrawork"]["links"] == ["belongs to ralph"]
    assert "not active" in found["pipeline"]["why"] and "s2" in found["ultraqa"]["why"]
    assert (found["ultraqa"]["owner"], found["ultraqa"]["activity"]) == ("s2", "foreign")
    assert "rule 5" in found["ultraqa"]["rule"] and "no mode of this skill" in found["unheard-of"]["why"]


@pytest.mark.parametrize("body", ["{", {"active": "perhaps"}])
def test_a_record_that_cannot_be_read_makes_exit_1(world: Worlds, body: object) -> None:
    w = world("omd")
    w.record("s1", "ralph", body)
    found = records(w, "--session-id", "s1", code=1)
    assert (found["ralph"]["fate"], found["ralph"]["activity"]) == ("left", "malformed")


def test_a_mode_narrows_it_and_an_unknown_one_is_refused(world: Worlds) -> None:
    w = world("pep")
    w.record("s1", "ralph", {"active": True})
    w.record("s1", "pipeline", {"active": True})
    found = records(w, "--session-id", "s1", "--mode", "ralph")
    assert (found["ralph"]["fate"], found["pipeline"]["fate"]) == ("taken", "left")
    assert "not asked for" in found["pipeline"]["why"]
    assert (
        w.run("explain", "ralph", "--session-id", "s1").out
        == w.run("explain", "--mode", "ralph", "--session-id", "s1").out
    )
    for arguments in (["nonsense"], ["--force"], ["ralph", "more"]):
        ran = w.run("explain", *arguments)
        assert (ran.code, ran.out) == (2, ""), arguments


def test_without_an_id_every_session_is_explained_and_words_name_place_and_rule(world: Worlds) -> None:
    w = world("omd")
    path = w.record("s1", "ralph", {"active": True})
    w.record("s2", "ralplan", {"active": True})
    words = w.run("explain").out
    assert f"Looked in: {w.state}" in words and "Session s1:" in words and "Session s2:" in words
    assert f"directory of the session, owner s1: {path}" in words and "(rule 4)" in words
    assert "There is no record." in world("rcs").run("explain", "--session-id", "s1").out


def test_what_is_explained_as_taken_is_what_a_cancel_takes(world: Worlds) -> None:
    w = world("omc")
    w.repository()
    for mode in ("ralph", "pipeline", "ultraqa"):
        w.record("s1", mode, {"active": mode != "pipeline"})
    found = records(w, "--session-id", "s1")
    assert w.cancel().code == 0
    left = {path.name.removesuffix("-state.json") for path in (w.state / "sessions/s1").glob("*-state.json")}
    assert {name for name, entry in found.items() if entry["fate"] == "left"} == left - {"cancel-signal"}


def test_rows_are_explained_too(world: Worlds) -> None:
    w = world("omni")
    home = w.home / ".omni"
    home.mkdir()
    with sqlite3.connect(home / "omni.db") as db:
        db.execute(
            "CREATE TABLE state (mode TEXT, body TEXT, session_id TEXT, updated_at REAL, PRIMARY KEY (mode, session_id))"
        )
        db.execute("INSERT INTO state VALUES ('ralph', '{}', 's1', 1)")
    db.close()
    found = records(w, "--session-id", "s1")
    assert (found["ralph"]["fate"], found["ralph"]["place"]) == ("taken", "row of session s1")
