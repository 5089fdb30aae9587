"""Real releases of two products: the changes that their verdicts name are found."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.client]


@cache
def packed(name: str, version: str) -> str:
    """Return the archive of a release, fetched once by the registry's own client."""
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "skillgen-tests" / "packed"
    base.mkdir(parents=True, exist_ok=True)
    path = base / f"{name}-{version}.tgz"
    if not path.exists():
        if not shutil.which("npm"):
            pytest.skip("npm is absent; no release can be fetched")
        command = ["npm", "pack", "--silent", "--pack-destination", str(base), f"{name}@{version}"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        if done.returncode and not os.environ.get("CI"):
            pytest.skip(f"npm pack failed: {done.stderr.strip()[-200:]}")
        assert done.returncode == 0, done.stderr
    return str(path)


def compared(name: str, old: str, new: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "skillgen", "watch", packed(name, old), packed(name, new), "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 1, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def said(found: dict[str, Any], state: str, kind: str) -> set[str]:
    side = "before" if state == "gone" else "after"
    facts = [move[side] for move in found["moves"] if move["state"] == state]
    return {fact["value"] for fact in facts if fact["kind"] == kind}


def test_oh_my_codex_from_0_20_3_to_0_21_6() -> None:
    found = compared("oh-my-codex", "0.20.3", "0.21.6")
    assert (found["old"]["version"], found["new"]["version"]) == ("0.20.3", "0.21.6")
    assert "state_clear" in said(found, "gone", "tool"), "two state tools became read-only"
    assert ".omx/state/ultrawork-state.json" in said(found, "gone", "artifact")
    assert "tmux" in said(found, "gone", "team")
    skills = {(each["name"], each["state"]) for each in found["packages"] if each["kind"] == "skill"}
    assert {("ralph", "stub"), ("ultrawork", "stub"), ("pipeline", "stub"), ("swarm", "removed")} <= skills
    assert next(each["detail"] for each in found["packages"] if each["name"] == "cancel") == "from 399 to 40 lines"
    came = " ".join(block["said"] for block in found["unexplained"]["came"])
    moved = json.dumps(found["moves"])
    assert "--all" in came or "--all" in moved, "that `--all` is refused now was passed over"


def test_oh_my_claudecode_from_4_4_4_to_5_5_0() -> None:
    found = compared("oh-my-claude-sisyphus", "4.4.4", "5.5.0")
    assert any(
        move["after"]["value"] == "split"
        for move in found["moves"]
        if move["after"] and move["after"]["kind"] == "flags"
    )
    assert "cancel-signal-state.json" in said(found, "new", "signal")
    assert "skill-active" in said(found, "new", "final")
    assert ".omc/ultragoal/" in said(found, "new", "preserved")
    assert "OMC_SESSION_ID" in said(found, "new", "variable")


def test_a_release_against_itself_says_nothing() -> None:
    path = packed("oh-my-codex", "0.21.6")
    done = subprocess.run(
        [sys.executable, "-m", "skillgen", "watch", path, path], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0 and "Nothing moved in meaning." in done.stdout
