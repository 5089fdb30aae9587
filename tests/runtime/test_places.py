"""Nothing active here: the run says where it looked, what lies above, and what is active in other sessions (R19, D13, X10)."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
from pathlib import Path

import pytest
from tests.runtime.conftest import Worlds
from tests.runtime.world import World

MODE = {"rcs": "ultraqa", "omd": "ralplan", "pep": "ultraqa", "omc": "ralph"}
KEY = {"omd": "ralplan"}
NOT_CLIMBING = ("rcs", "omd", "pep")


def below(w: World) -> Path:
    inner = w.workspace / "a" / "b"
    inner.mkdir(parents=True)
    return inner


@pytest.mark.parametrize("flavor", NOT_CLIMBING)
def test_an_active_record_of_the_session_above_is_never_called_nothing(world: Worlds, flavor: str) -> None:
    w = world(flavor)
    path = w.record("s1", MODE[flavor], {"active": True})
    before = w.tree()
    ran = w.run("--session-id", "s1", cwd=below(w))
    assert (ran.code, ran.out) == (2, ""), ran
    assert str(path.parents[2]) in ran.err and "--workspace" in ran.err
    assert {key: value for key, value in w.tree().items() if not key.startswith("a")} == before
    assert w.run("--session-id", "s1", "--workspace", str(w.workspace), cwd=w.workspace / "a").code == 0
    assert not path.exists()


@pytest.mark.parametrize("flavor", NOT_CLIMBING)
def test_a_record_above_that_cannot_be_read_counts_too(world: Worlds, flavor: str) -> None:
    w = world(flavor)
    w.record("s1", MODE[flavor], "{")
    ran = w.run("--session-id", "s1", cwd=below(w))
    assert ran.code == 2 and MODE[flavor] in ran.err, ran


@pytest.mark.parametrize("flavor", NOT_CLIMBING)
def test_without_an_id_a_record_of_any_session_above_counts(world: Worlds, flavor: str) -> None:
    w = world(flavor)
    path = w.record("s1", MODE[flavor], {"active": True})
    ran = w.run("--all", cwd=below(w))
    assert (ran.code, ran.out) == (2, ""), ran
    assert "'s1'" in ran.err and path.exists()


@pytest.mark.parametrize("flavor", NOT_CLIMBING)
def test_other_state_above_is_a_line_of_the_report(world: Worlds, flavor: str) -> None:
    w = world(flavor)
    w.record("s2", MODE[flavor], {"active": True})
    ran = w.run("--session-id", "s1", "--json", cwd=below(w))
    assert ran.code == 0, ran
    assert any(str(w.state) in warning and "above" in warning for warning in ran.report["warnings"])


@pytest.mark.parametrize("flavor", ("rcs", "omd", "pep"))
def test_with_state_above_nobody_is_told_to_force_what_force_would_refuse(world: Worlds, flavor: str) -> None:
    w = world(flavor)
    hint = json.loads((w.skill / "contract.json").read_text())["messages"]["none_hint"]
    inner = below(w)
    assert hint and hint in w.run("--session-id", "s1", cwd=inner).out
    w.record("s2", MODE[flavor], {"active": True})
    ran = w.run("--session-id", "s1", cwd=inner)
    assert (ran.code, hint in ran.out) == (0, False), ran
    assert w.run("--all", "--force", cwd=inner).code == 2


@pytest.mark.parametrize("flavor", NOT_CLIMBING)
@pytest.mark.parametrize("how", ["active here", "workspace", "repository between", "not ours"])
def test_it_is_only_looked_above_where_that_can_matter(
    world: Worlds, flavor: str, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    w = world(flavor)
    w.record("s1", MODE[flavor], {"active": True})
    inner = below(w)
    arguments = ["--session-id", "s1", "--json"]
    if how == "active here":
        directory = w.state.relative_to(w.workspace)
        own = inner / directory / "sessions/s1" / f"{MODE[flavor]}-state.json"
        own.parent.mkdir(parents=True)
        own.write_text('{"active": true}')
    elif how == "workspace":
        arguments += ["--workspace", str(inner)]
    elif how == "repository between":
        (inner.parent / ".git").mkdir()
        for name in ("objects", "refs"):
            (inner.parent / ".git" / name).mkdir()
        (inner.parent / ".git/HEAD").write_text("ref: refs/heads/main\n")
        (inner.parent / ".git/config").write_text("[core]\n")
    elif os.geteuid():
        pytest.skip("only root can give a directory away")
    else:
        os.chown(w.state, 12345, 12345)
    ran = w.run(*arguments, cwd=inner)
    assert ran.code == 0, ran
    assert not any("above" in warning for warning in ran.report["warnings"])


@pytest.mark.parametrize("flavor", NOT_CLIMBING)
@pytest.mark.parametrize("form", ["status", "explain"])
@pytest.mark.parametrize("told", [True, False])
def test_whoever_only_looks_is_told_of_state_above_too(world: Worlds, flavor: str, form: str, told: bool) -> None:
    w = world(flavor)
    path = w.record("s1", MODE[flavor], {"active": True})
    arguments = ["--session-id", "s1"] if told else []
    inner = below(w)
    ran = w.run(form, *arguments, cwd=inner)
    assert ran.code == 0, ran
    assert str(path.parents[2]) in ran.out and f"run it from {w.workspace}" in ran.out
    notes = w.run(form, *arguments, "--json", cwd=inner).report["notes"]
    assert [note for note in notes if str(path.parents[2]) in note]
    assert "run it from" not in w.run(form, *arguments).out


@pytest.mark.parametrize("form", ["status", "explain"])
@pytest.mark.parametrize("flavor", sorted(MODE))
def test_whoever_only_looks_is_told_that_an_id_is_unknown_and_what_others_have(
    world: Worlds, flavor: str, form: str
) -> None:
    w = world(flavor)
    if flavor == "omc":
        w.repository()
    w.record("s1", MODE[flavor], {"active": True})
    ran = w.run(form, "--session-id", "typo")
    assert "no place here knows the session 'typo'" in ran.out
    assert f"{KEY.get(flavor, MODE[flavor])} (session 's1')" in ran.out and "only if the user asks" in ran.out
    assert "typo" not in w.run(form, "--session-id", "s1").out


def test_the_directory_to_go_to_is_the_projects_whatever_its_state_is_called(world: Worlds) -> None:
    w = world("omd")
    path = w.workspace / "other/place/state/sessions/s1/ralph-state.json"
    path.parent.mkdir(parents=True)
    path.write_text('{"active": true}')
    ran = w.run("--session-id", "s1", cwd=below(w), OMD_STATE_DIR="other/place")
    assert ran.code == 2 and f"run it from {w.workspace}, or" in ran.err, ran
    assert w.run("--session-id", "s1", "--workspace", str(w.workspace), OMD_STATE_DIR="other/place").code == 0
    assert not path.exists()


def test_a_root_that_a_variable_names_is_the_only_one(world: Worlds) -> None:
    w = world("rcs")
    w.record("s1", "ultraqa", {"active": True})
    inner = below(w)
    (inner / "elsewhere").mkdir()
    ran = w.run("--session-id", "s1", "--json", cwd=inner, RCS_TEAM_STATE_ROOT=str(inner / "elsewhere"))
    assert (ran.code, ran.report["places"]) == (0, [str(inner / "elsewhere")]), ran


@pytest.mark.parametrize("flavor", sorted(MODE))
def test_an_id_that_nobody_knows_is_said_to_be_unknown_with_what_is_active(world: Worlds, flavor: str) -> None:
    w = world(flavor)
    if flavor == "omc":
        w.repository()
    path = w.record("s2", MODE[flavor], {"active": True})
    ran = w.cancel(session="s9")
    assert (ran.code, path.exists()) == (0, True), ran
    key = KEY.get(flavor, MODE[flavor])
    assert ran.report["elsewhere"] == [{"session_id": "s2", "mode": key}]
    assert any("no place here knows the session 's9'" in warning for warning in ran.report["warnings"])
    (said,) = [warning for warning in ran.report["warnings"] if "active elsewhere" in warning]
    assert "session 's2'" in said and "only if the user asks for it by name" in said
    assert ran.report["places"][0] == str(w.state)


@pytest.mark.parametrize("flavor", sorted(MODE))
def test_what_is_active_elsewhere_is_only_said_where_nothing_is_active_here(world: Worlds, flavor: str) -> None:
    w = world(flavor)
    if flavor == "omc":
        w.repository()
    w.record("s1", MODE[flavor], {"active": True})
    w.record("s2", MODE[flavor], {"active": True})
    ran = w.cancel()
    assert (ran.code, ran.report["elsewhere"]) == (0, []), ran
    assert not any("elsewhere" in warning for warning in ran.report["warnings"])


def test_at_most_ten_are_named_and_the_rest_counted(world: Worlds) -> None:
    w = world("pep")
    for number in range(14):
        w.record(f"t{number:02}", "ralph", {"active": True})
    ran = w.cancel()
    assert [entry["session_id"] for entry in ran.report["elsewhere"]] == [f"t{number:02}" for number in range(10)]
    assert any("and 4 more" in warning for warning in ran.report["warnings"])


def test_a_mode_that_was_not_asked_for_is_said_to_be_active(world: Worlds) -> None:
    w = world("pep")
    w.record("s1", "pipeline", {"active": True})
    ran = w.cancel("--mode", "ralph")
    assert ran.code == 0, ran
    assert ran.report["elsewhere"] == [{"session_id": "s1", "mode": "pipeline"}]
    assert any("not what --mode asks for: Pipeline" in warning for warning in ran.report["warnings"])


@pytest.mark.parametrize("flavor", ("rcs", "pep"))
def test_a_shared_mode_that_was_not_asked_for_is_said_to_be_active_too(world: Worlds, flavor: str) -> None:
    w = world(flavor)
    w.record("s1", "pipeline", {"active": True})
    w.put("swarm-active.marker", "")
    ran = w.cancel("--mode", "ultraqa")
    assert ran.code == 0, ran
    assert ran.report["elsewhere"] == [
        {"session_id": "s1", "mode": "pipeline"},
        {"session_id": "", "mode": "swarm"},
    ]
    assert [said for said in ran.report["warnings"] if said.startswith("Swarm is active")]


def test_the_text_names_the_places_and_gives_no_hint_to_force_where_others_are_active(world: Worlds) -> None:
    w = world("rcs")
    w.record("s2", "ultraqa", {"active": True})
    words = w.run("--session-id", "s1").out
    assert f"Looked in: {w.state}" in words and "Use --force" not in words
    empty = world("pep").run("--session-id", "s1").out
    assert "(there is none)" in empty


def test_rows_of_other_sessions_are_named_too(world: Worlds) -> None:
    w = world("omni")
    home = w.home / ".omni"
    home.mkdir()
    with sqlite3.connect(home / "omni.db") as db:
        db.execute(
            "CREATE TABLE state (mode TEXT, body TEXT, session_id TEXT NOT NULL DEFAULT '', updated_at REAL, PRIMARY KEY (mode, session_id))"
        )
        db.execute("INSERT INTO state VALUES ('ralph', ?, 's2', 1)", (json.dumps({"active": True}),))
        db.execute("INSERT INTO state VALUES ('ultraqa', ?, '', 1)", (json.dumps({"active": True}),))
    db.close()
    ran = w.cancel(session="s9")
    assert ran.report["elsewhere"] == [{"session_id": "", "mode": "ultraqa"}, {"session_id": "s2", "mode": "ralph"}]
    assert ran.report["places"] == [str(home / "omni.db")]
    for words in (w.run("--session-id", "s9").out, w.run("status").out, w.run("explain").out):
        assert "(empty slot)" in words and "root slot" not in words


@pytest.mark.parametrize("flavor", ["rcs", "pep", "omc", "omd"])
def test_what_cannot_be_read_elsewhere_is_not_passed_over(flavor: str, world: Worlds) -> None:
    w = world(flavor)
    subprocess.run(["git", "init", "-q", w.workspace], check=True)
    w.record("s2", "autopilot", "{")
    ran = w.cancel()
    assert (ran.code, ran.report["elsewhere"]) == (0, [{"session_id": "s2", "mode": "autopilot"}])
    assert any("unreadable" in warning and "s2" in warning for warning in ran.report["warnings"])


BELOW = {"omc": ".omc", "pep": ".pep"}
"""Products whose root climbs to git's toplevel, while their hooks take their directory as it is."""


