"""Flavors hold beside the published programs, the adopted flavor of a stranger's fork among them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.client]
HERE = Path(__file__).parent


def skillgen(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "skillgen", *arguments], capture_output=True, text=True, timeout=900, check=False
    )


def conform(flavor: str, *arguments: str) -> dict[str, Any]:
    """Return the report of a flavor that breaks no law; skip where the program cannot be had outside CI."""
    done = skillgen("conform", flavor, "--json", *arguments)
    if done.returncode == 2 and not os.environ.get("CI"):
        pytest.skip(done.stderr.strip())
    assert done.returncode in (0, 1), done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    broken = [verdict for verdict in report["verdicts"] if verdict["state"] == "broken" and verdict["law"] != "own"]
    assert not broken, broken
    return report


def proven(report: dict[str, Any], law: str) -> set[str]:
    return {each["mode"] for each in report["verdicts"] if each["law"] == law and each["state"] == "proven"}


def test_omc_holds_beside_the_published_program() -> None:
    report = conform("omc")
    assert report["version"] == "5.5.0"
    assert proven(report, "gone") >= {"autopilot", "ralph", "ultragoal", "team", "omc-teams", "plan-consensus"}
    assert proven(report, "hook") >= {"autopilot", "ralph", "ultragoal", "team", "omc-teams"}
    assert proven(report, "calls") >= {"autopilot", "ralph", "ultragoal", "team", "plan-consensus", "self-improve"}
    for law in ("identity", "subdirectory", "worktree", "link", "corrupt", "foreign", "lock", "all", "tool"):
        assert proven(report, law), law


def test_a_fork_that_was_adopted_without_a_hand_edit_holds_beside_its_own_program(tmp_path: Path) -> None:
    driving = HERE / "omcp.conform.yaml"
    shutil.copy(driving, tmp_path)
    # Its text lies in the program that the conform file installs.
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "skillgen/programs"
    (tmp_path / "omcp.yaml").write_text("base: omc\n")
    conform("omcp", "--flavors", str(tmp_path), "--scenario", "tools")
    text = next(cache.glob("oh-my-copilot-*/node_modules/oh-my-copilot/skills/cancel/SKILL.md"))
    (tmp_path / "new").mkdir()
    adopted = skillgen("adopt", str(text), "-o", str(tmp_path / "new" / "omcp.yaml"))
    assert adopted.returncode in (0, 1), adopted.stderr
    shutil.copy(driving, tmp_path / "new")
    report = conform("omcp", "--flavors", str(tmp_path / "new"))
    assert proven(report, "gone") >= {"autopilot", "ralph", "ultragoal", "team", "plan-consensus"}
    assert proven(report, "hook") >= {"autopilot", "ralph", "ultragoal", "team"}
