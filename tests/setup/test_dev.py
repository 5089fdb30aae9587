"""The one file that a newcomer runs says what is missing, in words, and leaves nothing half-made."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    (tmp_path / "generator").mkdir()
    shutil.copy(ROOT / "generator" / "dev.py", tmp_path / "generator")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def run(
    checkout: Path, *arguments: str, python: str = sys.executable, **variables: str
) -> subprocess.CompletedProcess[str]:
    command = [python, str(checkout / "generator" / "dev.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, **variables})


def test_a_python_without_venv_is_told_which_package_to_install(checkout: Path) -> None:
    blocked = checkout / "blocked"
    blocked.mkdir()
    (blocked / "ensurepip.py").write_text("raise ImportError\n")
    result = run(checkout, "flavors", PYTHONPATH=str(blocked))
    assert result.returncode == 2
    assert "apt install python3-venv" in result.stderr
    assert not (checkout / ".venv").exists()


def test_an_old_python_is_told_that_it_is_too_old(checkout: Path) -> None:
    shims = checkout / "bin"
    shims.mkdir()
    pretend = checkout / "old.py"
    pretend.write_text(
        "import runpy, sys\nsys.version_info = (3, 8, 18)\nsys.argv = sys.argv[1:]\nrunpy.run_path(sys.argv[0], run_name='__main__')\n"
    )
    command = [sys.executable, str(pretend), str(checkout / "generator" / "dev.py"), "flavors"]
    result = subprocess.run(command, capture_output=True, text=True, env={"PATH": str(shims)})
    assert result.returncode == 2
    assert "needs Python 3.11 or newer; this is 3.8" in result.stderr


def test_help_needs_nothing_installed(checkout: Path) -> None:
    result = run(checkout, "--help")
    assert result.returncode == 0
    assert "build --flavor omc" in result.stdout
    assert not (checkout / ".venv").exists()
