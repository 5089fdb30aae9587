"""A team that the product's own command stops: what it refuses is passed on, and what it says of itself is no proof."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

if shutil.which("tmux") is None:
    pytest.skip("tmux is not installed", allow_module_level=True)

from cancel_runtime.roots import Place
from cancel_runtime.team_program import ProgramDriver
from ruamel.yaml import YAML

from .scripts import REPOSITORY, Ran, run
from .tmux_world import STUBBORN, TmuxDriver, World, cancel, soon

PROGRAM = """#!{python}
import json, os, shutil, subprocess, sys, time
here = {here!r}
said = json.load(open(here + "/behaviour.json"))
with open(here + "/calls.jsonl", "a") as log:
    log.write(json.dumps(sys.argv[1:]) + "\\n")
name = sys.argv[3]
directory = os.path.join(os.environ.get("OMX_TEAM_STATE_ROOT") or os.path.join(os.getcwd(), ".omx", "state"), "team", name)
if sys.argv[2] == "status":
    known = os.path.exists(directory + "/config.json") and not said.get("blind")
    print(said.get("status") or json.dumps({{"team_name": name, "status": "ok" if known else "missing"}}))
    sys.exit(0)
time.sleep(said.get("takes", 0))
if said.get("refuses") and "--force" not in sys.argv:
    sys.stderr.write(said["refuses"])
    sys.exit(1)
config = json.load(open(directory + "/config.json"))
for worker in config["workers"]:
    if worker["name"] not in said.get("spares", []):
        subprocess.run(["tmux", "kill-pane", "-t", worker.get("pane_id", "%999")], check=False)
