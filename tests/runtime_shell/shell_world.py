"""Run cancel.sh where only the named programs are on PATH."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

NEEDED = ("date", "mv", "rm", "cp", "git")
DIRECTORY = {"omx": ".omx", "omc": ".omc", "omd": ".omd", "pep": ".pep", "rcs": ".rcs", "omni": ".omni"}


@dataclass(frozen=True, slots=True)
class Run:
    exit: int
    stdout: str
    stderr: str

    @property
    def report(self) -> dict[str, Any]:
        report: dict[str, Any] = json.loads(self.stdout)
        return report

    def outcomes(self) -> dict[str, str]:
        return {mode["mode"]: mode["outcome"] for session in self.report["sessions"] for mode in session["modes"]}


class Shell:
    def __init__(self, bundles: Path, base: Path, bash: list[str]) -> None:
        self.bundles = bundles
        self.bash = [shutil.which(bash[0]) or bash[0], *bash[1:]]
        self.project = base / "project"
        self.project.mkdir()
        self.home = base / "home"
        self.home.mkdir()
        self.bin = base / "bin"
        self.bin.mkdir()
        for name in NEEDED:
            self.provide(name)
        environ = {"HOME": str(self.home), "PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": "/dev/null"}
        subprocess.run(["git", "init", "-q", str(self.project)], check=True, env=environ)

    def provide(self, name: str, script: str = "") -> None:
        path = self.bin / name
        path.unlink(missing_ok=True)
        if script:
            path.write_text(script)
            path.chmod(0o755)
        else:
            found = shutil.which(name)
            assert found, f"{name} is not installed"
            path.symlink_to(found)

    def script(self, flavor: str) -> Path:
        return self.bundles / flavor / "skills" / "cancel" / "scripts" / "cancel.sh"

    def state(self, flavor: str) -> Path:
        return self.project / DIRECTORY[flavor] / "state"

    def session(self, flavor: str, session: str = "s1") -> Path:
        path = self.state(flavor) / "sessions" / session
        path.mkdir(parents=True, exist_ok=True)
        return path

    def record(self, flavor: str, mode: str, body: object = None, session: str = "s1") -> Path:
        path = self.session(flavor, session) / f"{mode}-state.json"
        text = (
            body
            if isinstance(body, str)
            else json.dumps({"active": True, "session_id": session} if body is None else body)
        )
        path.write_text(text)
        return path

    def environ(self, **more: str) -> dict[str, str]:
        return {"PATH": str(self.bin), "HOME": str(self.home), **more}

    def run(self, flavor: str, *arguments: str, cwd: Path | None = None, **environ: str) -> Run:
        """Without python3, unless a test has provided one."""
        command = [*self.bash, str(self.script(flavor)), *arguments]
        done = subprocess.run(
            command,
            cwd=cwd or self.project,
            env=self.environ(**environ),
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        return Run(done.returncode, done.stdout, done.stderr)

    def python(self, flavor: str, *arguments: str, cwd: Path | None = None) -> Run:
        """The same by cancel.py."""
        command = [sys.executable, str(self.script(flavor).with_name("cancel.py")), *arguments]
        done = subprocess.run(
            command, cwd=cwd or self.project, env=self.environ(), capture_output=True, text=True, check=False
        )
        return Run(done.returncode, done.stdout, done.stderr)

    def tree(self) -> dict[str, str]:
        found = {}
        for path in sorted(self.project.rglob("*")):
            name = str(path.relative_to(self.project))
            if not name.startswith(".git"):
                found[name] = (
                    f"-> {path.readlink()}" if path.is_symlink() else path.read_text() if path.is_file() else ""
                )
        return found
