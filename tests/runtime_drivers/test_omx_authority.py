"""omx: whose session it is where two sources tell it, where its state lies, what keeps its writers out, and what --force drops."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).parents[2]


class Project:
    """A project of omx with a live process that its session file names."""

    def __init__(self, base: Path, bundle: Path) -> None:
        self.base = base
        self.script = bundle / "skills" / "cancel" / "scripts" / "cancel.py"
        self.top = base / "project"
        self.state = self.top / ".omx" / "state"
        self.state.mkdir(parents=True)
        (self.top / ".git").mkdir()
        self.process = subprocess.Popen(["sleep", "300"])

    def claim(self, session: str = "s1", top: Path | None = None, **more: object) -> None:
        top = top or self.top
        state = top / ".omx" / "state"
        state.mkdir(parents=True, exist_ok=True)
        stat = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        body = {
            "session_id": session,
            "pid": self.process.pid,
            "pid_start_ticks": int(stat[19]),
            "pid_cmdline": "sleep 300",
        }
        body |= {"cwd": str(top), "state_root": str(state), **more}
        (state / "session.json").write_text(json.dumps(body))

    def record(self, session: str, mode: str = "ralph", top: Path | None = None) -> Path:
        path = (top or self.top) / ".omx" / "state" / "sessions" / session / f"{mode}-state.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"active": True, "owner_omx_session_id": session, "current_phase": "executing"}))
        return path

    def cancel(self, *arguments: str, cwd: Path | None = None, **environ: str) -> tuple[int, dict[str, Any], str]:
        own = {"PATH": os.environ["PATH"], "HOME": str(self.base), **environ}
        command = [sys.executable, str(self.script), "--json", *arguments]
        done = subprocess.run(command, cwd=cwd or self.top, env=own, capture_output=True, text=True, check=False)
        return done.returncode, json.loads(done.stdout or "{}"), done.stderr


@pytest.fixture
def project(bundles: Path, tmp_path: Path) -> Iterator[Project]:
    if not Path("/proc/self/stat").exists():
        pytest.skip("the start of a process is read from /proc here")
    one = Project(tmp_path.resolve(), bundles / "omx")
    yield one
    one.process.kill()
    one.process.wait()


def active(path: Path) -> bool:
    return bool(json.loads(path.read_text())["active"])


# --- two sources of one identity -------------------------------------------------------------------------------------------


def test_a_variable_and_a_live_session_file_that_disagree_are_refused(project: Project) -> None:
    project.claim("s1")
    records = [project.record(session) for session in ("s1", "s2")]
    code, _, said = project.cancel(OMX_SESSION_ID="s2")
    assert code == 2
    for word in ("OMX_SESSION_ID", "'s2'", "session.json", "'s1'", "--session-id"):
        assert word in said
    assert all(map(active, records))
    assert project.cancel("--session-id", "s2", OMX_SESSION_ID="s2")[0] == 0
    assert [active(record) for record in records] == [True, False]


@pytest.mark.parametrize("alias", ["native_session_id", "codex_session_id", "owner_omx_session_id"])
def test_another_id_of_the_same_session_means_that_session(project: Project, alias: str) -> None:
    project.claim("s1", **{alias: "thread-9"})
    record = project.record("s1")
    assert project.cancel(OMX_SESSION_ID="thread-9")[0] == 0
    assert not active(record)


def test_a_session_file_whose_process_is_gone_binds_nobody(project: Project) -> None:
    project.claim("s1", pid=2**22 - 1)
    record = project.record("s2")
    assert project.cancel(OMX_SESSION_ID="s2")[0] == 0
    assert not active(record)


def test_a_variable_that_plays_no_part_in_the_products_writes_need_not_agree(project: Project) -> None:
    project.claim("s1")
    record = project.record("s2")
    assert project.cancel(CODEX_SESSION_ID="s2")[0] == 0
    assert not active(record)


def test_the_shell_script_refuses_a_variable_that_the_session_file_does_not_name(project: Project) -> None:
    project.claim("s1")
    project.record("s2")
    shell = project.script.with_suffix(".sh")
    tools = project.base / "bin"
    tools.mkdir()
    for name in ("date", "mv", "rm", "cp", "jq", "git"):
        if (
            found := next((p for p in map(Path, os.environ["PATH"].split(":")) if (p / name).exists()), None)
        ) is not None:
            (tools / name).symlink_to(found / name)
    bash = next(str(p / "bash") for p in map(Path, os.environ["PATH"].split(":")) if (p / "bash").exists())
    own = {"PATH": str(tools), "HOME": str(project.base), "OMX_SESSION_ID": "s2"}
    done = subprocess.run([bash, str(shell)], cwd=project.top, env=own, capture_output=True, text=True, check=False)
    assert (done.returncode, "session.json mean one session" in done.stderr) == (2, True), done.stderr
    project.claim("s2")
    done = subprocess.run([bash, str(shell)], cwd=project.top, env=own, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


# --- the climb by a session's authority ------------------------------------------------------------------------------------


def test_a_session_that_claims_the_directory_is_found_from_below(project: Project) -> None:
    project.claim("s1")
    record = project.record("s1")
    below = project.top / "a" / "b"
    below.mkdir(parents=True)
    code, report, _ = project.cancel(cwd=below, OMX_SESSION_ID="s1")
    assert (code, report["places"], active(record)) == (0, [str(project.state)], False)


@pytest.mark.parametrize("told", [{}, {"state_root": None}, {"state_root": 5}])
def test_from_a_repository_within_too_and_without_a_root_that_is_told_the_claim_holds(
    project: Project, told: dict[str, object]
) -> None:
    """As the program: `state_root` that is no text is the state below `cwd` (`discoverSessionAuthorityBaseStateDir`)."""
    project.claim("s1", **told)
    record = project.record("s1")
    below = project.top / "vendor" / "a"
    (project.top / "vendor" / ".git").mkdir(parents=True)
    below.mkdir()
    code, report, said = project.cancel(cwd=below, OMX_SESSION_ID="s1")
    assert (code, report["places"], active(record)) == (0, [str(project.state)], False), said


@pytest.mark.parametrize(
    "claim",
    [
        {"cwd": "/somewhere/else"},
        {"state_root": "/somewhere/else/.omx/state"},
        {"session_id": "s9"},
        {"pid": 2**22 - 1},
        {"cwd": None},
    ],
)
def test_a_file_that_does_not_prove_its_claim_is_not_followed(project: Project, claim: dict[str, object]) -> None:
    project.claim(**{"session": "s1", **claim} if "session_id" not in claim else {"session": "s9"})  # type: ignore[arg-type]
    record = project.record("s1")
    below = project.top / "a"
    below.mkdir()
    code, _, said = project.cancel(cwd=below, OMX_SESSION_ID="s1")
    # What is active above is never called absent, and not touched either.
    assert (code, active(record), "--workspace" in said) == (2, True, True)


def test_two_directories_that_claim_one_session_are_refused(project: Project) -> None:
    inner = project.top / "inner"
    for top in (project.top, inner):
        project.claim("s1", top)
        project.record("s1", top=top)
    below = inner / "a"
    below.mkdir()
    code, _, said = project.cancel(cwd=below, OMX_SESSION_ID="s1")
    assert code == 2 and str(project.top) in said and str(inner) in said


def test_an_override_and_a_told_workspace_win_over_the_climb(project: Project) -> None:
    project.claim("s1")
    record = project.record("s1")
    below = project.top / "a"
    below.mkdir()
    other = project.base / "other"
    project.claim("s1", other)
    own = project.record("s1", top=other)
    assert project.cancel(cwd=below, OMX_SESSION_ID="s1", OMX_ROOT=str(other))[0] == 0
    assert (active(record), active(own)) == (True, False)
    own = project.record("s1", top=other)
    assert project.cancel("--workspace", str(other), cwd=below, OMX_SESSION_ID="s1")[0] == 0
    assert (active(record), active(own)) == (True, False)


def test_a_claim_outside_the_allowed_roots_is_refused(project: Project) -> None:
    project.claim("s1")
    record = project.record("s1")
    below = project.top / "a"
    below.mkdir()
    code, _, said = project.cancel(cwd=below, OMX_SESSION_ID="s1", OMX_MCP_WORKDIR_ROOTS=str(project.base / "other"))
    assert (code, active(record)) == (2, True) and "OMX_MCP_WORKDIR_ROOTS" in said


# --- the product's locks ---------------------------------------------------------------------------------------------------


def mutex(project: Project, mode: str = "ralph") -> Path:
    """The file that the product locks for a mode, in the directory that it made and pinned."""
    space = project.top / ".omx-state-locks"
    space.mkdir(mode=0o700, exist_ok=True)
    found = space.stat()
    marker = {"dev": found.st_dev, "ino": found.st_ino}
    (project.top / ".omx-state-locks.identity.json").write_text(json.dumps(marker) + "\n")
    key = hashlib.sha256(str(project.state / f"{mode}-state.json").encode()).hexdigest()
    return space / f"{key}.mutex"


def test_a_record_waits_for_the_products_writer_and_is_ended_after_it(project: Project) -> None:
    record = project.record("s1")
    path = mutex(project)
    with path.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        let_go = threading.Timer(1.5, lambda: fcntl.flock(held, fcntl.LOCK_UN))
        let_go.start()
        began = time.monotonic()
        code, _, _ = project.cancel("--session-id", "s1")
        assert time.monotonic() - began > 1.4
        let_go.join()
    assert (code, active(record)) == (0, False)


def test_a_lock_of_another_mode_is_no_reason_to_wait(project: Project) -> None:
    record = project.record("s1")
    with mutex(project, "autopilot").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        began = time.monotonic()
        assert project.cancel("--session-id", "s1")[0] == 0
        assert time.monotonic() - began < 8
    assert not active(record)


@pytest.mark.slow
def test_a_record_that_is_held_for_long_stays_and_is_unresolved(project: Project) -> None:
    record = project.record("s1")
    with mutex(project).open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        code, report, _ = project.cancel("--session-id", "s1")
    [mode] = report["sessions"][0]["modes"]
    assert (code, mode["outcome"], active(record)) == (1, "failed", True)
    assert "another program writes ralph-state.json" in mode["detail"]


@pytest.mark.parametrize("how", ["another directory", "linked directory", "linked file", "two names", "garbage"])
def test_a_lock_that_is_not_the_products_is_not_taken(project: Project, how: str) -> None:
    record = project.record("s1")
    path = mutex(project)
    elsewhere = project.base / "elsewhere"
    marker = project.top / ".omx-state-locks.identity.json"
    if how == "another directory":
        marker.write_text('{"dev": 1, "ino": 1}\n')
    if how == "garbage":
        marker.write_text("{")
    if how == "linked directory":
        path.parent.rename(elsewhere)
        path.parent.symlink_to(elsewhere)
    if how == "linked file":
        elsewhere.write_text("kept")
        path.symlink_to(elsewhere)
    if how == "two names":
        path.write_text("")
        os.link(path, path.parent / "other")
    code, report, _ = project.cancel("--session-id", "s1")
    assert (code, report["sessions"][0]["modes"][0]["outcome"], active(record)) == (1, "failed", True)


def test_where_the_product_never_made_a_lock_none_is_made(project: Project) -> None:
    project.record("s1")
    assert project.cancel("--session-id", "s1")[0] == 0
    assert not (project.top / ".omx-state-locks").exists()


# --- an entry of a map keyed by session ------------------------------------------------------------------------------------


def stops(project: Project) -> list[Path]:
    body = {"sessions": {"s1": {"last_signature": "a"}, "s2": {"last_signature": "b"}}, "kept": 1}
    paths = [project.state / "native-stop-state.json", project.state / "sessions" / "s1" / "native-stop-state.json"]
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(body))
    return paths


def test_force_drops_the_sessions_own_entry_and_no_other(project: Project) -> None:
    project.record("s1")
    paths = stops(project)
    before = [path.read_bytes() for path in paths]
    assert project.cancel("--session-id", "s1")[0] == 0
    assert [path.read_bytes() for path in paths] == before
    project.record("s1")
    code, report, _ = project.cancel("--session-id", "s1", "--force")
    assert (code, {m["mode"] for m in report["sessions"][0]["modes"]}) == (0, {"ralph", "native-stop"})
    for path in paths:
        assert json.loads(path.read_text()) == {"sessions": {"s2": {"last_signature": "b"}}, "kept": 1}


def test_a_map_that_cannot_be_read_stays_and_is_unresolved(project: Project) -> None:
    record = project.record("s1")
    path, _ = stops(project)
    path.write_text("{")
    code, _, _ = project.cancel("--session-id", "s1", "--force")
    assert (code, path.read_text(), active(record)) == (1, "{", False)
