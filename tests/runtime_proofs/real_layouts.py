"""Lay out workspaces in the ways that decide where oh-my-claudecode keeps its state."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path


def git(*arguments: str, cwd: Path | None = None) -> str:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "protocol.file.allow=always"]
    return subprocess.run(["git", *identity, *arguments], cwd=cwd, capture_output=True, text=True, check=True).stdout


def layout_subdirectory(base: Path) -> tuple[Path, dict[str, str]]:
    git("init", "-q", str(base / "repo"))
    (base / "repo/a/b").mkdir(parents=True)
    return base / "repo/a/b", {}


def layout_worktree(base: Path) -> tuple[Path, dict[str, str]]:
    _repository(base / "repo")
    git("worktree", "add", "-q", str(base / "linked"), cwd=base / "repo")
    return base / "linked", {}


def layout_submodule(base: Path) -> tuple[Path, dict[str, str]]:
    _repository(base / "inner")
    _repository(base / "outer")
    git("submodule", "add", "-q", str(base / "inner"), "sub", cwd=base / "outer")
    return base / "outer/sub", {}


def layout_central(base: Path) -> tuple[Path, dict[str, str]]:
    _repository(base / "my repo.x")
    return base / "my repo.x", {"OMC_STATE_DIR": str(base / "central")}


def layout_central_with_remote(base: Path) -> tuple[Path, dict[str, str]]:
    directory, env = layout_central(base)
    git("remote", "add", "origin", "https://example.org/x/y.git", cwd=directory)
    return directory, env


def layout_central_worktree(base: Path) -> tuple[Path, dict[str, str]]:
    directory, _ = layout_worktree(base)
    return directory, {"OMC_STATE_DIR": str(base / "central")}


def layout_central_submodule(base: Path) -> tuple[Path, dict[str, str]]:
    directory, _ = layout_submodule(base)
    return directory, {"OMC_STATE_DIR": str(base / "central")}


def layout_marker(base: Path) -> tuple[Path, dict[str, str]]:
    _repository(base / "group/one")
    (base / "group/.omc-workspace").write_text("")
    return base / "group/one", {}


def layout_central_marker(base: Path) -> tuple[Path, dict[str, str]]:
    directory, _ = layout_marker(base)
    return directory, {"OMC_STATE_DIR": str(base / "central")}


def layout_central_marker_with_id(base: Path) -> tuple[Path, dict[str, str]]:
    directory, _ = layout_marker(base)
    (base / "group/.omc-workspace").write_text(json.dumps({"id": "my-group"}))
    return directory, {"OMC_STATE_DIR": str(base / "central")}


def layout_marker_switched_off(base: Path) -> tuple[Path, dict[str, str]]:
    directory, _ = layout_marker(base)
    return directory, {"OMC_DISABLE_MULTIREPO": "1"}


def layout_without_git(base: Path) -> tuple[Path, dict[str, str]]:
    (base / "plain").mkdir()
    return base / "plain", {}


def layout_without_git_central(base: Path) -> tuple[Path, dict[str, str]]:
    (base / "plain").mkdir()
    return base / "plain", {"OMC_STATE_DIR": str(base / "central")}


def layout_relative_central(base: Path) -> tuple[Path, dict[str, str]]:
    _repository(base / "repo")
    return base / "repo", {"OMC_STATE_DIR": "state-here"}


def _repository(path: Path) -> None:
    git("init", "-q", str(path))
    git("commit", "-q", "--allow-empty", "-m", "x", cwd=path)


LAYOUTS = {
    name.removeprefix("layout_"): value for name, value in sorted(globals().items()) if name.startswith("layout_")
}