shutil.rmtree(directory)
print("Team shutdown complete: " + name)
"""


class Omx(World):
    """A project with omx's state, a tmux server, and a program `omx` that does what it was told to."""

    def __init__(self, base: Path, bundle: Path) -> None:
        super().__init__(base)
        self.base = base
        self.state = self.workspace / ".omx" / "state"
        self.state.mkdir(parents=True)
        shutil.copytree(bundle / "skills" / "cancel", base / "skills" / "cancel")
        self.script = base / "skills" / "cancel" / "scripts" / "cancel.py"
        self.waits(limit_s=60)
        self.bin = base / "bin"
        self.program(self.bin)
        self.behave()
        self.environ["PATH"] = f"{self.bin}{os.pathsep}{os.environ['PATH']}"
        self.environ["GIT_CONFIG_GLOBAL"] = "/dev/null"

    def waits(self, **seconds: int) -> None:
        path = self.script.parents[1] / "contract.json"
        contract = json.loads(path.read_text())
        contract["team"].update(seconds)
        path.write_text(json.dumps(contract))

    def program(self, directory: Path, name: str = "omx") -> Path:
        directory.mkdir(parents=True, exist_ok=True)
        path = directory / name
        path.write_text(PROGRAM.format(python=sys.executable, here=str(self.base)))
        path.chmod(0o755)
        return path

    def behave(self, **said: object) -> None:
        (self.base / "behaviour.json").write_text(json.dumps(said))

    def calls(self) -> list[list[str]]:
        path = self.base / "calls.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def asked(self) -> list[list[str]]:
        """The calls that stop something."""
        return [call for call in self.calls() if call[1] == "shutdown"]

    def started(self, name: str = "fix-it", **more: object) -> str:
        """A leader's session with one more pane, a worker's; the worker's pane."""
        self.leader = self.session("lead")
        pane = self.pane("lead", STUBBORN)
        self.team(
            name,
            {"worker-1": {"pane_id": pane, "pid": self.pid(pane), **more}},
            tmux_session="lead:0",
            leader_pane_id=self.leader,
        )
        return pane

    def record(self, team: str, session: str = "s1", *, active: bool = True) -> Path:  # type: ignore[override]
        path = self.state / "sessions" / session / "team-state.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"active": active, "team_name": team}))
        return path

    def cancel(self, *arguments: str, session: str = "s1", **environ: str) -> Ran:
        return run(
            self.script, self.workspace, {**self.environ, **environ}, "--json", "--session-id", session, *arguments
        )

    def repository(self) -> None:
        for words in (["init", "-q", "."], ["commit", "-q", "--allow-empty", "-m", "x"]):
            self.git(self.workspace, *words)

    def git(self, where: Path, *words: str) -> None:
        own = ["-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run(["git", *own, *words], cwd=where, env=self.environ, check=True, capture_output=True)

    def tree(self, name: str) -> Path:
        return self.workspace / ".omx" / "team" / name / "worktrees" / "worker-1"


@pytest.fixture
def omx(bundles: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Omx]:
    world = Omx(tmp_path_factory.mktemp("w"), bundles / "omx")
    yield world
    world.close()


def test_the_command_stops_the_team_and_the_leaders_session_lives(omx: Omx) -> None:
    omx.started()
    record = omx.record("fix-it")
    done = omx.cancel()
    assert (done.code, done.mode()["outcome"], done.team["signaled"]) == (0, "done", 1)
    assert omx.asked() == [["team", "shutdown", "fix-it"]]
    assert (omx.panes(), omx.sessions()) == ({omx.leader}, {"lead"})
    assert not record.exists()


def test_a_refusal_of_the_command_is_unresolved_and_its_words_are_passed_on(omx: Omx) -> None:
    pane = omx.started()
    record = omx.record("fix-it")
    before = record.read_bytes()
    omx.behave(refuses="Error: shutdown_gate_blocked:pending=2,failed=0\n")
    done = omx.cancel()
    assert (done.code, done.mode()["outcome"]) == (1, "refused")
    assert "shutdown_gate_blocked:pending=2,failed=0" in done.mode()["detail"]
    assert omx.asked() == [["team", "shutdown", "fix-it"]]
    assert pane in omx.panes() and record.read_bytes() == before


def test_only_the_users_force_forces_the_command(omx: Omx) -> None:
    omx.started()
    omx.record("fix-it")
    omx.behave(refuses="Error: shutdown_gate_blocked:pending=2\n")
    done = omx.cancel("--force")
    assert (done.code, omx.asked()) == (0, [["team", "shutdown", "fix-it", "--force"]])
    assert omx.panes() == {omx.leader}


def test_what_the_command_says_steers_no_terminal_and_fills_no_report(omx: Omx) -> None:
    omx.started()
    omx.behave(refuses="no \x1b]0;owned\x07\x1b[2J\n" + "x" * 200_000)
    detail = omx.cancel().mode()["detail"]
    assert "\\x1b]0;owned\\x07" in detail and "\x1b" not in detail
    assert len(detail) < 800 and "…" in detail


def test_a_dry_run_calls_nothing_and_names_the_command(omx: Omx) -> None:
    omx.started()
    done = run(omx.script, omx.workspace, omx.environ, "--session-id", "s1", "--dry-run", "--force")
    assert (done.code, omx.calls()) == (0, [])
    assert "run omx team shutdown fix-it --force" in done.out


@pytest.mark.parametrize("name", ["--force", "-x", "a;touch b", "../a", "$(id)", "A"])
def test_what_is_no_teams_name_is_passed_to_no_command(omx: Omx, name: str) -> None:
    record = omx.record(name)
    if "/" not in name:
        omx.team(name, {"worker-1": "%99"})
    done = omx.cancel()
    assert omx.calls() == []
    assert done.warns("which is no team's name here") and not record.exists()


def test_a_name_that_a_pattern_lets_through_is_still_no_option(omx: Omx, monkeypatch: pytest.MonkeyPatch) -> None:
    omx.team("--force", {"worker-1": "%99"})
    driver = driver_of(omx, monkeypatch, name="^[a-z-]{1,64}$")
    [result], _ = cancel(driver)
    assert (result.outcome, omx.calls()) == ("refused", []) and "option" in result.detail


def driver_of(omx: Omx, monkeypatch: pytest.MonkeyPatch, **changes: object) -> ProgramDriver:
    for key in ("TMUX", "TMUX_PANE"):
        monkeypatch.delenv(key, raising=False)
    for key, value in omx.environ.items():
        monkeypatch.setenv(key, value)
    team = YAML(typ="safe").load((REPOSITORY / "flavors" / "omx.yaml").read_text())["team"]
    contract: dict[str, Any] = {
        "team": {**team, "start_s": 1, **changes},
        "root": {"override": None, "workspace_variables": []},
        "store": {"sessions": "sessions", "record": "{mode}-state.json"},
        "modes": {"team": {"action": "shutdown", "records": ["team"]}},
    }
    request: Any = SimpleNamespace(
        urgency="graceful", team_program=None, workspace=None, dry_run=False, json=True, team_confirmed=False
    )
    return ProgramDriver(contract, Place(str(omx.workspace), str(omx.state.parent), str(omx.state), ""), request)


def test_a_command_that_does_not_end_is_ended_and_unresolved(omx: Omx, monkeypatch: pytest.MonkeyPatch) -> None:
    pane = omx.started()
    omx.behave(takes=60)
    began = time.monotonic()
    [result], _ = cancel(driver_of(omx, monkeypatch, limit_s=1))
    assert time.monotonic() - began < 20
    assert result.outcome == "failed" and "did not end within 1 s" in result.detail
    assert pane in omx.panes()
    listed = subprocess.run(["ps", "-ww", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert str(omx.bin / "omx") not in listed


def test_a_command_that_leaves_its_output_open_to_a_child_is_not_waited_for(
    omx: Omx, monkeypatch: pytest.MonkeyPatch
) -> None:
    omx.started()
    lasting = omx.base / "lasting.pid"
    program = omx.bin / "omx"
    text = program.read_text().replace(
        'print("Team shutdown',
        f'open({str(lasting)!r}, "w").write(str(subprocess.Popen(["sleep", "30"]).pid))\nprint("Team shutdown',
    )
    program.write_text(text)
    began = time.monotonic()
    [result], _ = cancel(driver_of(omx, monkeypatch))
    os.kill(int(lasting.read_text()), 9)
    assert (result.outcome, time.monotonic() - began < 15) == ("done", True)


def test_a_command_that_says_it_is_done_while_a_worker_lives_is_not_believed(omx: Omx) -> None:
    pane = omx.started()
    record = omx.record("fix-it")
    omx.behave(spares=["worker-1"])
    done = omx.cancel()
    assert (done.code, done.mode()["outcome"], done.team["unresponsive"]) == (1, "failed", ["worker-1"])
    assert "still alive: worker-1" in done.mode()["detail"]
    assert pane in omx.panes() and record.exists()


def test_a_command_that_looks_in_another_place_is_not_let_loose_there(omx: Omx) -> None:
    omx.started()
    record = omx.record("fix-it")
    omx.behave(blind=True)
    done = omx.cancel("--force")
    assert (done.code, omx.asked(), record.exists()) == (1, [], True)
    assert "knows no team fix-it in the state that it looks at" in done.mode()["detail"]


def test_a_workspace_that_was_told_holds_for_the_command_as_well(omx: Omx) -> None:
    omx.started()
    elsewhere = omx.base / "elsewhere"
    done = omx.cancel("--workspace", str(omx.workspace), OMX_TEAM_STATE_ROOT=str(elsewhere))
    assert (done.code, omx.panes(), elsewhere.exists()) == (0, {omx.leader}, False)


def test_a_command_that_answers_no_json_is_asked_no_more(omx: Omx) -> None:
    omx.started()
    omx.behave(status="omx: something broke")
    done = omx.cancel()
    assert (done.code, omx.asked()) == (1, []) and "something broke" in done.mode()["detail"]


# --- where the program is --------------------------------------------------------------------------------------------------


def test_without_the_program_the_team_is_unresolved_and_the_repair_is_said(omx: Omx) -> None:
    pane = omx.started()
    record = omx.record("fix-it")
    (omx.bin / "omx").unlink()
    done = omx.cancel("--force")
    assert (done.code, done.mode()["outcome"]) == (1, "refused")
    for word in ("omx is not on PATH", "put `omx` on `PATH`", "--team-program FILE", "omx team shutdown fix-it"):
        assert word in done.mode()["detail"]
    assert pane in omx.panes() and record.exists()


@pytest.mark.parametrize("how", ["absolute", "relative", "empty", "linked", "above"])
def test_a_program_of_the_project_is_never_run(omx: Omx, how: str) -> None:
    pane = omx.started()
    (omx.bin / "omx").unlink()
    own = omx.workspace / "node_modules" / ".bin"
    program = omx.program(own)
    rest = os.environ["PATH"]
    workspace = omx.workspace
    if how == "linked":
        (omx.bin / "omx").symlink_to(program)
    if how == "above":
        omx.repository()
        workspace = omx.workspace / "sub"
        (workspace / ".omx").mkdir(parents=True)
        shutil.move(omx.state, workspace / ".omx" / "state")
    if how == "empty":
        shutil.copy(program, omx.workspace / "omx")
    first = {"relative": "node_modules/.bin", "empty": "", "linked": str(omx.bin)}.get(how, str(own))
    environ = {**omx.environ, "PATH": f"{first}{os.pathsep}{rest}"}
    done = run(omx.script, workspace, environ, "--json", "--session-id", "s1", "--force")
    assert (done.code, omx.calls()) == (1, []), done.out
    assert pane in omx.panes()


def test_what_the_command_starts_is_not_looked_up_in_the_project_either(omx: Omx) -> None:
    omx.started()
    trap = omx.workspace / "bin" / "env-of-the-project"
    trap.parent.mkdir()
    trap.write_text(f"#!/bin/sh\ntouch '{omx.base}/trapped'\n")
    trap.chmod(0o755)
    (omx.bin / "omx").write_text("#!/usr/bin/env env-of-the-project\n")
    omx.cancel(PATH=f"{trap.parent}{os.pathsep}{omx.environ['PATH']}")
    assert not (omx.base / "trapped").exists()


def test_a_program_that_was_told_is_taken_and_one_of_the_project_is_not(omx: Omx) -> None:
    omx.started()
    (omx.bin / "omx").unlink()
    inside = omx.program(omx.workspace / "tools")
    refused = omx.cancel("--team-program", str(inside))
    assert (refused.code, omx.calls()) == (1, [])
    assert "lies in the project" in refused.mode()["detail"]
    assert "no absolute path" in omx.cancel("--team-program", "tools/omx").mode()["detail"]
    told = omx.program(omx.base / "opt", "omx-0.21")
    done = omx.cancel("--team-program", str(told))
    assert (done.code, omx.panes()) == (0, {omx.leader})


def test_the_option_is_for_such_a_product_only(omx: Omx, bundles: Path) -> None:
    for flavor in ("rcs", "omni", "omc"):
        script = bundles / flavor / "skills/cancel/scripts/cancel.py"
        done = run(script, omx.workspace, omx.environ, "--team-program", "/bin/true")
        assert (done.code, "--team-program" in done.err) == (2, True)
    shell = omx.script.with_suffix(".sh")
    done = run(
        shell,
        omx.workspace,
        {**omx.environ, "PATH": "/nowhere"},
        "--team-program",
        "/bin/true",
        command=(str(shutil.which("bash")),),
    )
    assert (done.code, "no team is cleared" in done.err) == (2, True)


# --- what is listed before -------------------------------------------------------------------------------------------------


def test_worktrees_and_unmerged_commits_are_listed_before_the_command_runs(omx: Omx) -> None:
    omx.repository()
    tree = omx.tree("fix-it")
    omx.git(omx.workspace, "worktree", "add", "-q", "--detach", str(tree))
    for count in range(2):
        omx.git(tree, "commit", "-q", "--allow-empty", "-m", str(count))
    (tree / "new.txt").write_text("new")
    omx.started(worktree_path=str(tree))
    plan = omx.cancel("--dry-run")
    for words in (("it holds 1 uncommitted change", str(tree)), ("it has 2 commits that the project lacks", str(tree))):
        assert plan.warns(*words)
    omx.behave(refuses="said by the command\n")
    environ = {**omx.environ, "PATH": omx.environ["PATH"]}
    told = run(omx.script, omx.workspace, environ, "--session-id", "s1").out
    assert 0 <= told.index("it has 2 commits that the project lacks") < told.index("said by the command")
    assert told.count("it has 2 commits that the project lacks") == 1


# --- a team that is starting -----------------------------------------------------------------------------------------------


def unborn(omx: Omx, name: str = "fix-it") -> Path:
    """As the program has it before the panes: workers of which neither pane nor process is recorded."""
    return omx.team(name, {"worker-1": {}, "worker-2": {}}, tmux_session=f"omx-team-{name}")


def test_a_team_that_records_no_worker_yet_is_unresolved_and_nothing_is_run(
    omx: Omx, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = unborn(omx)
    driver = driver_of(omx, monkeypatch)
    [result], _ = cancel(driver)
    assert (result.outcome, omx.asked(), directory.exists()) == ("refused", [], True)
    assert "may still be starting" in result.detail


def test_a_team_that_records_its_workers_in_time_is_stopped(omx: Omx) -> None:
    directory = unborn(omx)
    omx.waits(start_s=20)
    omx.leader = omx.session("lead")
    panes: list[str] = []

    def begin() -> None:
        time.sleep(1.5)
        panes.append(omx.pane("lead", STUBBORN))
        workers = [{"name": "worker-1", "pane_id": panes[0], "pid": omx.pid(panes[0])}]
        text = json.dumps(
            {"name": "fix-it", "workers": workers, "tmux_session": "lead:0", "leader_pane_id": omx.leader}
        )
        (directory / "new.json").write_text(text)
        (directory / "new.json").rename(directory / "config.json")

    later = threading.Thread(target=begin)
    later.start()
    done = omx.cancel()
    later.join()
    assert (done.code, len(omx.asked()), omx.panes()) == (0, 1, {omx.leader}), done.out


def test_a_start_that_was_cut_off_long_ago_is_no_start(omx: Omx, monkeypatch: pytest.MonkeyPatch) -> None:
    directory = unborn(omx)
    long_ago = time.time() - 3600
    os.utime(directory / "config.json", (long_ago, long_ago))
    [result], _ = cancel(driver_of(omx, monkeypatch))
    assert (result.outcome, len(omx.asked()), directory.exists()) == ("done", 1, False)


def test_a_worktree_that_was_just_made_is_of_a_team_that_starts(omx: Omx, monkeypatch: pytest.MonkeyPatch) -> None:
    omx.repository()
    own = "fix-it-" + hashlib.sha256(b"s1").hexdigest()[:8]
    other = "do-it-" + hashlib.sha256(b"s2").hexdigest()[:8]
    for name in (own, other):
        omx.git(omx.workspace, "worktree", "add", "-q", "--detach", str(omx.tree(name)))
    done = omx.cancel("--force")
    assert (done.code, done.mode()["outcome"], omx.calls()) == (1, "refused", [])
    assert "may be starting" in done.mode()["detail"] and own in done.mode()["detail"]
    assert done.warns("a team of another session may be starting", other)
    long_ago = time.time() - 3600
    os.utime(omx.tree(own) / ".git", (long_ago, long_ago))
    assert omx.cancel("--force").code == 0


def test_what_a_stopped_team_leaves_is_no_team_that_starts(omx: Omx) -> None:
    omx.tree("fix-it-" + hashlib.sha256(b"s1").hexdigest()[:8]).parent.mkdir(parents=True)
    assert omx.cancel().report["message"] == "No active OMX modes detected."


def test_a_team_of_panes_that_is_starting_is_unresolved_too(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(tmp_path_factory.mktemp("w"))
    try:
        directory = world.team("a", {"w1": {}}, tmux_session="lead:0")
        for forced in (False, True):
            driver: TmuxDriver = world.driver(monkeypatch, forced=forced)
            [result], _ = cancel(driver)
            assert (result.outcome, directory.exists()) == ("failed", True)
            assert "may still be starting" in result.detail
        long_ago = time.time() - 3600
        os.utime(directory / "config.json", (long_ago, long_ago))
        [result], _ = cancel(world.driver(monkeypatch))
        assert (result.outcome, soon(lambda: not directory.exists())) == ("absent", True)
        assert any("cut off" in warning for warning in result.warnings)
    finally:
        world.close()
