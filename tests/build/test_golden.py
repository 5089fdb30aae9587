"""`dist/` is what a build writes: every byte and mode, nothing missing, nothing extra."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skillgen.build.inputs import Inputs
from skillgen.build.locks import is_current, read_lock
from skillgen.model.files import is_ignored
from skillgen.model.lock_text import parse_lock

Run = Callable[..., Any]
DIST = Path(__file__).parents[2] / "dist"
CURRENT = ("omc", "omd", "omni", "omx", "pep", "rcs")


def tree(directory: Path) -> dict[str, tuple[bytes, bool]]:
    """Return path -> bytes and whether it is executable; git keeps no more of a mode."""
    found = {}
    for path in sorted(directory.rglob("*")):
        name = path.relative_to(directory).as_posix()
        if not path.is_dir() and not is_ignored(name):
            assert not path.is_symlink(), f"{name} is a symbolic link"
            found[name] = (path.read_bytes(), bool(path.stat().st_mode & stat.S_IXUSR))
    return found


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    import subprocess
    import sys

    out = tmp_path_factory.mktemp("golden") / "dist"
    # From another directory: a bundle does not depend on where it is built.
    command = [sys.executable, "-m", "skillgen", "build", "--out", str(out)]
    done = subprocess.run(command, cwd=out.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return out


def test_dist_holds_the_current_flavors_and_nothing_else() -> None:
    assert sorted(path.name for path in DIST.iterdir()) == [".gitignore", *CURRENT, "skillgen.lock"]


@pytest.mark.parametrize("flavor", CURRENT)
def test_dist_is_what_a_build_writes(built: Path, flavor: str) -> None:
    golden, fresh = tree(DIST / flavor), tree(built / flavor)
    assert golden.keys() == fresh.keys()
    different = [name for name in golden if golden[name] != fresh[name]]
    assert different == [], f"run skillgen build: {different}"


def test_the_lock_of_dist_describes_what_a_build_writes(built: Path) -> None:
    golden, fresh = (parse_lock("f", (place / "skillgen.lock").read_bytes()) for place in (DIST, built))
    assert golden.keys() == fresh.keys()
    for flavor, entry in golden.items():
        assert entry.sealed
        assert entry.same_result(fresh[flavor]), flavor


def test_check_finds_dist_current(skillgen: Run) -> None:
    result = skillgen("build", "--check", "--out", DIST)
    assert result.code == 0, result.out


def test_the_lock_of_dist_lets_a_check_decide_by_digests() -> None:
    """Correct bundles under an old lock are found current too, only ten times slower: run skillgen build."""
    inputs, lock = Inputs((), ()), read_lock(str(DIST))
    assert [flavor for flavor in CURRENT if not is_current(flavor, inputs, lock, str(DIST))] == []
