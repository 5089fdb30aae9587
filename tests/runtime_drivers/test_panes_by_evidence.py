"""A pane is a team's on evidence that no restart and no clock can fake: its pid, or the team's own session, and its age."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .scripts import Ran, plain_environ, run
from .tmux_world import INTERRUPTED, STUBBORN, World

if shutil.which("tmux") is None:
    pytest.skip("tmux is not installed", allow_module_level=True)

DAYS = 86_400


class Rcs(World):
    def __init__(self, base: Path, bundles: Path) -> None:
        super().__init__(base)
        self.script = bundles / "rcs/skills/cancel/scripts/cancel.py"

    def cancel(self, *arguments: str, session: str = "s1") -> Ran:
        return run(self.script, self.workspace, self.environ, "--json", "--session-id", session, *arguments)

    def age(self, team: str, seconds: float) -> None:
        """Let the team's files be this old."""
        then = time.time() - seconds
        for path in (self.state / "team" / team).glob("*.json"):
            os.utime(path, (then, then))

    def names(self, team: str, session: str = "s1") -> Path:
        path = self.state / "sessions" / session / "team-state.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"active": True, "team_name": team}))
        return path

    def leftover(self, team: str) -> Path:
        path = self.state / "team" / f".cancelled-{team}"
        (path / "workers" / "w1").mkdir(parents=True)
        (path / "config.json").write_text("{}")
        return path


@pytest.fixture
def world(tmp_path_factory: pytest.TempPathFactory, bundles: Path) -> Iterator[Rcs]:
    one = Rcs(tmp_path_factory.mktemp("w"), bundles)
    yield one
    one.close()


FORMS = [(), ("--force",), ("--all", "--force")]


# --- a pane without a pid --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", FORMS)
@pytest.mark.parametrize("age", [0, 30 * DAYS])
@pytest.mark.parametrize("session", ["main:0", "main", "", "elsewhere:3"])
def test_without_a_pid_a_pane_outside_the_teams_own_session_is_not_ended(
    session: str, age: int, arguments: tuple[str, ...], world: Rcs
) -> None:
    world.session("main")
    pane = world.pane("main", INTERRUPTED)
    directory = world.team("a", {"w": pane}, tmux_session=session or " ")
    if not session:
        config = json.loads((directory / "config.json").read_text())
        del config["tmux_session"]
        (directory / "config.json").write_text(json.dumps(config))
    record = world.names("a")
    world.age("a", age)
    ran = world.cancel(*arguments)
    assert pane in world.panes()
    assert (ran.code, ran.team["killed"], ran.team["responded"]) == (1, 0, 0), ran.out
    assert (directory.exists(), record.exists()) == (True, True)
    assert ran.team["unresponsive"] == ["w"]
    assert pane in ran.mode()["detail"] and "pid" in ran.mode()["detail"]
    assert ran.mode()["message"] == "Team was not cancelled."


def test_without_a_pid_a_pane_of_the_teams_own_session_still_counts(world: Rcs) -> None:
    world.session("main")
    pane = world.session("rcs-team-a", STUBBORN)
    directory = world.team("a", {"w": pane})
    ran = world.cancel("--force")
    assert (ran.code, ran.team["killed"], directory.exists()) == (0, 1, False), ran.out
    assert pane not in world.panes()


@pytest.mark.parametrize("arguments", FORMS)
def test_without_a_pid_a_later_pane_of_that_session_is_left(arguments: tuple[str, ...], world: Rcs) -> None:
    pane = world.session("rcs-team-a", STUBBORN)
    directory = world.team("a", {"w": pane})
    world.age("a", 30 * DAYS)
    ran = world.cancel(*arguments)
    assert (world.panes(), world.sessions()) == ({pane}, {"rcs-team-a"})
    assert (ran.code, ran.team["session_destroyed"], directory.exists()) == (1, False, True), ran.out


def test_no_server_or_no_such_pane_means_that_it_is_gone(world: Rcs) -> None:
    directory = world.team("a", {"w": "%7"}, tmux_session="main:0")
    world.session("main")
    ran = world.cancel()
    assert (ran.code, directory.exists()) == (0, False), ran.out


