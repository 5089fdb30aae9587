"""What a report says has happened: no warning of a thing that went, no word of a dry run for what is, no silence about what ended."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from tests.runtime.conftest import Worlds
from tests.runtime.test_omni import Omni
from tests.runtime.world import Ran, World


@pytest.fixture
def world(world: Worlds) -> Worlds:
    """The same in a git repository, at whose top omc and pep keep their state."""

    def make(flavor: str) -> World:
        made = world(flavor)
        subprocess.run(["git", "init", "-q", made.workspace], check=True, env=made.env)
        return made

    return make


def test_a_root_record_that_the_global_pass_removes_is_not_said_to_stay(world: Worlds) -> None:
    w = world("omc")
    root = w.record("", "ralph", {"active": True})
    w.record("s1", "ultragoal", {"active": True})
    ran = w.cancel("--all", session="")
    assert (ran.code, root.exists()) == (0, False)
    assert [text for text in ran.report["warnings"] if str(root) in text] == []


def test_a_dry_run_does_not_say_so_either(world: Worlds) -> None:
    w = world("omc")
    root = w.record("", "ralph", {"active": True})
    w.record("s1", "ultragoal", {"active": True})
    ran = w.cancel("--all", "--dry-run", session="")
    assert (ran.code, root.exists()) == (0, True)
    assert [text for text in ran.report["warnings"] if str(root) in text] == []


def test_a_root_record_that_stays_since_the_pass_was_not_run_is_said_to_stay(world: Worlds) -> None:
    w = world("omc")
    root = w.record("", "ralph", {"active": True})
    w.record("s1", "ultragoal", "{")
    ran = w.cancel("--all", session="")
    assert (ran.code, root.exists()) == (1, True)
    assert any(str(root) in text for text in ran.report["warnings"])


@pytest.mark.parametrize("dry", [[], ["--dry-run"]])
def test_a_root_record_that_no_list_names_is_unresolved_in_a_dry_run_too(dry: list[str], world: Worlds) -> None:
    w = world("omc")
    root = w.record("", "ultragoal", {"active": True})
    w.record("s1", "ralph", {"active": True})
    ran = w.cancel("--all", *dry, session="")
    assert (ran.code, ran.report["complete"], root.exists()) == (1, False, True)
    assert any(str(root) in text for text in ran.report["warnings"])


def test_in_one_session_a_root_record_of_nobody_is_still_named(world: Worlds) -> None:
    w = world("omc")
    root = w.record("", "ralph", {"active": True})
    w.record("s1", "ultragoal", {"active": True})
    ran = w.cancel()
    assert (ran.code, root.exists()) == (0, True)
    assert any(str(root) in text for text in ran.report["warnings"])


@pytest.mark.parametrize("arguments", [["--session-id", "s1"], ["--all"]])
def test_a_dry_run_never_speaks_of_removing_the_database(arguments: list[str], world: Worlds) -> None:
    omni = Omni(world("omni")).create()
    omni.put("ralph", {}, "s1")
    omni.put("autopilot", {}, "s1")
    omni.put("skill-active", {}, "s1")
    omni.put("ultraqa", {}, "")
    ran = omni.world.run(*arguments, "--dry-run")
    assert ran.code == 0
    assert "row" in ran.out
    for line in ran.out.splitlines():
        assert f"remove {omni.path}" not in line and f"planned: {omni.path}" not in line
        assert f"deactivate {omni.path}" not in line


def test_a_dry_run_of_the_global_pass_counts_nothing_as_removed(world: Worlds) -> None:
    w = world("pep")
    for name in ("ralph-state.json", "ultraqa-state.json"):
        w.put(name, {"active": True})
    ran = w.run("--all", "--dry-run")
    assert ran.code == 0
    assert "removed" not in ran.out.replace("would be removed", "")
    assert ran.out.count(str(w.state / "ralph-state.json")) >= 1
    done = w.run("--all")
    assert "would be" not in done.out
    assert "2 of 2 listed things removed" in done.out


@pytest.mark.parametrize("flavor", ["rcs", "pep", "omc", "omc-20260824"])
def test_swarm_is_said_to_be_cancelled_once_its_marker_is_gone(flavor: str, world: Worlds) -> None:
    w = world(flavor)
    marker = w.put("swarm-active.marker", "x")
    foreseen = w.cancel("--all", "--dry-run", session="")
    assert foreseen.mode("swarm")["outcome"] == "planned"
    ran = w.cancel("--all", session="")
    assert (ran.code, marker.exists()) == (0, False)
    swarm = ran.mode("swarm")
    assert (swarm["action"], swarm["outcome"], swarm["paths"]) == ("global", "done", [str(marker)])
    assert swarm["message"].startswith("Swarm cancelled.")
    w.put("swarm-active.marker", "x")
    assert "Swarm cancelled." in w.run("--all").out
    assert "Swarm" not in w.run("--all").out


def test_swarm_of_rows_is_said_to_be_cancelled(world: Worlds) -> None:
    omni = Omni(world("omni")).create()
    omni.put("swarm", {}, "")
    ran = omni.cancel("--all")
    assert (ran.code, omni.rows()) == (0, {})
    assert ran.mode("swarm")["message"].startswith("Swarm cancelled.")
    assert "swarm" in ran.mode("swarm")["detail"]


def test_swarm_that_was_not_reached_is_not_said_to_be_cancelled(world: Worlds) -> None:
    w = world("pep")
    marker = w.put("swarm-active.marker", "x")
    w.record("s1", "ralph", "{")
    ran = w.run("--all")
    assert (ran.code, marker.exists()) == (1, True)
    assert "Swarm cancelled" not in ran.out
    assert str(marker) in ran.out


def test_swarm_whose_marker_is_a_directory_is_not_said_to_be_cancelled(world: Worlds) -> None:
    w = world("pep")
    marker = w.state / "swarm-active.marker"
    marker.mkdir(parents=True)
    ran = w.cancel("--all", session="")
    assert (ran.code, ran.mode("swarm")["outcome"], ran.mode("swarm")["message"]) == (1, "failed", "")
    assert "Swarm cancelled" not in w.run("--all").out


@pytest.mark.parametrize(
    ("flavor", "record", "arguments"),
    [("omc", "ralplan", []), ("rcs", "blueprint", ["--all"]), ("pep", "ralplan", ["--all"]), ("omd", "ralplan", [])],
)
def test_the_path_of_a_plan_is_said_before_the_record_that_holds_it_goes(
    flavor: str, record: str, arguments: list[str], world: Worlds
) -> None:
    w = world(flavor)
    for form in ([], ["--json"]):
        path = w.record("s1", record, {"active": True, "plan_path": "plans/the-plan.md"})
        ran = w.run(*(arguments or ["--session-id", "s1"]), *form)
        assert (ran.code, path.exists()) == (0, False)
        assert "plans/the-plan.md" in ran.out


def test_a_plan_that_stays_in_its_record_is_not_told(world: Worlds) -> None:
    w = world("pep")
    path = w.record("s1", "ralplan", {"active": True, "plan_path": "plans/the-plan.md"})
    ran = w.run("--session-id", "s1")
    assert (ran.code, path.exists()) == (0, True)
    assert "the-plan" not in ran.out


WRITES_BACK = """
import os, runpy, sys
sys.path.insert(0, {scripts!r})
from cancel_runtime import ops
left = [{times}]
def hook(when, name, target):
    if when == "after" and name == "unlink" and str(target).endswith("ralph-state.json") and left[0]:
        left[0] -= 1
        with open(target, "w") as file:
            file.write({text!r})
