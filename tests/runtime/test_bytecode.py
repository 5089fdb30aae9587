"""What lies beside a module in the bundle is never run: bytecode is kept elsewhere, by this user alone."""

from __future__ import annotations

import marshal
import shutil
import subprocess
import sys
from importlib._bootstrap_external import MAGIC_NUMBER, cache_from_source
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest
from tests.runtime.conftest import Worlds
from tests.runtime.world import World


@pytest.fixture
def omd(world: Worlds) -> World:
    """A world whose skill a test may spoil."""
    w = world("omd")
    copy = w.workspace.parent / "skill"
    shutil.copytree(w.skill, copy, ignore=shutil.ignore_patterns("__pycache__"))
    w.skill = copy
    del w.env["PYTHONPYCACHEPREFIX"]
    return w


def cancelled(w: World, *options: str) -> subprocess.CompletedProcess[str]:
    path = w.record("s1", "ralplan", {"active": True})
    command = [sys.executable, *options, str(w.skill / "scripts/cancel.py"), "--session-id", "s1"]
    done = subprocess.run(command, cwd=w.workspace, env=w.env, capture_output=True, text=True, check=False)
    assert (done.returncode, path.exists()) == (0, False), done
    return done


@pytest.mark.parametrize("options", [[], ["-I", "-S"], ["-B"]])
def test_bytecode_that_was_planted_in_the_bundle_is_not_run(omd: World, options: list[str]) -> None:
    mark = omd.workspace.parent / "ran"
    code = compile(f"open({str(mark)!r}, 'w').close()", "planted", "exec")
    for source in (omd.skill / "scripts/cancel_runtime").glob("*.py"):
        planted = Path(cache_from_source(str(source)))
        planted.parent.mkdir(exist_ok=True)
        planted.write_bytes(MAGIC_NUMBER + (0b01).to_bytes(4, "little") + bytes(8) + marshal.dumps(code))
        source.with_suffix(".pyc").write_bytes(planted.read_bytes())
    done = cancelled(omd, *options)
    assert not mark.exists(), done


def test_a_binary_module_beside_the_source_is_not_loaded(omd: World) -> None:
    for suffix in EXTENSION_SUFFIXES:
        (omd.skill / f"scripts/cancel_runtime/run{suffix}").write_bytes(b"no library")
    cancelled(omd)


def test_a_run_writes_nothing_into_the_bundle(omd: World) -> None:
    before = omd.tree(omd.skill)
    (omd.home / ".cache").mkdir(mode=0o700)
    cancelled(omd)
    assert omd.tree(omd.skill) == before


def test_bytecode_is_kept_where_only_this_user_writes_and_used_again(omd: World) -> None:
    base = omd.home / ("Library/Caches" if sys.platform == "darwin" else ".cache")
    base.mkdir(parents=True, mode=0o700)
    cancelled(omd)
    kept = {path: path.stat().st_mtime_ns for path in (base / "cancel-skill").rglob("*.pyc")}
    assert len(kept) > 10 and (base / "cancel-skill").stat().st_mode & 0o777 == 0o700
    assert all("cancel_runtime" in path.parts for path in kept)
    cancelled(omd)
    assert {path: path.stat().st_mtime_ns for path in kept} == kept


@pytest.mark.parametrize("how", ["absent", "open to others", "link", "inner open", "file"])
def test_a_cache_that_is_not_this_users_alone_is_neither_read_nor_written(omd: World, how: str) -> None:
    base = omd.home / ("Library/Caches" if sys.platform == "darwin" else ".cache")
    base.parent.mkdir(parents=True, exist_ok=True)
    if how == "link":
        (omd.home / "other").mkdir()
        base.symlink_to(omd.home / "other")
    elif how == "file":
        base.write_text("x")
    elif how != "absent":
        base.mkdir(mode=0o700)
        if how == "inner open":
            (base / "cancel-skill").mkdir()
        (base / "cancel-skill" if how == "inner open" else base).chmod(0o777)
    cancelled(omd)
    assert not list(omd.home.rglob("*.pyc")), how