# --- a pane whose process began after the record ---------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", FORMS)
@pytest.mark.parametrize("session", ["main:0", "rcs-team-a"])
@pytest.mark.parametrize("age", [60, 30 * DAYS])
def test_a_pane_that_began_after_the_record_is_neither_ended_nor_called_gone(
    age: int, session: str, arguments: tuple[str, ...], world: Rcs
) -> None:
    """Numbers begin anew with each server and container, and a clock can jump: whose pane it is is not known."""
    name = session.partition(":")[0]
    world.session(name)
    pane = world.pane(name, STUBBORN)
    directory = world.team("a", {"w": {"pane_id": pane, "pid": world.pid(pane)}}, tmux_session=session)
    record = world.names("a")
    world.age("a", age)
    before = world.panes()
    ran = world.cancel(*arguments)
    assert world.panes() == before
    assert (ran.code, ran.team["killed"], directory.exists(), record.exists()) == (1, 0, True, True), ran.out
    assert "after" in ran.mode()["detail"]


@pytest.mark.parametrize("arguments", FORMS)
def test_a_pane_that_was_there_before_the_record_with_another_process_is_left_and_not_called_gone(
    arguments: tuple[str, ...], world: Rcs
) -> None:
    world.session("main")
    pane = world.pane("main", STUBBORN)
    directory = world.team("a", {"w": {"pane_id": pane, "pid": 2**22 + 13}}, tmux_session="main:0")
    ran = world.cancel(*arguments)
    assert (ran.code, pane in world.panes(), directory.exists()) == (1, True, True), ran.out
    world.age("a", 60)
    ran = world.cancel(*arguments)
    assert (ran.code, pane in world.panes(), directory.exists()) == (0, True, False), ran.out


def test_a_pane_that_began_before_the_record_is_the_teams(world: Rcs) -> None:
    world.session("main")
    pane = world.pane("main", STUBBORN)
    directory = world.team("a", {"w": {"pane_id": pane, "pid": world.pid(pane)}}, tmux_session="main:0")
    ran = world.cancel("--force")
    assert (ran.code, ran.team["killed"], directory.exists()) == (0, 1, False), ran.out
    assert pane not in world.panes()


@pytest.mark.parametrize("arguments", FORMS)
def test_a_live_process_that_began_after_the_record_and_has_no_pane_is_not_called_gone(
    arguments: tuple[str, ...], world: Rcs
) -> None:
    world.session("main")
    living = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        directory = world.team("a", {"w": {"pane_id": "%77", "pid": living.pid}}, tmux_session="main:0")
        world.age("a", 60)
        ran = world.cancel(*arguments)
        assert living.poll() is None
        assert (ran.code, directory.exists()) == (1, True), ran.out
        assert str(living.pid) in ran.mode()["detail"]
    finally:
        living.kill()
        living.wait()


def test_a_process_of_another_user_is_no_worker(world: Rcs) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can start a process of another user")
    living = subprocess.Popen(["sleep", "60"], user=65534)
    try:
        directory = world.team("a", {"w": {"pane_id": "%77", "pid": living.pid}}, tmux_session="main:0")
        ran = world.cancel()
        assert (ran.code, directory.exists(), living.poll()) == (0, False, None), ran.out
    finally:
        living.kill()
        living.wait()


def test_a_process_that_another_pane_shows_is_no_worker(world: Rcs) -> None:
    stranger = world.session("editor", STUBBORN)
    directory = world.team("a", {"w": {"pane_id": "%77", "pid": world.pid(stranger)}}, tmux_session="main:0")
    world.age("a", 60)
    ran = world.cancel()
    assert (ran.code, directory.exists(), world.panes()) == (0, False, {stranger}), ran.out


