"""Let the published oh-my-claudecode write state, cancel it with our script, and ask its tools and its hook."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from runtime_proofs.bundle import Result, environment, python, run, skill
from runtime_proofs.real_layouts import LAYOUTS, git
from runtime_proofs.real_omc import Server, blocks, node_environment, package

pytestmark = [pytest.mark.slow, pytest.mark.client]
BLOCKING = {
    "ralph": "executing",
    "autopilot": "execution",
    "team": "team-exec",
    "ultragoal": "executing",
    "omc-teams": "team-exec",
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    package()
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def workspace(tmp_path: Path, home: Path) -> Path:
    git("init", "-q", str(tmp_path / "ws"))
    return tmp_path / "ws"


@pytest.fixture
def server(workspace: Path, home: Path) -> Iterator[Server]:
    with Server(workspace, home) as server:
        yield server


def start(server: Server, mode: str, session: str, **more: Any) -> str:
    """Write a record as the hook enforces it: with its session and a fresh time."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    state = {"session_id": session, "last_checked_at": now, "iteration": 1, "max_iterations": 9, "prompt": "x", **more}
    said = server.call(
        "state_write",
        mode=mode,
        session_id=session,
        active=True,
        started_at=now,
        current_phase=BLOCKING[mode],
        state=state,
    )
    assert said.startswith("Successfully wrote"), said
    return said


def cancel(
    workspace: Path, home: Path, *arguments: str, session: str = "s1", env: dict[str, str] | None = None
) -> Result:
    return run("omc", [*arguments, "--json"], cwd=workspace, home=home, env={"OMC_SESSION_ID": session, **(env or {})})


@pytest.mark.parametrize("mode", sorted(BLOCKING))
def test_the_stop_hook_that_blocked_lets_go_and_the_server_reads_the_mode_as_gone(
    mode: str, server: Server, workspace: Path, home: Path
) -> None:
    start(server, mode, "s1")
    start(server, "ralph", "s2")
    assert blocks(workspace, home, "s1") and blocks(workspace, home, "s2")

    done = cancel(workspace, home, "--team-confirmed")

    assert done.exit == 0, done
    assert f"**{mode}**" not in server.call("state_list_active", session_id="s1")
    read = server.call("state_read", mode=mode, session_id="s1")
    assert "No state found" in read or (mode == "autopilot" and '"active": false' in read), read
    assert not blocks(workspace, home, "s1"), "the hook still blocks"
    assert blocks(workspace, home, "s2"), "another session was let go"
    (workspace / ".omc/state/sessions/s1/cancel-signal-state.json").unlink(missing_ok=True)
    assert not blocks(workspace, home, "s1"), "the hook let go for the signal alone"


@pytest.mark.parametrize("mode", sorted(BLOCKING))
@pytest.mark.parametrize("whose", ["ours", "another session", "another project", "no session"])
def test_what_the_hook_holds_by_the_home_slot_is_ended_and_nothing_else_there(
    mode: str, whose: str, workspace: Path, home: Path
) -> None:
    """Facts C16: the hook reads `$HOME/.omc/state` for a record of this session and project."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    body = {
        "active": True,
        "session_id": "s1",
        "project_path": str(workspace),
        "started_at": now,
        "last_checked_at": now,
    }
    body |= {"current_phase": BLOCKING[mode], "iteration": 1, "max_iterations": 9, "prompt": "x"}
    body |= {"another session": {"session_id": "s2"}, "another project": {"project_path": "/x"}}.get(whose, {})
    if whose == "no session":
        del body["session_id"]
    path = home / f".omc/state/{mode}-state.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(body))
    assert blocks(workspace, home, "s1") == (whose == "ours")
    assert blocks(workspace, home, "s2") == (whose == "another session")
    before = path.read_bytes()  # the hook counts in it
    done = cancel(workspace, home, "--team-confirmed")
    assert done.exit == 0, done
    assert not blocks(workspace, home, "s1")
    assert whose == "ours" or path.read_bytes() == before


@pytest.mark.parametrize("owners", [{"session_id": "a"}, {"_meta": {"sessionId": "a"}, "session_id": "b"}])
def test_a_record_of_another_session_holds_whom_we_say_it_holds(
    owners: dict[str, Any], workspace: Path, home: Path
) -> None:
    """X5: complete for the directory's session only where the hook lets that session go."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    path = workspace / ".omc/state/sessions/b/ralph-state.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"active": True, "started_at": now, "last_checked_at": now, "prompt": "x", **owners}))
    done = cancel(workspace, home, session="b")
    assert (done.exit == 0) == (not blocks(workspace, home, "b")), done
    assert cancel(workspace, home, session="a").exit == 0
    assert not path.exists() and not blocks(workspace, home, "a") and not blocks(workspace, home, "b")


