"""A run of copilot-omni is over only on evidence: its directory under a root that was told, or the processes of this user."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .omni_world import MINE, RUN
from .omni_world import World as OmniWorld
from .scripts import Database, Ran, plain_environ, run

OTHER = f"team-{uuid.uuid4().hex[:12]}"
OVER = ("cancelled", "done", "failed", "cleaned")
UNREADABLE = """
import runpy, sys
script = sys.argv[1]
sys.path.insert(0, script.rpartition("/")[0])
from {module} import PROC  # there is such a thing to take away
import {module}
{module}.PROC = "/nonexistent-proc"
sys.argv[:] = sys.argv[1:]
runpy.run_path(script, run_name="__main__")
"""
PROCESSES = "cancel_runtime.processes"


class Apart(OmniWorld):
    """The product at one place, the bundle installed at another: neither knows of the other."""

    def __init__(self, base: Path, bundles: Path) -> None:
        super().__init__(base)
        self.skill = base / "installed" / "skills" / "cancel"
        shutil.copytree(bundles / "omni" / "skills" / "cancel", self.skill)
        self.database = Database(base / "omni-home" / "omni.db")
        self.environ = plain_environ(base, OMNI_HOME=str(base / "omni-home"))

    def cancel(self, *arguments: str, session: str = MINE, **environ: str) -> Ran:
        chosen = ["--session-id", session] if session else []
        return run(
            self.skill / "scripts/cancel.py",
            self.workspace,
            {**self.environ, **environ},
            "--json",
            *chosen,
            *arguments,
        )

    def blind(self, *arguments: str) -> Ran:
        """The same where neither /proc nor ps can be read."""
        launcher = self.base / "launcher.py"
        launcher.write_text(UNREADABLE.format(module=PROCESSES))
        return run(
            launcher,
            self.workspace,
            {**self.environ, "PATH": str(self.base / "nothing")},
            str(self.skill / "scripts/cancel.py"),
            "--json",
            "--session-id",
            MINE,
            *arguments,
        )

    def row(self, session: str = MINE, **body: object) -> None:
        self.database.put("team", {"run_id": RUN, "name": "builders", "state": "dispatched", **body}, session)

    @property
    def rows(self) -> set[tuple[str, str]]:
        return set(self.database.rows())


@pytest.fixture
def world(tmp_path: Path, bundles: Path) -> Iterator[Apart]:
    one = Apart(tmp_path, bundles)
    yield one
    one.close()


def bystander(*command: str) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(0.3)
    assert process.poll() is None
    return process


# --- the directory is in neither guessed place -----------------------------------------------------------------------------


def test_a_polite_worker_of_a_run_in_no_known_root_is_asked_where_its_arguments_say(world: Apart) -> None:
    worker = world.worker(world.run(), manner="polite")
    world.row()
    ran = world.cancel()
    assert (ran.code, ran.mode()["outcome"], world.rows) == (0, "done", set()), ran.out
    assert worker.wait(5) == 0
    assert (ran.team["signaled"], ran.team["responded"], ran.team["unresponsive"]) == (1, 1, [])
    assert ran.report["complete"] is True


def test_a_busy_worker_of_a_run_in_no_known_root_keeps_its_row_and_force_ends_it(world: Apart) -> None:
    worker = world.worker(world.run())
    world.row()
    ran = world.cancel()
    assert (ran.code, ran.mode()["outcome"], world.rows) == (1, "failed", {("team", MINE)}), ran.out
    assert ran.team["unresponsive"] == ["w1"]
    assert str(worker.pid) in ran.mode()["detail"]
    assert worker.poll() is None
    ran = world.cancel("--force")
    assert (ran.code, ran.mode()["outcome"], world.rows) == (0, "done", set()), ran.out
    assert worker.wait(5) == -signal.SIGTERM
    assert ran.team["killed"] == 1
    worker = world.worker(world.plugin / ".omni/runs" / RUN)
    world.row()
    words = run(world.skill / "scripts/cancel.py", world.workspace, world.environ, "--session-id", MINE, "--force").out
    assert "  - Ended by force: 1\n" in words and "  - Responses received: 0\n" in words, words


def test_a_worker_whose_run_directory_is_gone_is_still_found(alone: None, world: Apart) -> None:
    directory = world.run()
    worker = world.worker(directory)
    shutil.rmtree(directory)
    world.row()
    ran = world.cancel()
    assert (ran.code, world.rows, worker.poll()) == (1, {("team", MINE)}, None), ran.out
    ran = world.cancel("--force")
    assert (ran.code, world.rows) == (0, set()), ran.out
    assert worker.wait(5) == -signal.SIGTERM


def test_without_a_process_and_without_a_root_the_run_is_not_called_over(world: Apart) -> None:
    world.run()
    world.row()
    for arguments in ((), ("--mode", "team"), ("--dry-run",)):
        ran = world.cancel(*arguments)
        assert (ran.code, ran.mode()["outcome"], ran.report["complete"]) == (1, "refused", False), ran.out
        assert "--team-root" in ran.mode()["detail"]
        assert RUN in ran.mode()["detail"]
        assert "Teammates shut down" not in ran.out
        assert world.rows == {("team", MINE)}


def test_two_guessed_places_prove_nothing_even_where_one_holds_the_products_program(world: Apart) -> None:
    shutil.copytree(world.plugin / "scripts", world.skill.parents[1] / "scripts")
    world.row()
    assert (world.cancel().code, world.rows) == (1, {("team", MINE)})


def test_a_directory_of_the_runs_name_without_its_manifest_is_no_run(world: Apart) -> None:
    (world.workspace / ".omni" / "runs" / RUN).mkdir()
    world.row()
    ran = world.cancel()
    assert (ran.code, world.rows) == (1, {("team", MINE)}), ran.out
    assert "--team-root" in ran.mode()["detail"]


@pytest.mark.parametrize("variable", ["COPILOT_PLUGIN_ROOT", "OMNI_PLUGIN_ROOT", ""])
def test_a_told_root_without_the_run_says_that_it_is_over(variable: str, world: Apart) -> None:
    world.row()
    world.run(OTHER, session="s2")
    told = {variable: str(world.plugin)} if variable else {}
    ran = world.cancel(*([] if variable else ["--team-root", str(world.plugin)]), **told)
    assert (ran.code, ran.mode()["outcome"], world.rows) == (0, "done", set()), ran.out
    assert ran.report["complete"] is True


def test_a_told_root_does_not_outweigh_a_live_worker(alone: None, world: Apart) -> None:
    worker = world.worker(world.run(root="workspace"))
    elsewhere = world.base / "elsewhere"
    (elsewhere / ".omni" / "runs").mkdir(parents=True)
    (world.workspace / ".omni" / "runs" / RUN).rename(world.base / "moved")
    world.row()
    ran = world.cancel("--team-root", str(elsewhere))
    assert (ran.code, world.rows, worker.poll()) == (1, {("team", MINE)}, None), ran.out


def test_the_bundles_own_root_in_the_variable_tells_nothing(world: Apart) -> None:
    world.row()
    ran = world.cancel(COPILOT_PLUGIN_ROOT=str(world.skill.parents[1]))
    assert (ran.code, world.rows) == (1, {("team", MINE)}), ran.out


@pytest.mark.parametrize("form", ["--team-root {}", "--team-root={}"])
def test_the_told_root_is_where_the_run_is_cancelled_by_the_products_program(form: str, world: Apart) -> None:
    worker = world.worker(world.run(), manner="polite")
    world.row()
    ran = world.cancel(*form.format(world.plugin).split())
    assert (ran.code, world.rows) == (0, set()), ran.out
    assert worker.wait(5) == 0
    assert world.called() == [f"cancel {RUN} --reason user-cancel"]


def test_a_told_root_has_to_hold_runs_and_to_be_told_once(world: Apart) -> None:
    world.row()
    empty = world.base / "empty"
    empty.mkdir()
    linked = world.base / "linked"
    linked.mkdir()
    (linked / ".omni").symlink_to(world.plugin / ".omni")
    for arguments in (
        ["--team-root", str(empty)],
        ["--team-root", str(world.base / "missing")],
        ["--team-root", str(linked)],
        ["--team-root", ""],
        ["--team-root"],
        ["--team-root", "--force"],
        ["--team-root", str(world.plugin), "--team-root", str(world.workspace)],
    ):
        ran = world.cancel(*arguments)
        assert (ran.code, ran.out) == (2, ""), (arguments, ran.out)
        assert "--team-root" in ran.err
        assert world.rows == {("team", MINE)}


@pytest.mark.parametrize("flavor", ["rcs", "pep", "omc", "omd", "omc-20260824"])
def test_only_a_flavor_with_a_program_of_its_own_takes_a_team_root(flavor: str, bundles: Path, tmp_path: Path) -> None:
    (tmp_path / ".omni" / "runs").mkdir(parents=True)
    for arguments in (["--team-root", str(tmp_path)], [f"--team-root={tmp_path}"]):
        ran = run(
            bundles / flavor / "skills/cancel/scripts/cancel.py",
            tmp_path,
            plain_environ(tmp_path),
            "--session-id",
            MINE,
            *arguments,
        )
        assert (ran.code, ran.out) == (2, "")
        assert "--team-root" in ran.err


def test_forced_without_a_look_the_row_goes_and_the_report_does_not_call_it_complete(world: Apart) -> None:
    world.row()
    world.database.put("ralph", {"linked_team": True, "status": "running"}, MINE)
    ran = world.cancel("--force")
    assert (ran.code, ran.mode()["outcome"], ran.report["complete"]) == (1, "done", False), ran.out
    assert ran.report["message"] == ""
    assert world.rows == set()
    assert ran.warns("nobody looked", RUN)
    assert "shut down and cleaned up" not in ran.out
    words = run(world.skill / "scripts/cancel.py", world.workspace, world.environ, "--session-id", MINE)
    assert words.code == 0


def test_a_dry_run_of_a_forced_cancel_without_a_look_is_not_called_complete_either(world: Apart) -> None:
    world.row()
    ran = world.cancel("--force", "--dry-run")
    assert (ran.code, ran.report["complete"], world.rows) == (1, False, {("team", MINE)}), ran.out


def test_forced_without_a_look_the_words_say_so_too(world: Apart) -> None:
    world.row()
    ran = run(world.skill / "scripts/cancel.py", world.workspace, world.environ, "--session-id", MINE, "--force")
    assert ran.code == 1
    assert "nobody looked" in ran.out
    assert f'Team "{RUN}", of which only the record is known to be gone:' in ran.out
    assert "Responses received: not known" in ran.out and "Unresponsive: not known" in ran.out
    assert "Cleanup: not known" in ran.out
    assert "shut down and cleaned up" not in ran.out
    assert "All copilot-omni modes cleared" not in ran.out


def test_forced_without_a_look_the_root_slots_row_goes_with_the_global_pass(world: Apart) -> None:
    world.row(session="")
    ran = world.cancel("--force", session="")
    assert (ran.code, ran.report["complete"], world.rows) == (1, False, set()), ran.out
    assert ran.warns("nobody looked", RUN)


@pytest.mark.parametrize("body", [{}, {"run_id": None}, {"run_id": "../x"}, {"run_id": 5}, {"run_id": "team-1"}])
def test_a_row_that_names_no_run_is_not_called_stopped(body: dict[str, object], alone: None, world: Apart) -> None:
    world.database.put("team", {"name": "builders", **body}, MINE)
    ran = world.cancel()
    assert (ran.code, world.rows) == (1, {("team", MINE)}), ran.out
    assert "run" in ran.mode()["detail"]
    assert "shut down and cleaned up" not in ran.out
    ran = world.cancel("--team-root", str(world.plugin))
    assert (ran.code, world.rows) == (0, set()), ran.out


def test_a_row_that_names_no_run_stays_while_a_worker_of_no_known_row_lives(alone: None, world: Apart) -> None:
    worker = world.worker(world.run(session_id=None))
    world.database.put("team", {"name": "builders"}, MINE)
    ran = world.cancel("--team-root", str(world.plugin))
    assert (ran.code, world.rows, worker.poll()) == (1, {("team", MINE)}, None), ran.out
    assert str(worker.pid) in ran.mode()["detail"]


# --- the process table cannot be read --------------------------------------------------------------------------------------


@pytest.mark.parametrize("found", [True, False])
def test_an_unreadable_process_table_leaves_the_team_unresolved(found: bool, world: Apart) -> None:
    if found:
        world.run(root="workspace", state="done")
    world.row()
    ran = world.blind("--team-root", str(world.plugin))
    assert (ran.code, ran.mode()["outcome"], world.rows) == (1, "refused", {("team", MINE)}), ran.out
    assert "process table" in ran.mode()["detail"]
    ran = world.blind("--force")
    assert (ran.code, ran.mode()["outcome"], ran.report["complete"]) == (1, "done", False), ran.out
    assert ran.warns("nobody looked", "process table")
    assert world.rows == set()


def test_an_unreadable_process_table_leaves_a_row_that_says_cancelled_unresolved(world: Apart) -> None:
    world.row(state="cancelled")
    before = world.database.rows()
    ran = world.blind()
    assert (ran.code, world.database.rows()) == (1, before), ran.out
    assert "process table" in ran.out


# --- the row says that it is over ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("state", OVER)
@pytest.mark.parametrize("told", [True, False])
def test_a_row_that_says_over_is_not_over_while_a_worker_of_its_run_lives(told: bool, state: str, world: Apart) -> None:
    worker = world.worker(world.run(state="cancelled"))
    world.row(state=state)
    arguments = ["--team-root", str(world.plugin)] if told else []
    ran = world.cancel(*arguments)
    assert (ran.code, ran.mode()["outcome"], world.rows) == (1, "failed", {("team", MINE)}), ran.out
    assert ran.team["unresponsive"] == ["w1"]
    ran = world.cancel(*arguments, "--force")
    assert (ran.code, world.rows) == (0, set()), ran.out
    assert worker.wait(5) == -signal.SIGTERM


def test_a_row_set_to_rest_by_hand_goes_with_the_workers_that_were_stopped(world: Apart) -> None:
    worker = world.worker(world.run(), manner="polite")
    world.row(active=False)
    ran = world.cancel()
    assert (ran.code, ran.mode()["outcome"], world.rows) == (0, "done", set()), ran.out
    assert worker.wait(5) == 0


def test_a_program_read_from_the_standard_input_is_no_worker(world: Apart) -> None:
    directory = world.run()
    config = world.config(directory, "w1")
    config.write_text("{}")
    world.row()
    wrapper = world.plugin / "scripts" / "_subagent_wrapper.py"
    process = subprocess.Popen([sys.executable, "-", str(wrapper), str(config)], stdin=subprocess.PIPE)
    try:
        ran = world.cancel("--force", "--team-root", str(world.plugin))
        assert (ran.code, process.poll()) == (0, None), ran.out
    finally:
        process.kill()
        process.communicate()


def test_an_explicit_false_is_not_believed_either(world: Apart) -> None:
    worker = world.worker(world.run(state="cancelled"))
    world.row(active=False)
    ran = world.cancel()
    assert (ran.code, worker.poll(), world.rows) == (1, None, {("team", MINE)}), ran.out


@pytest.mark.parametrize("state", OVER)
@pytest.mark.parametrize("told", [True, False])
def test_a_row_that_says_over_is_over_and_left_when_no_process_of_its_run_is_left(
    told: bool, state: str, world: Apart
) -> None:
    world.row(state=state)
    before = world.database.rows()
    ran = world.cancel(*(["--team-root", str(world.plugin)] if told else []))
    assert (ran.code, ran.report["message"]) == (0, "No active copilot-omni modes detected."), ran.out
    assert world.database.rows() == before


def test_a_row_that_says_over_is_looked_at_where_there_is_no_runs_directory_at_all(world: Apart) -> None:
    directory = world.run(root="plugin")
    worker = world.worker(directory)
    shutil.rmtree(world.workspace / ".omni")
    world.row(state="done")
    ran = world.cancel()
    assert (ran.code, worker.poll(), ran.team["unresponsive"]) == (1, None, ["w1"]), ran.out


def test_a_nested_row_names_its_run_too(world: Apart) -> None:
    worker = world.worker(world.run())
    world.database.put("team.w1", {"run_id": RUN, "slug": "w1", "state": "cancelled"}, MINE)
    ran = world.cancel()
    assert (ran.code, worker.poll()) == (1, None), ran.out


def test_the_root_slots_row_is_not_over_either_while_its_worker_lives(world: Apart) -> None:
    worker = world.worker(world.run(session=""))
    world.row(session="", state="cancelled")
    ran = world.cancel(session="")
    assert (ran.code, worker.poll(), world.rows) == (1, None, {("team", "")}), ran.out
    ran = world.cancel("--force", session="")
    assert worker.wait(5) == -signal.SIGTERM
    assert world.rows == set(), ran.out


def test_what_the_products_own_cancel_writes_does_not_end_a_worker(world: Apart) -> None:
    """`omni_team.py cancel` rewrites the row and every status at once, and its workers may outlive it."""
    directory = world.run()
    worker = world.worker(directory)
    subprocess.run(
        [sys.executable, world.plugin / "scripts/omni_team.py", "cancel", RUN, "--reason", "by hand"], check=True
    )
    world.database.put("team", {"run_id": RUN, "state": "cancelled", "cancel_reason": "by hand"}, MINE)
    assert json.loads((directory / "status.json").read_text())["state"] == "cancelled"
    ran = world.cancel()
    assert (ran.code, worker.poll()) == (1, None), ran.out


# --- who is a worker -------------------------------------------------------------------------------------------------------


def impostors(world: Apart, config: Path) -> list[list[str]]:
    other = world.base / "other.py"
    other.write_text("import time; time.sleep(60)\n")
    wrapper = world.plugin / "scripts" / "_subagent_wrapper.py"
    return [
        ["tail", "-f", str(config)],
        ["tail", "-f", str(wrapper), str(config)],
        [sys.executable, str(other), str(config)],
        [sys.executable, str(other), str(wrapper), str(config)],
        [sys.executable, "-c", "import time; time.sleep(60)", str(wrapper), str(config)],
        ["sh", "-c", "sleep 60; :", str(wrapper), str(config)],
        [sys.executable, "-u", str(other), "-", str(wrapper), str(config)],
    ]


@pytest.mark.parametrize("number", range(7))
@pytest.mark.parametrize("told", [True, False])
def test_only_the_products_wrapper_on_the_runs_file_is_a_worker(told: bool, number: int, world: Apart) -> None:
    directory = world.run()
    config = world.config(directory, "w1")
    config.write_text("{}")
    world.row()
    process = bystander(*impostors(world, config)[number])
    try:
        began = time.monotonic()
        ran = world.cancel("--force", *(["--team-root", str(world.plugin)] if told else []))
        assert time.monotonic() - began < 5
        assert process.poll() is None
        assert world.rows == set()
        # With the root told the run's directory was looked at; without it nobody looked.
        assert (ran.code, ran.report["complete"]) == ((0, True) if told else (1, False)), ran.out
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize("number", range(7))
def test_a_plain_cancel_does_not_wait_for_a_bystander(number: int, world: Apart) -> None:
    directory = world.run()
    config = world.config(directory, "w1")
    config.write_text("{}")
    world.row()
    process = bystander(*impostors(world, config)[number])
    try:
        ran = world.cancel("--team-root", str(world.plugin))
        assert (ran.code, world.rows, ran.team["unresponsive"]) == (0, set(), []), ran.out
        assert process.poll() is None
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize("options", [["-u"], ["-B", "-u"], ["-X", "utf8"], ["-W", "ignore", "-u"]])
def test_options_of_the_interpreter_do_not_hide_a_worker(options: list[str], world: Apart) -> None:
    worker = world.worker(world.run(), options=options)
    world.row()
    ran = world.cancel("--force")
    assert (ran.code, ran.team["killed"]) == (0, 1), ran.out
    assert worker.wait(5) == -signal.SIGTERM


def test_a_worker_of_another_run_is_left_alone(world: Apart) -> None:
    mine, others = world.run(), world.run(OTHER, session="s2")
    worker, stranger = world.worker(mine), world.worker(others)
    world.row()
    world.database.put("team", {"run_id": OTHER, "state": "dispatched"}, "s2")
    ran = world.cancel("--force", "--team-root", str(world.plugin), "--mode", "ralph")
    assert worker.poll() is None and stranger.poll() is None, ran.out
    ran = world.cancel("--team-root", str(world.plugin))
    assert (ran.code, stranger.poll()) == (1, None), ran.out
    assert not (others / "cancel.signal").exists()


def test_a_relative_argument_is_read_from_where_the_worker_stands(world: Apart) -> None:
    directory = world.run()
    config = world.config(directory, "w1")
    worker = world.worker(directory, argument=str(config.relative_to(world.plugin)), cwd=world.plugin)
    world.row()
    ran = world.cancel("--force")
    assert (ran.code, ran.team["killed"]) == (0, 1), ran.out
    assert worker.wait(5) == -signal.SIGTERM


def test_another_users_processes_are_nobodys_evidence(world: Apart) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can start a process of another user")
    directory = world.run(root="workspace")
    for path in (world.base, *world.base.parents):
        if path.stat().st_mode & 0o005 != 0o005:
            pytest.skip("the place is closed to other users")
    worker = world.worker(directory, user=65534)
    world.row()
    ran = world.cancel()
    assert (ran.code, worker.poll()) == (0, None), ran.out


def test_dry_run_says_how_a_run_found_by_evidence_would_be_stopped(world: Apart) -> None:
    directory = world.run()
    worker = world.worker(directory)
    world.row()
    ran = run(
        world.skill / "scripts/cancel.py", world.workspace, world.environ, "--session-id", MINE, "--force", "--dry-run"
    )
    assert (ran.code, worker.poll()) == (0, None), ran.out
    assert f"{directory}/cancel.signal" in ran.out
    assert f"end {worker.pid} (w1)" in ran.out


def status_of(world: Apart) -> Any:
    ran = run(world.skill / "scripts/cancel.py", world.workspace, world.environ, "status", "--json")
    return json.loads(ran.out)["sessions"][0]["modes"]


def test_status_calls_a_cancelled_team_active_while_a_worker_of_it_lives(world: Apart) -> None:
    world.row(state="cancelled")
    assert [mode["active"] for mode in status_of(world)] == [False]
    world.worker(world.run())
    assert [mode["active"] for mode in status_of(world)] == [True]
