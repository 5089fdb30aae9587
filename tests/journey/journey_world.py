"""Walk a fork from its copy to a bundle, and hold it against the laws of that walk."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from skillgen import resources
from skillgen.cli.main import run
from skillgen.drift.own_lines import line_digest
from skillgen.load.known_lines import known_lines

ROOT = Path(__file__).parents[2]


@dataclass
class Ran:
    """What a user sees of one run."""

    code: int
    out: str
    err: str


def git(top: Path, *args: str) -> str:
    """Run git in a repository, with no configuration but its own."""
    who = ["-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    clean = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    done = subprocess.run(
        ["git", *who, "-C", top, *args], check=True, capture_output=True, text=True, env=os.environ | clean
    )
    return done.stdout


class Upstream:
    """A clone of what ships with skillgen, which moves on."""

    def __init__(self, top: Path, patch: pytest.MonkeyPatch) -> None:
        self.top = top
        for name in ("templates", "flavors"):
            shutil.copytree(ROOT / name, top / name)
        git(top, "init", "-q", "-b", "main")
        self.commit("One")
        patch.setattr(resources, "_chosen", str(top))

    def commit(self, words: str) -> None:
        git(self.top, "add", "-A")
        git(self.top, "commit", "-qm", words)

    def replace(self, path: str, before: str, after: str) -> None:
        text = (self.top / path).read_text()
        assert text.count(before) == 1, (before, text.count(before))
        (self.top / path).write_text(text.replace(before, after))
        self.commit(after[:40])


def changed(top: Path) -> set[str]:
    """Return the paths that differ from the last commit."""
    rows = git(top, "-c", "core.quotePath=false", "status", "--porcelain", "-uall").splitlines()
    return {row[3:] for row in rows}


def tree(root: Path) -> dict[str, tuple[bytes, int]]:
    """Return path -> (bytes, mode) of everything below `root`, git's own files apart."""
    return {
        path.relative_to(root).as_posix(): (path.read_bytes(), path.stat().st_mode & 0o777)
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".git" not in path.relative_to(root).parts
    }


def lost(old: str, now: str) -> list[str]:
    """Return the lines of a text that neither another text nor a published one says; the front matter apart."""
    body = old.replace("\r\n", "\n")
    if body.startswith("---\n"):
        body = body.split("\n---\n", 1)[1]
    have = {line_digest(line, ()) for line in now.split("\n")} | known_lines() | {""}
    titles = " ".join(now.split())
    return [
        line
        for line in body.split("\n")
        if line_digest(line, ()) not in have and line.lstrip("# ").strip() not in titles
    ]


def skillgen(capsys: pytest.CaptureFixture[str], patch: pytest.MonkeyPatch, *args: object) -> Ran:
    """Run `skillgen ARG…`."""
    capsys.readouterr()
    patch.setattr("sys.argv", ["skillgen", *map(str, args)])
    code = run()
    printed = capsys.readouterr()
    return Ran(code, printed.out, printed.err)
