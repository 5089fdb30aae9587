"""Find pinned clients, install them where CI asks for it, and run them away from the user's own home."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
CACHE = Path(
    os.environ.get("SKILLGEN_CLIENTS")
    or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "skillgen-clients"
)
NEEDS = {"dsh": ("dsh-tools",)}


def client(name: str) -> str:
    """Return the client's path. One that is missing is installed under CI and fails there; elsewhere the test skips."""
    if not _found(name) and os.environ.get("CI"):
        done = _install(*NEEDS.get(name, ()), name)
        if done.returncode:
            pytest.fail(f"{name} cannot be installed: {done.stderr[-2000:]}")
    found = _found(name)
    if not found:
        if os.environ.get("CI"):
            pytest.fail(f"{name} is not there after tests/clients/install {name}")
        pytest.skip(f"{name} is not installed; tests/clients/install {name} fetches it")
    return found


def _found(name: str) -> str:
    """Return where the client lies whose versions are those of its pin; "" where others or none are installed."""
    done = _install("--find", name)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def _install(*arguments: str) -> subprocess.CompletedProcess[str]:
    # The tests' own cache directory is not where the clients are.
    env = {**os.environ, "SKILLGEN_CLIENTS": str(CACHE)}
    return subprocess.run([str(HERE / "install"), *arguments], capture_output=True, text=True, env=env, check=False)


@dataclass(frozen=True)
class Home:
    """A throw-away home; programs that run in it see neither the user's settings nor the network's proxies."""

    path: Path
    env: dict[str, str] = field(default_factory=dict)

    def run(self, *arguments: object, cwd: Path | None = None, env: Mapping[str, str] | None = None) -> Result:
        tools = f"{CACHE}/dsh-tools/node_modules/node/bin:{CACHE}/dsh-tools/node_modules/.bin:"
        clean = {
            "PATH": (tools if "dsh" in str(arguments[0]) else "") + os.environ["PATH"],
            "HOME": str(self.path),
            "TMPDIR": str(self.path),
            "TERM": "dumb",
            "NO_COLOR": "1",
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "COPILOT_AUTO_UPDATE": "false",
            "DISABLE_TELEMETRY": "1",
            "DO_NOT_TRACK": "1",
            **self.env,
            **(env or {}),
        }
        done = subprocess.run(
            [str(argument) for argument in arguments],
            cwd=cwd or self.path,
            env=clean,
            capture_output=True,
            text=True,
            timeout=120,
            stdin=subprocess.DEVNULL,
        )
        return Result(done.returncode, done.stdout, done.stderr)


def files_of(root: Path) -> dict[str, tuple[bytes, bool]]:
    """Return content and executable bit of every file below."""
    return {
        str(path.relative_to(root)): (path.read_bytes(), bool(path.stat().st_mode & 0o100))
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str

    @property
    def text(self) -> str:
        return self.out + self.err

    def json(self) -> Any:
        return json.loads(self.out)