def begun_below(w: World, mode: str = "ralph", session: str = "s1", **fields: object) -> tuple[Path, Path]:
    """(a directory two below the toplevel, an active record in the state of the one between)."""
    w.repository()
    path = w.workspace / "a" / BELOW[w.flavor] / f"state/sessions/{session}/{mode}-state.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"active": True, **fields}))
    inner = w.workspace / "a" / "b"
    inner.mkdir()
    return inner, path


@pytest.mark.parametrize("flavor", BELOW)
def test_a_session_begun_below_the_toplevel_is_ended_where_its_records_lie(world: Worlds, flavor: str) -> None:
    w = world(flavor)
    inner, path = begun_below(w)
    other = w.record("s2", "ralph", {"active": True})
    looked = w.run("status", "--json", "--session-id", "s1", cwd=inner).report["sessions"]
    assert [(mode["mode"], mode["active"], mode["path"]) for mode in looked[0]["modes"]] == [("ralph", True, str(path))]
    told = w.run("explain", "--json", "--session-id", "s1", cwd=inner).report
    assert [(r["fate"], r["path"]) for s in told["sessions"] for r in s["records"]] == [("taken", str(path))]
    assert str(path) in w.run("--session-id", "s1", "--dry-run", cwd=inner).out and path.exists()
    ran = w.run("--session-id", "s1", "--json", cwd=inner)
    assert ran.code == 0 and ran.modes() == [("ralph", "clear", "done")], ran
    assert not path.exists() and other.exists()
    assert str(path.parents[2]) in ran.report["places"]


