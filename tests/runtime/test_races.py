"""What another program does while a cancel runs."""

from __future__ import annotations

import json
import shutil
import sys

import pytest
from tests.runtime.conftest import Worlds
from tests.runtime.world import SCRIPTS

if str(SCRIPTS) not in sys.path:
    sys.path.insert(0, str(SCRIPTS))

from cancel_runtime import ops
from cancel_runtime.run import main


@pytest.mark.parametrize("anew", [False, True])
def test_a_record_that_comes_back_is_no_success(
    world: Worlds, anew: bool, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    w = world("pep")
    path = w.record("s1", "ralph", {"active": True})

    def write_again(when: str, name: str, target: str) -> None:
        if (when, name, target) == ("after", "unlink", str(path)):
            if anew:
                shutil.rmtree(path.parent)
                path.parent.mkdir()
            path.write_text('{"active": true}')

    monkeypatch.setattr(ops, "hook", write_again)
    monkeypatch.chdir(w.workspace)
    monkeypatch.setenv("HOME", str(w.home))
    assert main(["--session-id", "s1", "--json"], str(w.skill)) == 1
    report = json.loads(capfdbinary.readouterr().out)
    (mode,) = report["sessions"][0]["modes"]
    assert (mode["outcome"], mode["message"]) == ("failed", "")
    assert "again" in mode["detail"]
    assert path.exists()


def test_a_record_that_came_to_rest_by_itself_keeps_its_bytes(
    world: Worlds, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    w = world("pep")
    path = w.record("s1", "ralph", {"active": True})

    def rest(when: str, name: str, target: str) -> None:
        if (when, name) == ("after", "lock"):
            path.write_text('{"active":false, "done":1}')

    monkeypatch.setattr(ops, "hook", rest)
    monkeypatch.chdir(w.workspace)
    monkeypatch.setenv("HOME", str(w.home))
    assert main(["--session-id", "s1", "--json"], str(w.skill)) == 0
    capfdbinary.readouterr()
    assert path.read_text() == '{"active":false, "done":1}'


def test_a_record_that_another_session_took_meanwhile_is_not_changed(
    world: Worlds, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    w = world("omc")
    w.repository()
    path = w.record("s1", "ralph", {"active": True, "session_id": "s1"})
    theirs = '{"active": true, "session_id": "s2"}'

    def take(when: str, name: str, target: str) -> None:
        if (when, name, target) == ("after", "lock", str(path) + ".mutation.lock"):
            path.write_text(theirs)

    monkeypatch.setattr(ops, "hook", take)
    monkeypatch.chdir(w.workspace)
    monkeypatch.setenv("HOME", str(w.home))
    assert main(["--session-id", "s1", "--json"], str(w.skill)) == 1
    (mode,) = json.loads(capfdbinary.readouterr().out)["sessions"][0]["modes"]
    assert (mode["mode"], mode["outcome"]) == ("ralph", "failed")
    assert "s2" in mode["detail"]
    assert path.read_text() == theirs


def test_an_owner_waits_for_a_terminal_record_that_is_active_again(
    world: Worlds, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    w = world("rcs")
    linked = w.record("s1", "ultrawork", {"active": True})
    forge = w.record("s1", "forge", {"active": True, "linked_ultrawork": True})
    before = forge.read_bytes()

    def write_again(when: str, name: str, target: str) -> None:
        if (when, name, target) == ("after", "rename", str(linked)):
            linked.write_text('{"active": true}')

    monkeypatch.setattr(ops, "hook", write_again)
    monkeypatch.chdir(w.workspace)
    monkeypatch.setenv("HOME", str(w.home))
    assert main(["--session-id", "s1", "--json"], str(w.skill)) == 1
    found = {m["mode"]: m for m in json.loads(capfdbinary.readouterr().out)["sessions"][0]["modes"]}
    assert {key: mode["outcome"] for key, mode in found.items()} == {"ultrawork": "failed", "forge": "refused"}
    assert "is active again" in found["ultrawork"]["detail"]
    assert forge.read_bytes() == before