@pytest.mark.parametrize("arguments", FORMS)
def test_a_later_pane_in_the_teams_own_session_is_not_ended_with_it(arguments: tuple[str, ...], world: Rcs) -> None:
    world.session("main")
    pane = world.session("rcs-team-a", STUBBORN)
    directory = world.team("a", {"w": {"pane_id": pane, "pid": world.pid(pane)}})
    time.sleep(1.1)
    then = time.time()
    guest = world.pane("rcs-team-a", STUBBORN)
    # Six seconds are past what a coarse clock explains.
    for path in directory.glob("*.json"):
        os.utime(path, (then - 5.2, then - 5.2))
    began = processes_began(world.pid(pane))
    if not began <= then - 5.2 + 5 < processes_began(world.pid(guest)):
        pytest.skip("the machine was too slow to tell the two apart")
    ran = world.cancel(*arguments)
    assert world.panes() >= {guest} and pane not in world.panes()
    assert (ran.code, ran.team["session_destroyed"], directory.exists()) == (1, False, True), ran.out
    assert guest in ran.out


def processes_began(pid: int) -> float:
    boot = next(
        int(line.split()[1]) for line in Path("/proc/stat").read_text().splitlines() if line.startswith("btime")
    )
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return boot + int(fields[19]) / os.sysconf("SC_CLK_TCK")


def test_a_live_session_of_a_team_without_a_directory_keeps_its_record(world: Rcs) -> None:
    pane = world.session("rcs-team-x", STUBBORN)
    record = world.names("x")
    for arguments in ((), ("--force",)):
        ran = world.cancel(*arguments)
        assert (ran.code, record.exists(), world.panes()) == (1, True, {pane}), ran.out
        assert "rcs-team-x" in ran.mode()["detail"]


@pytest.mark.parametrize("arguments", [(), ("--force",)])
def test_a_team_of_which_nothing_but_the_record_is_left_is_not_said_to_have_shut_down(
    arguments: tuple[str, ...], world: Rcs
) -> None:
    world.session("main")
    record = world.names("x")
    ran = world.cancel(*arguments)
    assert (ran.code, record.exists()) == (0, False), ran.out
    assert ran.mode()["message"] == "Team: its record is cleared; no team of it was found."
    record = world.names("x")
    words = run(world.script, world.workspace, world.environ, "--session-id", "s1", *arguments).out
    assert "shut down" not in words.lower()
    assert 'Team "x", of which only the record is known to be gone:' in words


def test_a_record_that_names_no_team_is_not_said_to_have_stopped_one(world: Rcs) -> None:
    record = world.names("x")
    for body in ({"active": True}, {"active": True, "team_name": "../x"}):
        record.write_text(json.dumps(body))
        ran = world.cancel()
        assert (ran.code, record.exists()) == (0, False), ran.out
        assert ran.mode()["message"] == "Team: its record is cleared; no team of it was found."


# --- what a killed cancel left ---------------------------------------------------------------------------------------------


def test_a_leftover_beside_another_sessions_live_team_is_no_claim_to_it(world: Rcs) -> None:
    world.session("main")
    pane = world.session("rcs-team-x", STUBBORN)
    directory = world.team("x", {"w": {"pane_id": pane, "pid": world.pid(pane)}}, session="s2")
    record = world.names("x", "s2")
    left = world.leftover("x")
    before = {path: path.read_bytes() for path in directory.rglob("*") if path.is_file()}
    ran = world.cancel()
    assert (ran.code, ran.report["teams"], ran.report["message"]) == (0, [], "No active RCS modes detected."), ran.out
    assert world.sessions() == {"main", "rcs-team-x"}
    assert {path: path.read_bytes() for path in directory.rglob("*") if path.is_file()} == before
    assert (record.exists(), left.exists()) == (True, False)


@pytest.mark.parametrize("arguments", FORMS)
def test_a_leftover_beside_a_config_that_names_the_users_session_ends_no_pane(
    arguments: tuple[str, ...], world: Rcs
) -> None:
    mine = world.session("main")
    world.team("x", {"w": {"pane_id": mine}}, session="nobody", tmux_session="main:0")
    left = world.leftover("x")
    ran = world.cancel(*arguments)
    assert world.panes() == {mine}
    assert not left.exists()
    assert ran.code == (1 if arguments else 0), ran.out
    assert (world.state / "team" / "x" / "config.json").exists()


