"""Whatever lies where records should be, a run ends soon, in an exit code and clear lines, and changes nothing outside its state."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from runtime_proofs.bundle import FLAVORS, contract, run

ACTIVE = b'{"active": true, "session_id": "s1", "team_name": "t", "current_phase": "x"}'
PLACES = (
    *("", "sessions", "sessions/s1", "sessions/s2", "team", "team/t", "checkpoints", "omni.db"),
    *("ralph-state.json", "skill-active-state.json", "swarm.db", "cancel-signal-state.json", "mission-state.json"),
    *("sessions/s1/ralph-state.json", "sessions/s1/autopilot-state.json", "sessions/s1/team-state.json"),
    *("sessions/s1/forge-state.json", "sessions/s1/ultragoal-state.json", "sessions/s1/cancel-signal-state.json"),
    *(
        "sessions/s1/ralph-state.json.lock",
        "sessions/s2/ralph-state.json",
        "team/t/config.json",
        "team/t/workers/a/identity.json",
    ),
)
BODIES = {
    "active": ACTIVE,
    "deep": b'{"active": true, "x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "NUL": b'{"active": true}\x00\x00',
    "name of another": b'{"active": true, "session_id": "../../victim", "team_name": "../../victim", "worktree": "../victim"}',
    "escapes": b'{"active": true, "current_phase": "\\u001b]0;T\\u0007\\n::error::x\\u202e", "session_id": "s1"}',
    "a process number": b'{"active": true, "pid": %d, "panes": ["%%0"], "workers": [{"pid": %d, "name": "a"}]}',
    "binary": bytes(range(256)) * 8,
    "empty": b"",
}
KINDS = (
    *BODIES,
    "fifo",
    "socket",
    "device",
    "link to a file",
    "link to a directory",
    "link to itself",
    "directory",
    "huge",
    "unreadable",
)


def lay(place: Path, kind: str, base: Path, pid: int) -> None:
    """Put something at a place, over whatever is there; what cannot be put is left out."""
    with contextlib.suppress(OSError):
        if place.is_dir() and not place.is_symlink():
            shutil.rmtree(place)
        place.unlink(missing_ok=True)
        place.parent.mkdir(parents=True, exist_ok=True)
        if kind in BODIES:
            data = BODIES[kind]
            place.write_bytes(data.replace(b"%d", str(pid).encode()) if kind == "a process number" else data)
        elif kind == "fifo":
            os.mkfifo(place)
        elif kind == "socket":
            _socket(place)
        elif kind == "device":
            os.mknod(place, stat.S_IFCHR | 0o600, os.makedev(1, 5))  # endless zeros
        elif kind == "link to itself":
            place.symlink_to(place.name)
        elif kind.startswith("link"):
            place.symlink_to(base / "victim" / ("ralph-state.json" if kind.endswith("file") else ""))
        elif kind == "directory":
            place.mkdir()
        elif kind == "huge":
            place.write_bytes(ACTIVE)
            os.truncate(place, 3 << 30)
        elif kind == "unreadable":
            place.write_bytes(ACTIVE)
            place.chmod(0)


def root_of(base: Path, flavor: str) -> Path:
    """Where the flavor's state lies by default."""
    root = contract(flavor)["root"]
    if root["kind"] == "database":
        return base / "home" / root["home"]
    return base / "ws" / root["directory"] / root["state"]


def _socket(place: Path) -> None:
    # A socket's address is short, so it is bound where a path is.
    with tempfile.TemporaryDirectory(dir="/tmp") as near, socket.socket(socket.AF_UNIX) as server:
        server.bind(f"{near}/s")
        Path(near, "s").rename(place)


@contextlib.contextmanager
def swapping(directory: Path, target: Path) -> Iterator[None]:
    """Turn a directory into a link to elsewhere, and back, for as long as the run takes."""
    done = threading.Event()

    def swap() -> None:
        aside = directory.with_name(directory.name + ".aside")
        while not done.is_set():
            with contextlib.suppress(OSError):
                directory.rename(aside)
                directory.symlink_to(target)
                time.sleep(0.002)
                directory.unlink()
                aside.rename(directory)
                time.sleep(0.002)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def snapshot(base: Path) -> dict[str, Any]:
    return {
        str(path.relative_to(base)): path.read_bytes() if path.is_file() else None
        for name in ("victim", "ws/src", "home/own")
        for path in sorted((base / name).rglob("*"))
    }


def law(base: Path, flavor: str, put: list[tuple[str, str]], arguments: list[str], how: str, swap: bool) -> None:
    shutil.rmtree(base, ignore_errors=True)
    for name in (
        "victim/ralph-state.json",
        "victim/s1/ralph-state.json",
        "ws/src/ralph-state.json",
        "home/own/keep.txt",
    ):
        (base / name).parent.mkdir(parents=True, exist_ok=True)
        (base / name).write_bytes(ACTIVE)
    root = root_of(base, flavor)
    sleeper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    try:
        for name in ("ralph", "autopilot", "forge"):
            lay(root / f"sessions/s1/{name}-state.json", "active", base, 0)
        for name, kind in put:
            lay(root / name, kind, base, sleeper.pid)
        before = snapshot(base)
        around = swapping(root / "sessions/s1", base / "victim") if swap else contextlib.nullcontext()
        with around:
            done = run(flavor, arguments, cwd=base / "ws", home=base / "home", how=how, timeout=60)
        said = done.stdout + done.stderr
        assert done.exit in (0, 1, 2), done
        assert "Traceback" not in said, done
        assert snapshot(base) == before, done
        assert sleeper.poll() is None, f"a process that was no worker was ended: {done}"
        assert said.strip() and not [char for char in said if ord(char) < 32 and char not in "\n\t"], done
        assert "\u202e" not in said and "\n::error" not in said, done
        if done.exit == 2:
            assert done.stdout == "", done
    finally:
        sleeper.kill()
        sleeper.wait()


ARGUMENTS = ([], ["--json"], ["--dry-run"], ["--force"], ["status"], ["explain"])


@st.composite
def states(draw: st.DrawFn) -> tuple[str, list[tuple[str, str]], list[str], str, bool]:
    put = draw(st.lists(st.tuples(st.sampled_from(PLACES), st.sampled_from(KINDS)), min_size=1, max_size=4))
    how = draw(st.sampled_from(["py", "py", "py", "bare"]))
    arguments = draw(st.sampled_from([*ARGUMENTS, ["--all"]]))
    if arguments != ["--all"]:
        arguments = (
            [*arguments, "--session-id", "s1"]
            if arguments in (["status"], ["explain"])
            else ["--session-id", "s1", *arguments]
        )
    return draw(st.sampled_from(FLAVORS)), put, list(arguments), how, draw(st.sampled_from([False, False, True]))


fuzz = settings(
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@settings(fuzz, max_examples=12)
@given(states())
def test_a_state_of_anything_ends_in_an_exit_code_and_nothing_outside_is_changed(
    tmp_path: Path, given_values: tuple[str, list[tuple[str, str]], list[str], str, bool]
) -> None:
    flavor, put, arguments, how, swap = given_values
    law(tmp_path / "b", flavor, put, arguments, how, swap)


@pytest.mark.slow
@settings(fuzz, max_examples=250)
@given(states())
def test_many_states_of_anything_change_nothing_outside(
    tmp_path: Path, given_values: tuple[str, list[tuple[str, str]], list[str], str, bool]
) -> None:
    flavor, put, arguments, how, swap = given_values
    law(tmp_path / "b", flavor, put, arguments, how, swap)
