"""The walk-through of the README carries one changed fact into five forks, on a clean clone, as it stands there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from sync_world import git

ROOT = Path(__file__).parents[2]
SECTION = re.compile(r"<!-- walk-through: begin -->\n```bash\n(.*?)```\n<!-- walk-through: end -->", re.DOTALL)


def commands() -> str:
    found = SECTION.search((ROOT / "README.md").read_text())
    if found is None:
        pytest.skip("the README has no walk-through yet")
    return found[1]


@pytest.mark.slow
def test_the_walk_through_of_the_readme_works_on_a_clean_clone(tmp_path: Path) -> None:
    script = commands()
    clone = tmp_path / "clone"
    for name in ("generator", "templates", "flavors"):
        shutil.copytree(ROOT / name, clone / name, ignore=shutil.ignore_patterns("__pycache__"))
    git(clone, "init", "-q")
    git(clone, "add", "-A")
    git(clone, "commit", "-qm", "Clone")
    (clone / "bin").mkdir()
    program = clone / "bin" / "skillgen"
    program.write_text(f'#!/bin/sh\nPYTHONPATH="{clone}/generator" exec "{sys.executable}" -m skillgen "$@"\n')
    program.chmod(0o755)
    environment = os.environ | {"PATH": f"{clone / 'bin'}:{os.environ['PATH']}", "XDG_CACHE_HOME": str(tmp_path)}
    ran = subprocess.run(
        ["bash", "-eu", "-c", script], cwd=clone, capture_output=True, text=True, env=environment, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "exit 1\n" in ran.stdout
    assert ran.stdout.count("5 forks: 5 are as they should be") == 2
    assert ran.stdout.count("people before a global pass.") >= 5
    assert "stale" in (clone / "build/message").read_text()
    for fork in (clone / "build/forks").iterdir():
        assert '"stale_s": 14400' in (fork / "skills/cancel/contract.json").read_text()
        assert "## House rule" in (fork / "skills/cancel/SKILL.md").read_text()