@pytest.mark.parametrize("flavor", BELOW)
def test_what_others_have_below_the_toplevel_is_named_and_left(world: Worlds, flavor: str) -> None:
    w = world(flavor)
    inner, path = begun_below(w, session="s2")
    ran = w.run("--session-id", "s1", "--json", cwd=inner)
    assert ran.code == 0 and ran.report["elsewhere"] == [{"session_id": "s2", "mode": "ralph"}], ran
    assert path.exists()
    assert w.run("--json", cwd=inner).code == 2


@pytest.mark.parametrize("flavor", BELOW)
def test_a_record_below_the_toplevel_in_the_directory_of_another_session_belongs_to_its_owner(
    world: Worlds, flavor: str
) -> None:
    w = world(flavor)
    inner, path = begun_below(w, session="b", session_id="s1")
    assert w.run("--session-id", "b", "--json", cwd=inner).code == 0 and path.exists()
    assert w.run("--session-id", "s1", "--json", cwd=inner).code == 0
    assert not path.exists()


@pytest.mark.parametrize("flavor", BELOW)
def test_all_sessions_are_those_begun_below_the_toplevel_too(world: Worlds, flavor: str) -> None:
    w = world(flavor)
    inner, path = begun_below(w)
    ran = w.run("--all", "--json", cwd=inner)
    assert ran.code == 0 and ran.report["message"].startswith("All"), ran
    assert not path.exists()


