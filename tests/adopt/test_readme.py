"""The three commands of the README take a copy to a bundle under its own names, as they stand there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
COPY = ROOT / "tests" / "audit" / "corpus" / "08-opencode-tmux.md"


def test_the_three_commands_of_the_readme_take_a_copy_to_a_bundle(tmp_path: Path) -> None:
    section = re.search(
        r"<!-- adopt: begin -->\n```bash\n(.*?)```\n<!-- adopt: end -->", (ROOT / "README.md").read_text(), re.DOTALL
    )
    assert section
    skill = tmp_path / "skills" / "cancel" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    shutil.copy(COPY, skill)
    program = tmp_path / "bin" / "skillgen"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}/generator" exec "{sys.executable}" -m skillgen "$@"\n')
    program.chmod(0o755)
    environment = os.environ | {"PATH": f"{program.parent}:{os.environ['PATH']}"}

    def run(command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, env=environment, check=False
        )

    audit, adopt, build = (run(line) for line in section[1].splitlines())
    assert audit.returncode in (0, 1), audit.stderr
    assert adopt.returncode == build.returncode == 0, adopt.stderr + build.stderr
    text = (tmp_path / "dist" / "mine" / "skills" / "cancel" / "SKILL.md").read_text()
    assert "DELTA" in text
    assert "$delta:cancel" in text, "the host of the bundle knows no other form"
    assert "`/delta-stop` of the product's own text" in (tmp_path / "dist" / "mine" / "README.md").read_text()
    assert ".delta/state" in text
    assert "grade A" in run("skillgen audit dist/mine --no-shellcheck").stdout
    into = run("skillgen sync --flavor mine --flavors flavors --adopt-lock .")
    assert into.returncode == 0, into.stdout + into.stderr
    assert "$delta:cancel" in skill.read_text()
