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