def test_the_signal_alone_lets_the_hook_go(server: Server, workspace: Path, home: Path) -> None:
    start(server, "ultragoal", "s1")
    assert cancel(workspace, home).exit == 0
    start(server, "ralph", "s1")
    assert not blocks(workspace, home, "s1"), "the hook does not accept our signal"
    (workspace / ".omc/state/sessions/s1/cancel-signal-state.json").unlink()
    assert blocks(workspace, home, "s1")


def test_a_paused_autopilot_resumes_with_all_it_had(server: Server, workspace: Path, home: Path) -> None:
    start(server, "autopilot", "s1", plan={"steps": ["a", "b"]}, verdicts=["ok"])
    path = workspace / ".omc/state/sessions/s1/autopilot-state.json"
    before = path.read_bytes()
    assert cancel(workspace, home).exit == 0
    assert path.read_bytes() == before.replace(b'"active": true', b'"active": false'), "bytes differ beyond the flag"
    said = server.call("state_write", mode="autopilot", session_id="s1", active=True)
    assert said.startswith("Successfully wrote"), said
    assert json.loads(path.read_bytes())["plan"] == {"steps": ["a", "b"]}


def test_all_takes_every_session_that_the_server_knows(server: Server, workspace: Path, home: Path) -> None:
    for session in ("s1", "s2", "s3"):
        start(server, "ralph", session)
    done = cancel(workspace, home, "--all", session="")
    assert done.exit == 0, done
    assert "No modes are currently active" in server.call("state_list_active", all=True)
    assert not any(blocks(workspace, home, session) for session in ("s1", "s2", "s3"))


HELD_BY_US = """
import os, sys
sys.path.insert(0, {scripts!r})
sys.argv = ["cancel.py", "--session-id", "s1"]
from cancel_runtime import ops
def hook(when, name, target):
    if when == "before" and name in ("unlink", "rename") and str(target).endswith("ralph-state.json"):
        print("held", flush=True)
        sys.stdin.readline()
ops.hook = hook
import runpy
runpy.run_path({script!r}, run_name="__main__")
"""


