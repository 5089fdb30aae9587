"""The README's way from a moved upstream to a current bundle works as it stands there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from watch.family import BASE, PLANTED
from watch.test_watch import package

ROOT = Path(__file__).parents[2]


def test_the_readme_s_commands_bring_a_moved_message_into_the_fork(tmp_path: Path) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    match = re.search(r"<!-- watch: begin -->\n```bash\n(.*?)```\n<!-- watch: end -->", text, re.DOTALL)
    assert match
    package(tmp_path, "loom", "1.0.0", BASE.text())
    package(tmp_path, "loom", "1.1.0", PLANTED["message changed"][0].text())
    (tmp_path / "flavors").mkdir()
    (tmp_path / "SKILL.md").write_text(BASE.text(), encoding="utf-8")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    script = "git init -q . && skillgen adopt SKILL.md -o flavors/mine.yaml\n"
    script += "skillgen build mine --flavors flavors --into .\n" + match[1]
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=tmp_path,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "modes.ralph.message" in done.stdout
    assert "Ralph ended. The loop is over." in (tmp_path / "skills/cancel/contract.json").read_text()
