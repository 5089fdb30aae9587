"""Give a test a workspace, a skill as it is shipped, and a way to run its script."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
SCRIPTS = ROOT / "templates/cancel/bundle/scripts"
STATE = {
    "rcs": ".rcs/state",
    "omx": ".omx/state",
    "pep": ".pep/state",
    "omc": ".omc/state",
    "omd": ".omd/state",
    "omc-20260824": ".omc/state",
}


def contract(flavor: str) -> dict[str, Any]:
    """The contract of a flavor of this repository."""
    from skillgen.build.contracts import resolve_all
    from skillgen.build.inputs import Inputs

    return json.loads(resolve_all(Inputs((), ()), [flavor])[flavor].contract.model_dump_json())


def make_skill(directory: Path, flavor: str) -> Path:
    """A skill's directory as it is shipped: the contract, the script and the modules that the contract needs."""
    from skillgen.build.inputs import Inputs
    from skillgen.render.modules import Modules

    data = contract(flavor)
    for module in Modules(Inputs((), ()).templates).needed(data):
        target = directory / module.removeprefix("cancel/bundle/")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "templates" / module, target)
    shutil.copy(SCRIPTS / "cancel.py", directory / "scripts")
    (directory / "contract.json").write_text(json.dumps(data, indent=2, ensure_ascii=False), encoding="utf-8")
    return directory


@dataclass
class Ran:
    code: int
    out: str
    err: str

    @property
    def report(self) -> dict[str, Any]:
        assert self.out, self.err
        return json.loads(self.out)

    def mode(self, key: str, session: str | None = None) -> dict[str, Any]:
        found = [
            mode
            for entry in self.report["sessions"]
            if session in (None, entry["session_id"])
            for mode in entry["modes"]
            if mode["mode"] == key
        ]
        assert len(found) == 1, (key, self.out, self.err)
        return found[0]

    def modes(self) -> list[tuple[str, str, str]]:
        return [(m["mode"], m["action"], m["outcome"]) for entry in self.report["sessions"] for m in entry["modes"]]


class World:
    def __init__(self, skill: Path, flavor: str, directory: Path) -> None:
        self.skill = skill
        self.flavor = flavor
        self.workspace = directory / "project"
        self.home = directory / "home"
        self.workspace.mkdir()
        self.home.mkdir()
        self.env = {"HOME": str(self.home), "PATH": os.environ["PATH"], "TMPDIR": str(directory)}
        self.env["PYTHONPYCACHEPREFIX"] = str(skill.parent / "bytecode")
        self.state = self.workspace / STATE.get(flavor, ".omni")

    def put(self, path: str, value: object, mode: int = 0o600) -> Path:
        """Write a record under the state directory; text and bytes as they are."""
        file = self.state / path
        file.parent.mkdir(parents=True, exist_ok=True)
        data = (
            value
            if isinstance(value, bytes)
            else (value if isinstance(value, str) else json.dumps(value, indent=2)).encode()
        )
        file.write_bytes(data)
        file.chmod(mode)
        return file

    def repository(self) -> None:
        """Make the workspace a git repository: the root of omc and pep."""
        subprocess.run(["git", "init", "-q"], cwd=self.workspace, env=self.env, check=True)

    def record(self, session: str, name: str, value: object) -> Path:
        directory = f"sessions/{session}/" if session else ""
        return self.put(f"{directory}{name}-state.json", value)

    def run(self, *arguments: str, cwd: Path | None = None, **env: str) -> Ran:
        done = subprocess.run(
            [sys.executable, self.skill / "scripts/cancel.py", *arguments],
            cwd=cwd or self.workspace,
            env={**self.env, **env},
            capture_output=True,
            timeout=60,
            check=False,
        )
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())

    def cancel(self, *arguments: str, session: str = "s1", **env: str) -> Ran:
        """`cancel.py --json` for a session."""
        chosen = ["--session-id", session] if session else []
        return self.run("--json", *chosen, *arguments, **env)

    def tree(self, root: Path | None = None) -> dict[str, tuple[int, bytes]]:
        """Every path below the workspace: mode and content."""
        found = {}
        top = root or self.workspace
        for path in sorted(top.rglob("*")):
            info = path.lstat()
            kind = str(path.readlink()).encode() if path.is_symlink() else path.read_bytes() if path.is_file() else b"/"
            found[str(path.relative_to(top))] = (info.st_mode, kind)
        return found


def read(path: Path) -> Any:
    return json.loads(path.read_text())