ops.hook = hook
sys.argv = ["cancel.py", "--json", "--session-id", "s1"]
runpy.run_path({script!r}, run_name="__main__")
"""


def run_beside_a_hook(w: World, times: int) -> tuple[Ran, Path]:
    """The stop hook read the record before it was cleared, and writes it back afterwards (facts C21)."""
    text = json.dumps({"active": True, "session_id": "s1", "iteration": 2})
    path = w.record("s1", "ralph", text)
    scripts = w.skill / "scripts"
    code = textwrap.dedent(WRITES_BACK).format(
        scripts=str(scripts), script=str(scripts / "cancel.py"), times=times, text=text
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=w.workspace, env=w.env, capture_output=True, text=True, check=False
    )
    return Ran(done.returncode, done.stdout, done.stderr), path


def test_a_record_that_the_hook_writes_back_is_cleared_once_more(world: Worlds) -> None:
    ran, path = run_beside_a_hook(world("omc"), 1)
    assert (ran.code, path.exists()) == (0, False), ran
    assert ran.mode("ralph")["outcome"] == "done"


def test_a_record_that_comes_back_again_and_again_is_no_success(world: Worlds) -> None:
    ran, path = run_beside_a_hook(world("omc"), 9)
    assert (ran.code, path.exists()) == (1, True), ran
    assert ran.mode("ralph")["outcome"] == "failed"
    assert "again" in ran.mode("ralph")["detail"]


def test_without_a_signal_that_holds_the_hook_back_it_is_not_tried_again(world: Worlds) -> None:
    ran, path = run_beside_a_hook(world("pep"), 1)
    assert (ran.code, path.exists()) == (1, True), ran


@pytest.mark.parametrize("flavor", ["rcs", "omx", "pep", "omc", "omd"])
def test_a_no_that_is_text_is_at_rest_and_that_others_may_read_it_otherwise_is_said(world: Worlds, flavor: str) -> None:
    w = world(flavor)
    w.repository()
    path = w.record("s1", "autopilot", {"active": "false"})
    other = w.record("s1", "team", {"active": False})
    ran = w.cancel()
    assert ran.code == 0 and ran.report["message"].startswith("No active"), ran
    (said,) = ran.report["warnings"]
    assert said.startswith(f"{path} has the text") and path.exists() and other.exists()


def test_of_what_goes_with_every_session_nothing_is_said_of_its_text(world: Worlds) -> None:
    w = world("rcs")
    path = w.record("s1", "autopilot", {"active": "false"})
    ran = w.cancel("--force")
    assert ran.code == 0 and not path.exists() and not ran.report["warnings"], ran