def test_the_server_refuses_while_our_lock_is_held(server: Server, workspace: Path, home: Path) -> None:
    start(server, "ralph", "s1")
    scripts = skill("omc") / "scripts"
    code = textwrap.dedent(HELD_BY_US).format(scripts=str(scripts), script=str(scripts / "cancel.py"))
    with subprocess.Popen(
        [python(), "-c", code],
        cwd=workspace,
        env=environment(home, {}),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as ours:
        assert ours.stdin and ours.stdout
        assert ours.stdout.readline() == "held\n"
        assert server.call("state_write", mode="ralph", session_id="s1", iteration=2).startswith("ERROR")
        cleared = server.call("state_clear", mode="ralph", session_id="s1")
        assert not cleared.startswith("Successfully"), cleared
        ours.stdin.write("\n")
        ours.stdin.flush()
        ours.stdout.read()
        assert ours.wait(timeout=20) == 0
    assert "No state found" in server.call("state_read", mode="ralph", session_id="s1")


HELD_BY_THEM = """
import { acquireStateFileLockSync, releaseStateFileLockSync } from "%s/scripts/lib/state-lock.mjs";
const lock = acquireStateFileLockSync(process.argv[2]);
console.log(lock ? "held" : "failed");
process.stdin.once("data", () => { releaseStateFileLockSync(lock); console.log("released"); process.exit(0); });
"""


def test_we_refuse_while_the_hook_s_own_lock_is_held(
    server: Server, workspace: Path, home: Path, tmp_path: Path
) -> None:
    start(server, "ralph", "s1")
    path = workspace / ".omc/state/sessions/s1/ralph-state.json"
    before = path.read_bytes()
    script = tmp_path / "hold.mjs"
    script.write_text(HELD_BY_THEM % package())
    with subprocess.Popen(
        ["node", str(script), str(path)],
        env=node_environment(home),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as theirs:
        assert theirs.stdin and theirs.stdout
        assert theirs.stdout.readline() == "held\n"
        refused = cancel(workspace, home, "--force")
        assert refused.exit == 1 and refused.report, refused
        assert "lock" in json.dumps(refused.report), refused
        assert path.read_bytes() == before
        theirs.stdin.write("x\n")
        theirs.stdin.flush()
        assert theirs.stdout.readline() == "released\n"
    assert cancel(workspace, home).exit == 0
    assert not path.exists()


def test_two_writers_and_our_cancels_leave_a_readable_state(server: Server, workspace: Path, home: Path) -> None:
    """The server writes on while we cancel; whoever is last, every record is whole and no lock is left."""
    start(server, "ralph", "s1")
    ours = [
        subprocess.Popen(
            [python(), str(skill("omc") / "scripts/cancel.py"), "--session-id", "s1"],
            cwd=workspace,
            env=environment(home, {}),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        for _ in range(4)
    ]
    for turn in range(10):
        server.call("state_write", mode="ralph", session_id="s1", active=True, iteration=turn)
    for each in ours:
        _, stderr = each.communicate(timeout=30)
        assert each.returncode in (0, 1) and b"Traceback" not in stderr, stderr
    directory = workspace / ".omc/state/sessions/s1"
    for path in directory.glob("*.json"):
        json.loads(path.read_bytes())
    assert [path.name for path in directory.iterdir() if "lock" in path.name or "tmp" in path.name] == []
    assert cancel(workspace, home).exit == 0


@pytest.mark.parametrize("layout", LAYOUTS)
def test_our_script_finds_the_state_where_the_server_put_it(
    layout: str, tmp_path: Path, memory_path: Path, home: Path
) -> None:
    directory, env = LAYOUTS[layout](memory_path if layout == "marker" else tmp_path)
    with Server(directory, home, env) as server:
        said = start(server, "ralph", "s1")
        path = Path(next(line for line in said.splitlines() if line.startswith("Path: "))[6:])
        assert path.exists(), said
        shown = run("omc", ["status", "--json"], cwd=directory, home=home, env={"OMC_SESSION_ID": "s1", **env})
        assert shown.report and Path(shown.report["root"]).resolve() == path.parents[2].resolve(), (shown, path)
        done = cancel(directory, home, env=env)
        assert done.exit == 0, done
        assert not path.exists(), f"the state is still at {path}\n{done}"


def test_lock_files_of_both_sides_look_the_same(workspace: Path, home: Path, tmp_path: Path) -> None:
    """Run their acquire and ours on one file and hold the two lock records against each other."""
    record = workspace / ".omc/state/sessions/s1/ralph-state.json"
    record.parent.mkdir(parents=True)
    record.write_text('{"active": true}')
    lock = record.with_name("ralph-state.json.mutation.lock")
    script = tmp_path / "hold.mjs"
    script.write_text(HELD_BY_THEM % package())
    with subprocess.Popen(
        ["node", str(script), str(record)],
        env=node_environment(home),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as theirs:
        assert theirs.stdin and theirs.stdout and theirs.stdout.readline() == "held\n"
        their_lock = json.loads(lock.read_bytes())
        theirs.communicate("x\n", timeout=10)
    scripts = skill("omc") / "scripts"
    code = textwrap.dedent(HELD_BY_US).format(scripts=str(scripts), script=str(scripts / "cancel.py"))
    with subprocess.Popen(
        [python(), "-c", code],
        cwd=workspace,
        env=environment(home, {}),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as ours:
        assert ours.stdin and ours.stdout and ours.stdout.readline() == "held\n"
        our_lock = json.loads(lock.read_bytes())
        ours.communicate("\n", timeout=10)
    assert list(our_lock) == list(their_lock)
    assert {key: type(value) for key, value in our_lock.items()} == {
        key: type(value) for key, value in their_lock.items()
    }
    assert our_lock["version"] == their_lock["version"] and uuid.UUID(our_lock["nonce"])
    if sys.platform == "linux":
        assert our_lock["processStart"].isdigit()
