"""A lock file of oh-my-claudecode is taken from nobody who lives, and from nobody who cannot be judged."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.runtime.conftest import Worlds
from tests.runtime.world import SCRIPTS

if str(SCRIPTS) not in sys.path:
    sys.path.insert(0, str(SCRIPTS))

from cancel_runtime import ops, processes
from cancel_runtime.disk import Directory, open_directory
from cancel_runtime.lock_files import LockFile
from cancel_runtime.ops import Unresolved

NONCE = "01234567-89ab-cdef-0123-456789abcdef"
CREATED = "2026-09-12T00:00:00.000Z"


@pytest.fixture
def state(tmp_path: Path) -> Iterator[Directory]:
    directory = open_directory(str(tmp_path))
    yield directory
    directory.close()


@pytest.fixture
def gone() -> int:
    """The number of a process that has ended."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    return ended.pid


def owner(pid: int, start: str, nonce: str = NONCE) -> str:
    return json.dumps({"version": 1, "pid": pid, "processStart": start, "createdAt": CREATED, "nonce": nonce})


def test_a_lock_that_another_took_meanwhile_is_put_back(
    state: Directory, tmp_path: Path, gone: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = tmp_path / "ralph-state.json.mutation.lock"
    lock.write_text(owner(gone, "1"))
    theirs = owner(os.getpid(), processes.own_start(), "f" + NONCE[1:])

    def another_reclaims_it_first(when: str, name: str, target: str) -> None:
        if (when, name, target) == ("before", "rename", str(lock)):
            lock.unlink()
            lock.write_text(theirs)

    monkeypatch.setattr(ops, "hook", another_reclaims_it_first)
    with pytest.raises(Unresolved, match="held by another process"), LockFile(state, lock.name, "s1", 2, 0):
        pass
    assert lock.read_text() == theirs
    assert [path.name for path in tmp_path.iterdir()] == [lock.name]


def test_a_lock_of_an_owner_that_is_gone_is_taken(state: Directory, tmp_path: Path, gone: int) -> None:
    lock = tmp_path / "ralph-state.json.mutation.lock"
    lock.write_text(owner(gone, "1"))
    with LockFile(state, lock.name, "s1", 2, 0) as taken:
        assert json.loads(lock.read_text())["nonce"] == taken.nonce
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "change",
    [
        {"version": 2},
        {"version": True},
        {"version": None},
        {"pid": 0},
        {"pid": -1},
        {"pid": True},
        {"pid": "7"},
        {"processStart": ""},
        {"processStart": 1},
        {"processStart": "1 2"},
        {"createdAt": ""},
        {"createdAt": "today"},
        {"createdAt": 1},
        {"nonce": ""},
        {"nonce": NONCE[:-1]},
        {"nonce": "z" + NONCE[1:]},
        {"nonce": None},
    ],
    ids=str,
)
def test_a_lock_whose_owner_cannot_be_told_is_nobody_s_to_take(
    world: Worlds, gone: int, change: dict[str, object]
) -> None:
    omc = world("omc")
    omc.repository()
    record = omc.record("s1", "ralph", {"active": True})
    lock = omc.put("sessions/s1/ralph-state.json.mutation.lock", {**json.loads(owner(gone, "1")), **change})
    before = lock.read_bytes()
    ran = omc.cancel()
    assert (ran.code, ran.mode("ralph")["outcome"]) == (1, "failed")
    assert "malformed" in ran.mode("ralph")["detail"]
    assert (record.exists(), lock.read_bytes()) == (True, before)


def test_a_registry_that_another_program_holds_keeps_its_bytes(world: Worlds) -> None:
    omc = world("omc")
    omc.repository()
    omc.record("s1", "team", {"active": True, "team_name": "blue"})
    workers = {"workers": [{"agentId": "w1@blue"}, {"agentId": "w2@green"}]}
    registry = omc.put("team-mcp-workers.json", workers)
    before = registry.read_bytes()
    held = omc.put("team-mcp-workers.json.lock", "")
    ran = omc.cancel("--all", "--force", session="")
    assert ran.code == 1
    assert registry.read_bytes() == before
    assert "is held by another program" in ran.out
    held.unlink()
    omc.record("s1", "team", {"active": True, "team_name": "blue"})
    omc.cancel("--all", "--force", session="")
    assert json.loads(registry.read_text()) == {"workers": [{"agentId": "w2@green"}]}
