"""An installed skillgen builds what the checkout builds, from any directory."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_pip_install_into_an_empty_environment_builds_the_same_bundles(tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv/bin/python"
    installed = subprocess.run(
        [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", ROOT],
        capture_output=True,
        text=True,
        check=False,
    )
    if installed.returncode and "No matching distribution" in installed.stderr:
        pytest.skip("no package index can be reached")
    assert installed.returncode == 0, installed.stderr
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    command = [tmp_path / "venv/bin/skillgen", "build", "--out", "out"]
    built = subprocess.run(command, cwd=elsewhere, env=environment, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    fresh, golden = elsewhere / "out", ROOT / "dist"
    names = sorted(path.relative_to(fresh) for path in fresh.rglob("*") if path.is_file())
    assert len(names) > 100
    for name in names:
        if name.name != "skillgen.lock":
            assert (fresh / name).read_bytes() == (golden / name).read_bytes(), name
            assert os.access(fresh / name, os.X_OK) == os.access(golden / name, os.X_OK), name
    again = subprocess.run([*command, "--check"], cwd=elsewhere, env=environment, capture_output=True, check=False)
    assert again.returncode == 0
    assert sys.prefix not in built.stdout
