"""The two commands of the README take a copy to a bundle under its own names, and keep it in sync, as they stand there."""

from __future__ import annotations

import os
import pty
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
COPY = ROOT / "tests" / "audit" / "corpus" / "08-opencode-tmux.md"


def test_the_two_commands_of_the_readme_take_a_copy_to_a_bundle_in_sync(tmp_path: Path) -> None:
    section = re.search(
        r"<!-- adopt: begin -->\n```bash\n(.*?)```\n<!-- adopt: end -->", (ROOT / "README.md").read_text(), re.DOTALL
    )
    assert section
    fork = tmp_path / "fork"
    skill = fork / "skills" / "cancel" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    shutil.copy(COPY, skill)
    program = tmp_path / "bin" / "skillgen"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}/generator" exec "{sys.executable}" -m skillgen "$@"\n')
    program.chmod(0o755)
    git = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    environment = os.environ | git | {"PATH": f"{program.parent}:{os.environ['PATH']}"}

    def run(command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["bash", "-c", command],
            cwd=fork,
            capture_output=True,
            text=True,
            env=environment,
            stdin=terminal,
            check=False,
        )

    # A maintainer who takes what harms least, and then says yes.
    master, terminal = pty.openpty()
    os.write(master, b"l\ny\n" * 10)

    run("git init -q . && git add -A && git -c user.name=T -c user.email=t@example.org commit -qm 'By hand'")
    adopt, sync = (run(line) for line in section[1].splitlines())
    os.close(master)
    os.close(terminal)
    assert adopt.returncode == sync.returncode == 0, adopt.stdout + adopt.stderr + sync.stdout + sync.stderr
    assert "-> A" in adopt.stdout
    text = skill.read_text()
    assert "DELTA" in text
    assert "$delta:cancel" in text, "the host of the bundle knows no other form"
    assert ".delta/state" in text
    (terminal,) = (subprocess.DEVNULL,)
    assert "grade A" in run("skillgen audit skills/cancel --no-shellcheck").stdout
    assert run("skillgen sync --check .").returncode == 0
    flavor = next((fork / "flavors").glob("*.yaml")).stem
    build = run(f"skillgen build --flavor {flavor} --flavors flavors")
    assert build.returncode == 0, build.stderr
    assert "`/delta-stop` of the product's own text" in (fork / "dist" / flavor / "README.md").read_text()
