"""What stands where a record should be, and directories that cannot be read or written."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.runtime.conftest import Worlds
from tests.runtime.world import World

UNPRIVILEGED = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"]


def fifo(path: Path) -> None:
    os.mkfifo(path)


def directory(path: Path) -> None:
    path.mkdir()
    (path / "x").touch()


def huge(path: Path) -> None:
    with path.open("wb") as file:
        file.write(b'{"active": true, "x": "' + b"x" * 50_000_000 + b'"}')


def deep(path: Path) -> None:
    path.write_text('{"active": true, "x": ' + "[" * 200_000 + "]" * 200_000 + "}")


def odd_bytes(path: Path) -> None:
    path.write_bytes(b'{"active": true, "x": "\xff"}')


@pytest.mark.parametrize("make", [fifo, directory, huge, deep, odd_bytes])
@pytest.mark.parametrize("flavor", ["rcs", "omc"])
def test_what_is_no_record_is_unresolved_and_stays(world: Worlds, flavor: str, make: Callable[[Path], None]) -> None:
    w = world(flavor)
    subprocess.run(["git", "init", "-q"], cwd=w.workspace, check=True)
    other = w.record("s1", "pipeline", {"active": True})
    path = w.state / "sessions/s1/autopilot-state.json"
    make(path)
    ran = w.cancel()
    assert ran.code == 1
    assert ran.mode("autopilot")["outcome"] == "failed"
    assert str(path) in ran.mode("autopilot")["detail"]
    assert os.path.lexists(path)
    assert not other.exists()
    assert w.run("status", "--session-id", "s1").code == 1


@pytest.mark.skipif(os.geteuid() == 0 and not shutil.which("setpriv"), reason="needs setpriv to give up root's rights")
@pytest.mark.parametrize("what", ["sessions/s1", "sessions", "", "sessions/s1/ralph-state.json"])
@pytest.mark.parametrize("mode", [0o000, 0o555])
@pytest.mark.parametrize("flags", [[], ["--force"]])
def test_what_cannot_be_read_or_written_stays_and_is_said(
    world: Worlds, what: str, mode: int, flags: list[str]
) -> None:
    w = world("pep")
    path = w.record("s1", "ralph", {"active": True})
    if what.endswith("json") and mode == 0o555:
        pytest.skip("a record that cannot be written can still be removed")
    shut = w.state / what
    kept = shut.stat().st_mode & 0o777
    shut.chmod(mode)
    command = [sys.executable, w.skill / "scripts/cancel.py", "--session-id", "s1", *flags]
    limited = UNPRIVILEGED if os.geteuid() == 0 else []
    done = subprocess.run([*limited, *command], cwd=w.workspace, env=w.env, capture_output=True, text=True, check=False)
    shut.chmod(kept)
    assert done.returncode in ((1, 2) if mode == 0 else (0, 1)), done.stderr
    assert "Traceback" not in done.stderr
    if done.returncode == 2:
        assert done.stdout == ""
    if done.returncode:
        assert str(w.state) in done.stdout + done.stderr
    # Where only the directories above cannot be written, the record goes and the empty directory stays.
    assert path.exists() == (bool(done.returncode) and not (mode == 0o555 and flags and what in ("sessions", "")))


def test_control_characters_of_a_record_do_not_reach_the_terminal(world: Worlds) -> None:
    w = world("pep")
    w.record("s1", "autopilot", '{"active": true, "phase": "a\\u001b[31mb"}')
    ran = w.run("--session-id", "s1")
    assert "\x1b" not in ran.out
    assert "a\\x1b[31mb" in ran.out


def test_a_report_nobody_reads_does_not_undo_anything(world: Worlds) -> None:
    w = world("pep")
    path = w.record("s1", "ralph", {"active": True})
    command = [sys.executable, w.skill / "scripts/cancel.py", "--session-id", "s1"]
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(command, cwd=w.workspace, env=w.env, stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")
    assert not path.exists()


def test_sixteen_cancels_at_once_all_succeed(world: Worlds) -> None:
    w = world("rcs")
    w.record("s1", "forge", {"active": True})
    w.record("s1", "pipeline", {"active": True})
    command = [sys.executable, w.skill / "scripts/cancel.py", "--session-id", "s1", "--json"]
    runs = [subprocess.Popen(command, cwd=w.workspace, env=w.env, stdout=subprocess.DEVNULL) for _ in range(16)]
    assert [run.wait() for run in runs] == [0] * 16
    assert sorted(path.name for path in (w.state / "sessions/s1").iterdir()) == ["forge-state.json"]


def test_a_lock_on_the_state_directory_is_waited_for(world: Worlds) -> None:
    import fcntl
    import threading

    w: World = world("pep")
    path = w.record("s1", "ralph", {"active": True})
    fd = os.open(w.state, os.O_RDONLY)
    fcntl.flock(fd, fcntl.LOCK_EX)
    timer = threading.Timer(0.6, lambda: fcntl.flock(fd, fcntl.LOCK_UN))
    timer.start()
    assert w.run("--session-id", "s1", "--dry-run").code == 0
    assert w.run("status").code == 0
    assert w.cancel().code == 0
    timer.join()
    os.close(fd)
    assert not path.exists()


@pytest.mark.parametrize("kind", ["directory", "pipe"])
def test_what_is_no_regular_file_is_no_record_and_its_kind_is_told(world: Worlds, kind: str) -> None:
    w = world("pep")
    path = w.record("s1", "ralph", {"active": True})
    path.unlink()
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.mkdir()
    ran = w.cancel()
    assert (ran.code, ran.mode("ralph")["outcome"]) == (1, "failed")
    said = "is not a regular file" if kind == "pipe" else "is a directory"
    assert said in ran.mode("ralph")["detail"]
    assert path.exists()
