"""Bundles rendered once, and a PATH that holds only what a test gives it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from .shell_world import Shell

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def bundles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "skillgen", "build", "--out", str(out)]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return out


@pytest.fixture(params=["bash", "bash --posix"])
def shell(request: pytest.FixtureRequest, bundles: Path, tmp_path: Path) -> Shell:
    return Shell(bundles, tmp_path, request.param.split())


@pytest.fixture
def one_shell(bundles: Path, tmp_path: Path) -> Shell:
    return Shell(bundles, tmp_path, ["bash"])
