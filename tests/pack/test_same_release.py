"""The whole release of every flavor is the same bytes from two installations on two Pythons, and under another clock."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from test_same_bytes import interpreters

ROOT = Path(__file__).parents[2]
FLAVORS = ("omc", "omd", "omni", "omx", "pep", "rcs")
OTHER_CLOCK = """
import time, datetime
time.time = lambda: 2209032000.0
time.time_ns = lambda: 2209032000 * 10**9
"""


def sums(skillgen: list[str], out: Path, umask: int = 0o022, **env: str) -> dict[str, bytes]:
    """Pack with an installed skillgen; return the checksums of every flavor, which cover every other file."""
    clean = {"PATH": os.environ["PATH"], "HOME": str(out.parent), **env}
    done = subprocess.run(
        [*skillgen, "pack", "--out", str(out)], cwd=out.parent, env=clean, capture_output=True, text=True, umask=umask
    )
    assert done.returncode == 0, done.stderr
    return {flavor: (out / flavor / "SHA256SUMS").read_bytes() for flavor in FLAVORS}


def test_another_clock_home_zone_locale_and_umask_give_the_same_release(tmp_path: Path) -> None:
    (tmp_path / "clock").mkdir()
    (tmp_path / "clock" / "sitecustomize.py").write_text(OTHER_CLOCK)
    here = [sys.executable, "-m", "skillgen"]
    surroundings = {
        "PYTHONPATH": str(tmp_path / "clock"),
        "TZ": "Pacific/Chatham",
        "LC_ALL": "tr_TR.UTF-8",
        "HOME": "/nonexistent",
        "PYTHONHASHSEED": "7",
    }
    assert sums(here, tmp_path / "a") == sums(here, tmp_path / "b", umask=0o077, **surroundings)


@pytest.mark.slow
@pytest.mark.client
def test_a_wheel_on_another_python_gives_the_same_release(tmp_path: Path) -> None:
    others = interpreters()[1:]
    if not others:
        pytest.skip("no second Python of 3.11 or newer on this machine")
    expected = sums([sys.executable, "-m", "skillgen"], tmp_path / "here")
    for number, python in enumerate(others[-2:]):
        venv = tmp_path / f"venv{number}"
        subprocess.run([python, "-m", "venv", venv], check=True)
        subprocess.run([venv / "bin/pip", "install", "--quiet", str(ROOT)], check=True, capture_output=True)
        assert sums([str(venv / "bin/skillgen")], tmp_path / f"out{number}") == expected, python