def test_a_leftover_alone_goes_and_no_team_is_reported(world: Rcs) -> None:
    left = world.leftover("x")
    for arguments in (["--dry-run"], []):
        assert left.exists()
        ran = world.cancel(*arguments)
        assert (ran.code, ran.report["teams"], ran.report["message"]) == (0, [], "No active RCS modes detected.")
    assert not left.exists()


def test_a_leftover_of_the_team_that_this_sessions_record_names_ends_its_cancel(world: Rcs) -> None:
    left, record = world.leftover("x"), world.names("x")
    ran = world.cancel()
    assert (ran.code, left.exists(), record.exists()) == (0, False, False), ran.out


def test_a_leftover_that_is_a_link_or_holds_a_checkout_takes_nothing_with_it(world: Rcs, tmp_path: Path) -> None:
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "file").write_text("keep")
    (world.state / "team").mkdir()
    (world.state / "team" / ".cancelled-y").symlink_to(tmp_path / "precious")
    tree = world.leftover("x") / "workers" / "w1" / "tree"
    (tree / ".git").mkdir(parents=True)
    (tree / "half.py").write_text("x")
    assert world.cancel().code == 0
    assert (tmp_path / "precious" / "file").read_text() == "keep"
    assert (world.state / "team" / ".cancelled-y").is_symlink()
    assert (tree / "half.py").exists()


# --- the same doubt elsewhere ----------------------------------------------------------------------------------------------


@pytest.fixture
def living() -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    yield process
    process.kill()
    process.wait()


def omc(tmp_path: Path) -> Path:
    for name in ("objects", "refs/heads"):
        (tmp_path / ".git" / name).mkdir(parents=True)
    (tmp_path / ".git/HEAD").write_text("ref: refs/heads/main\n")
    (tmp_path / ".git/config").write_text("[core]\n\trepositoryformatversion = 0\n\tbare = false\n")
    state = tmp_path / ".omc/state"
    (state / "sessions/s1").mkdir(parents=True)
    return state


@pytest.mark.parametrize("where", ["record", "heartbeat"])
def test_a_legacy_team_whose_process_began_after_its_record_is_not_called_gone(
    where: str, living: Any, bundles: Path, tmp_path: Path
) -> None:
    state = omc(tmp_path)
    record = state / "sessions/s1/omc-teams-state.json"
    record.write_text(json.dumps({"active": True, "team_name": "old", "pid": living.pid if where == "record" else 0}))
    if where == "heartbeat":
        beat = state / "team-bridge/old/w1.heartbeat.json"
        beat.parent.mkdir(parents=True)
        beat.write_text(json.dumps({"workerName": "w1", "pid": living.pid}))
    for path in state.rglob("*.json"):
        os.utime(path, (time.time() - 3600,) * 2)
    script = bundles / "omc/skills/cancel/scripts/cancel.py"
    ran = run(script, tmp_path, plain_environ(tmp_path), "--json", "--session-id", "s1", "--force")
    assert (ran.code, ran.mode("omc-teams")["outcome"], record.exists()) == (1, "refused", True), ran.out
    assert f"process {living.pid}" in ran.mode("omc-teams")["detail"]
    assert living.poll() is None


def test_a_daemon_that_began_after_its_pid_file_is_not_called_another(bundles: Path, tmp_path: Path) -> None:
    state = omc(tmp_path)
    daemon = subprocess.Popen(["rate-limit-daemon", "60"], executable=shutil.which("sleep"))
    try:
        path = state / "rate-limit-daemon.pid"
        path.write_text(f"{daemon.pid}\n")
        os.utime(path, (time.time() - 3600,) * 2)
        script = bundles / "omc/skills/cancel/scripts/cancel.py"
        ran = run(script, tmp_path, plain_environ(tmp_path), "--json", "--all")
        assert (ran.code, path.exists(), daemon.poll()) == (1, True, None), ran.out
    finally:
        daemon.kill()
        daemon.wait()
