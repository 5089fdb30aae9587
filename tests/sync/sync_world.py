"""Run the command line on forks made in a temporary directory."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from skillgen.build.inputs import Inputs
from skillgen.build.into import build_into
from skillgen.cli.main import run

SKILL = "skills/cancel/SKILL.md"


@dataclass
class Ran:
    """What a user sees of one run."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Cli = Callable[..., Ran]


@pytest.fixture
def skillgen(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    """Run `skillgen ARG…`; returns the exit code and what was printed."""

    def call(*args: str | os.PathLike[str]) -> Ran:
        capsys.readouterr()
        monkeypatch.setattr("sys.argv", ["skillgen", *map(os.fspath, args)])
        code = run()
        printed = capsys.readouterr()
        return Ran(code, printed.out, printed.err)

    return call


def build_fork(flavor: str, path: Path) -> Path:
    """Build a flavor into a fork for the tests that follow."""
    assert not build_into(Inputs((), ()), flavor, str(path), check=False).left
    return path


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fork that carries the current omc bundle, built once; copy it."""
    path = tmp_path_factory.mktemp("built") / "fork"
    return build_fork("omc", path)


@pytest.fixture
def fork(tmp_path: Path, built: Path) -> Path:
    """A fork that carries the current omc bundle, unedited."""
    return Path(shutil.copytree(built, tmp_path / "fork"))


def tree(root: Path) -> dict[str, tuple[bytes, int]]:
    """Return path -> (bytes, mode) of everything below `root`, git's own files apart."""
    return {
        str(path.relative_to(root)): (path.read_bytes(), path.stat().st_mode & 0o777)
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".git" not in path.relative_to(root).parts
    }


@pytest.fixture(scope="session")
def built_old(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fork that carries the older omc bundle, built once; copy it."""
    path = tmp_path_factory.mktemp("built-old") / "fork"
    return build_fork("omc-20260824", path)


@pytest.fixture
def old(tmp_path: Path, built_old: Path) -> Path:
    """A fork that carries the older omc bundle, unedited."""
    return Path(shutil.copytree(built_old, tmp_path / "old"))


def states(ran: Ran) -> dict[str, tuple[str, bool]]:
    """Return path -> (state, edited) of all files of one fork that are not simply current."""
    (fork,) = ran.json["forks"]
    return {
        file["path"]: (file["state"], file["edited"])
        for file in fork["files"]
        if file["state"] != "current" or file["detail"]
    }


def detail(ran: Ran, path: str) -> str:
    (fork,) = ran.json["forks"]
    return next(str(file["detail"]) for file in fork["files"] if file["path"] == path)


def edit(path: Path, before: str, after: str) -> None:
    """Replace a text that stands exactly once in a file."""
    text = path.read_bytes().decode()
    assert text.count(before) == 1, (before, text.count(before))
    path.write_bytes(text.replace(before, after).encode())


def git(top: Path, *args: str) -> str:
    """Run git in a repository, with no configuration but its own."""
    who = ["-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    clean = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    done = subprocess.run(
        ["git", *who, "-C", top, *args], check=True, capture_output=True, text=True, env=os.environ | clean
    )
    return done.stdout
