"""Inside a clone of skillgen a command never ignores the clone's edits without a word."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """What makes a clone, with one edit in its flavors; the running skillgen is another one."""
    clone = tmp_path / "clone"
    for name in ("templates", "flavors"):
        shutil.copytree(ROOT / name, clone / name)
    (clone / "generator/skillgen").mkdir(parents=True)
    for name in ("pyproject.toml", "generator/skillgen/__init__.py"):
        shutil.copy(ROOT / name, clone / name)
    path = clone / "flavors/omd.yaml"
    path.write_text(path.read_text().replace("title: oh-my-dsh", "title: Edited"))
    return clone


def explain(cwd: Path, *more: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "skillgen", "explain", "omd", "product.title", *more]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def test_other_data_than_the_clone_s_are_said_and_here_takes_the_clone_s(clone: Path) -> None:
    inside = clone / "templates"
    done = explain(inside)
    assert '"oh-my-dsh"' in done.stdout
    assert done.stderr.splitlines() == [
        f"skillgen: flavors and templates are those of {ROOT}, not of the clone {clone}; --here takes these"
    ]
    done = explain(inside, "--here")
    assert '"Edited"' in done.stdout and done.stderr == ""


def test_a_directory_that_merely_has_flavors_is_never_taken(tmp_path: Path, clone: Path) -> None:
    shutil.copytree(clone / "flavors", tmp_path / "flavors")
    done = explain(tmp_path)
    assert '"oh-my-dsh"' in done.stdout and done.stderr == ""
    done = explain(tmp_path, "--here")
    assert done.returncode == 2 and "lies in none" in done.stderr


def test_the_running_skillgen_s_own_clone_needs_no_word() -> None:
    assert explain(ROOT).stderr == ""