@pytest.mark.parametrize("flavor", BELOW)
def test_state_below_the_toplevel_behind_a_link_is_unresolved_where_the_session_is_in_it(
    world: Worlds, flavor: str
) -> None:
    w = world(flavor)
    inner, path = begun_below(w)
    away = w.workspace.parent / "away"
    path.parents[3].rename(away)
    path.parents[3].symlink_to(away)
    own = w.record("s1", "ralph", {"active": True})
    ran = w.run("--session-id", "s1", "--json", cwd=inner)
    assert ran.code == 1 and "symlink" in " ".join(ran.report["warnings"]), ran
    assert path.exists() and not own.exists()
    assert w.run("--session-id", "s3", "--json", cwd=inner).code == 0


def test_a_record_at_home_of_a_project_begun_below_the_toplevel_is_this_session_s(world: Worlds) -> None:
    w = world("omc")
    inner, path = begun_below(w)
    path.unlink()
    home = w.home / ".omc/state/ralph-state.json"
    home.parent.mkdir(parents=True)
    home.write_text(json.dumps({"active": True, "session_id": "s1", "project_path": str(inner.parent)}))
    kept = home.with_name("autopilot-state.json")
    kept.write_text(json.dumps({"active": True, "session_id": "s1", "project_path": str(w.workspace.parent)}))
    ran = w.run("--session-id", "s1", "--json", cwd=inner)
    assert ran.code == 0 and not home.exists() and kept.exists(), ran


def test_a_repository_that_a_variable_hides_from_git_is_never_called_nothing(world: Worlds) -> None:
    w = world("omc")
    w.repository()
    path = w.record("s1", "ralph", {"active": True})
    ran = w.run("--session-id", "s1", cwd=below(w), GIT_CEILING_DIRECTORIES=str(w.workspace))
    assert (ran.code, ran.out) == (2, "") and str(path.parents[2]) in ran.err, ran
    assert path.exists()
    hidden = {"GIT_CEILING_DIRECTORIES": str(w.workspace)}
    assert w.run("--session-id", "s1", "--workspace", str(w.workspace), **hidden).code == 0
    assert not path.exists()
